// Group commit: one sync for all callers. While a sync runs, later callers wait for the next one, which starts when it ends and covers
// everything written until then.

export function groupCommit(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function synced(): Promise<void> {
    if (!running) {
      running = sync().finally(() => {
        running = null;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null;
        return synced();
      });
    return next;
  }

  return synced;
}
