// Keeps the sessions of browsers that have sent the control token. Each has an id in a cookie. A restart ends all
// sessions, which are in memory.
import { hashToken } from "../world/state/credential.ts";

/** A working day. */
const LIFETIME_SECONDS = 12 * 60 * 60;
/** A new session replaces the oldest one at this limit. */
const MAX_SIGN_INS = 1000;

export class SignIns {
  readonly #wall: () => number;
  readonly #newId: () => string;
  /** Hash of the session id → end. The hash keeps a memory dump from revealing ids. */
  readonly #ends = new Map<string, number>();

  constructor(wall: () => number, newId: () => string) {
    this.#wall = wall;
    this.#newId = newId;
  }

  /** Returns the value of the cookie, and its lifetime. */
  open(): { id: string; seconds: number } {
    const id = this.#newId();
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MAX_SIGN_INS && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(hashToken(id), this.#wall() + LIFETIME_SECONDS * 1000);
    return { id, seconds: LIFETIME_SECONDS };
  }

  has(id: string): boolean {
    return (this.#ends.get(hashToken(id)) ?? 0) > this.#wall();
  }

  close(id: string): void {
    this.#ends.delete(hashToken(id));
  }
}
