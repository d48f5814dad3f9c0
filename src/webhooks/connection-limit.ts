// The connections that all queues of all worlds share. Rule: a queue may always have one, so that no receiver, however slow, keeps
// another waiting; whoever was short of one gets the next that is free. Assumption: delivery-order.
const MOST = 100;

export class Pool {
  #used = 0;
  readonly #waiting = new Map<string, () => void>();

  /** How many more a queue that has so many may take. */
  room(has: number): number {
    return Math.max(MOST - this.#used, has === 0 ? 1 : 0);
  }

  take(): void {
    this.#used += 1;
  }

  giveBack(): void {
    this.#used -= 1;
    const [[queue, next] = []] = this.#waiting;
    if (queue !== undefined && this.#waiting.delete(queue)) next?.();
  }

  /** Calls when a connection is free; a queue waits once. */
  wait(queue: string, next: () => void): void {
    this.#waiting.set(queue, next);
  }
}
