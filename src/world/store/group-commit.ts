// One sync for all who wait: while one runs, everybody who comes waits for the next, which starts when it ends and covers
// whatever was written until then.

export function groupCommit(sync: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function settled(): Promise<void> {
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
        return settled();
      });
    return next;
  }

  return settled;
}
