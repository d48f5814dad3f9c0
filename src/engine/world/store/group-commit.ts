// Group commit: one sync for all callers. While a sync runs, later callers wait for the next one, which starts when it ends and covers
// everything written until then. Nobody waits when all that was written is synced.

export interface GroupCommit {
  wrote(): void;
  /** Resolves when everything written so far is synced; undefined when it is already. */
  settled(): Promise<void> | undefined;
}

export function groupCommit(sync: () => Promise<void>): GroupCommit {
  // What a start finds may not be synced either.
  let [written, durable] = [1, 0];
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function syncOnce(): Promise<void> {
    const covered = written;
    await sync();
    durable = covered;
  }

  function settled(): Promise<void> | undefined {
    if (durable === written) return undefined;
    if (!running) {
      running = syncOnce().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return settled();
      });
    return next;
  }

  return { wrote: () => void written++, settled };
}
