// The database's clock, as it goes on between two looks at it: by this machine's monotonic clock, so that the wall clocks of nodes may
// differ. It never goes back.

/** Milliseconds since 1970 at the database. One look is enough; a better one replaces it. */
export class DatabaseClock {
  #at = 0;
  #when = 0;
  /** Half of the time that the look took: how far off it may be. */
  #error = Number.POSITIVE_INFINITY;
  #last = 0;

  /** The database said `now` between two instants of the monotonic clock. */
  note(now: number, sent: number, received: number): void {
    // Clocks drift apart by less than this a millisecond.
    const grown = this.#error + (received - this.#when) / 10_000;
    const error = (received - sent) / 2;
    if (error > grown) return;
    this.#at = now;
    this.#when = (sent + received) / 2;
    this.#error = error;
  }

  now(): number {
    this.#last = Math.max(this.#last, this.#at + performance.now() - this.#when);
    // A correction may put it back; who has seen an instant must not see an earlier one.
    return Math.floor(this.#last);
  }
}
