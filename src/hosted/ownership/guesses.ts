// Worlds that are opened for somebody who shows nothing that only a client of theirs can have: so many a minute that turn out to know
// nothing, and no more, so that names that were made up cannot keep a node busy with opening worlds.

/** One that is not said to be right within a minute was wrong, or takes that long. */
export interface Guess {
  right(): void;
}

/** A minute, of a node. Opening one reads a whole world from the database. */
const MOST = 60;
const FORGOTTEN_MS = 60_000;

/** `now`: monotonic, in milliseconds. */
export function makeGuesses(now: () => number) {
  const open = new Map<Guess, number>();
  return {
    /** Undefined: there were too many. */
    begin(): Guess | undefined {
      for (const [guess, at] of open) if (now() - at >= FORGOTTEN_MS) open.delete(guess);
      if (open.size >= MOST) return undefined;
      // Whoever turns out to be right gives the guess back, so that true clients never use the allowance up.
      const guess: Guess = { right: () => void open.delete(guess) };
      open.set(guess, now());
      return guess;
    },
  };
}
