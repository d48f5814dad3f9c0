// The database's clock. Between two readings it continues by this machine's monotonic clock, so the wall clocks of nodes may differ. It never
// goes back.

/** Milliseconds since 1970 at the database. A more exact reading replaces an earlier one. */
export class DatabaseClock {
  #at = 0;
  #when = 0;
  /** The error of the last reading is at most half of the time that it took. */
  #error = Number.POSITIVE_INFINITY;
  #last = 0;

  /** Notes that the database read `now` between two instants of the monotonic clock. */
  note(now: number, sent: number, received: number): void {
    // Clocks drift apart by less than 0.1 ms per second.
    const grown = this.#error + (received - this.#when) / 10_000;
    const error = (received - sent) / 2;
    if (error > grown) return;
    this.#at = now;
    this.#when = (sent + received) / 2;
    this.#error = error;
  }

  now(): number {
    this.#last = Math.max(this.#last, this.#at + performance.now() - this.#when);
    // A reader must never get an earlier instant, even after a correction.
    return Math.floor(this.#last);
  }
}
