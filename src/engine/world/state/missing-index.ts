// A large index that is asked for the first time takes a while to build. Whoever can wait gets an error that names the missing one, builds it in steps
// with turns for others in between, and asks again; everybody else builds it at once.

/** An index with more records than this is large: fewer take some milliseconds. */
const MANY = 1_000;

export class MissingIndex extends Error {
  /** Builds it; short steps. What changes between two of them is in the index. All who take one share them: it is built once. */
  readonly steps: Generator<void>;
  /** Set by the first who waits for it, for the next ones. */
  building: Promise<void> | undefined;

  constructor(name: string, steps: Generator<void>) {
    super(`The index ${name} is not built yet.`);
    this.steps = steps;
  }
}

let canWait = false;

/** Runs `work`, which throws `MissingIndex` where it asks for a large index that is not there. Only the part before its first `await` does. */
export function unlessMissing<T>(work: () => T): T {
  const before = canWait;
  canWait = true;
  try {
    return work();
  } finally {
    canWait = before;
  }
}

export const isWorthWaiting = (records: number): boolean => canWait && records > MANY;
