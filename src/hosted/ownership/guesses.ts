// Limits how many worlds a node opens for credentials that may be made up, so that made-up names can't keep it busy.

/** Per minute and node. An opening reads a complete world from the database. */
const MAX_GUESSES = 60;
const LIFETIME_MS = 60_000;

/** Reports that the credential was right, so that real clients never use up the limit. */
export type ConfirmGuess = () => void;

/** `now`: a monotonic clock in ms. */
export class Guesses {
  readonly #now: () => number;
  readonly #open = new Map<ConfirmGuess, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns undefined if the limit is reached. */
  begin(): ConfirmGuess | undefined {
    for (const [guess, at] of this.#open) if (this.#now() - at >= LIFETIME_MS) this.#open.delete(guess);
    if (this.#open.size >= MAX_GUESSES) return undefined;
    const confirm: ConfirmGuess = () => void this.#open.delete(confirm);
    this.#open.set(confirm, this.#now());
    return confirm;
  }
}
