// The limit of connections that all queues of all worlds share. A queue may always have one, so that no receiver, however slow, keeps
// another waiting; a queue that needs more waits for the next that is free. Assumption: delivery-order.
const MAX_CONNECTIONS = 100;

export class ConnectionLimit {
  #used = 0;
  readonly #waiting = new Map<string, () => void>();

  /** How many more a queue with this many may take. */
  countFree(has: number): number {
    return Math.max(MAX_CONNECTIONS - this.#used, has === 0 ? 1 : 0);
  }

  take(): void {
    this.#used += 1;
  }

  release(): void {
    this.#used -= 1;
    const [[queue, next] = []] = this.#waiting;
    if (queue !== undefined && this.#waiting.delete(queue)) next?.();
  }

  /** Calls `next` when a connection is free. A queue waits once. */
  wait(queue: string, next: () => void): void {
    this.#waiting.set(queue, next);
  }
}
