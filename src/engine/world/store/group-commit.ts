// Group commit: one sync for all callers. While a sync runs, later callers wait for the next one, which starts when it ends and covers
// everything written until then. Nobody waits when all that was written is synced.

export interface GroupCommit {
  /** Something was written that the next sync has to cover. */
  wrote(): void;
  /** Resolves when everything written so far is synced; undefined when it is already. */
  durable(): Promise<void> | undefined;
}

/** `sync` makes everything written before its call durable. When it rejects, all who wait for it are refused. */
export function groupCommit(sync: () => Promise<void>): GroupCommit {
  // What a start finds may not be synced either.
  let [written, synced] = [1, 0];
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  async function syncOnce(): Promise<void> {
    // What is written while it runs may not be on the disk yet.
    const covered = written;
    await sync();
    synced = covered;
  }

  function durable(): Promise<void> | undefined {
    if (synced === written) return undefined;
    if (!running) {
      running = syncOnce().finally(() => {
        running = null;
      });
      return running;
    }
    // Everybody who comes while one runs shares the next one.
    next ??= running
      // Its failure is told to those who waited for it.
      .catch(() => {})
      .then(() => {
        next = null;
        return durable();
      });
    return next;
  }

  return { wrote: () => void written++, durable };
}
