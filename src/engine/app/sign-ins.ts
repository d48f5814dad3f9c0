// Browsers that have sent the control token: each has an id in a cookie instead of the token. They are in memory, so a restart ends them all.
import { hashToken } from "../world/state/credential.ts";

/** A working day. */
const SECONDS = 12 * 60 * 60;
/** The oldest is forgotten for a new one. */
const MAX_SIGN_INS = 1000;

export class SignIns {
  readonly #wall: () => number;
  readonly #newId: () => string;
  /** By the hash of the id, so that a dump of the memory opens nothing. */
  readonly #ends = new Map<string, number>();

  constructor(wall: () => number, newId: () => string) {
    this.#wall = wall;
    this.#newId = newId;
  }

  /** Returns the value of the cookie, and how long it is valid. */
  open(): { id: string; seconds: number } {
    const id = this.#newId();
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MAX_SIGN_INS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(hashToken(id), this.#wall() + SECONDS * 1000);
    return { id, seconds: SECONDS };
  }

  has(id: string): boolean {
    return (this.#ends.get(hashToken(id)) ?? 0) > this.#wall();
  }

  close(id: string): void {
    this.#ends.delete(hashToken(id));
  }
}
