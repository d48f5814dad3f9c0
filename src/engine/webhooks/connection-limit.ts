// Limits the connections that all queues of all worlds share. A queue may always use one, so that a slow receiver does not delay
// another. A queue that needs more waits for the next free connection. Assumption: delivery-order.
const MAX_CONNECTIONS = 100;

export class ConnectionLimit {
  #used = 0;
  readonly #waiting = new Map<string, () => void>();

  /** Returns how many more connections a queue may take. */
  countFree(usedByQueue: number): number {
    return Math.max(MAX_CONNECTIONS - this.#used, usedByQueue === 0 ? 1 : 0);
  }

  take(): void {
    this.#used += 1;
  }

  release(): void {
    this.#used -= 1;
    const [[queue, next] = []] = this.#waiting;
    if (queue !== undefined && this.#waiting.delete(queue)) next?.();
  }

  /** Calls `next` when a connection is free. Each queue has at most one pending callback. */
  wait(queue: string, next: () => void): void {
    this.#waiting.set(queue, next);
  }
}
