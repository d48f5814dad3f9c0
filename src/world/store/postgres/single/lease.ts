// The right to write: one node has it at a time, and renews it. Each holder has an epoch of its own, and what is written under an older
// one is refused by the database. A node whose renewal is late stops answering before another can have taken over: it counts from before
// the renewal was sent, on a clock that no one sets.
import { performance } from "node:perf_hooks";
import type { Database, Query } from "../connection.ts";

/** For the database. */
const VALID_S = 8;
const RENEW_MS = 2000;
/** The node stops this much earlier. */
const MARGIN_MS = 1000;

interface Holder {
  url: string;
  /** Seconds that its lease is still valid. */
  left: number;
}

export class Lease {
  readonly #database: Database;
  readonly #node: string;
  readonly #url: () => string;
  #epoch = 0;
  #validUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  #lost: ((reason: unknown) => void) | undefined;

  constructor(database: Database, node: string, url: () => string) {
    this.#database = database;
    this.#node = node;
    this.#url = url;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get isValid(): boolean {
    return performance.now() < this.#validUntil;
  }

  /**
   * Takes it under a new epoch when nobody else holds it; otherwise returns who does. The new epoch waits for a write under the old one
   * that is still under way, and refuses one that comes later: so it is then known what was written.
   */
  async take(): Promise<Holder | undefined> {
    const sent = performance.now();
    const { rows } = await this.#database.query<{ epoch: string }>(
      `update lease set node = $1, url = $2, epoch = epoch + 1, until = now() + make_interval(secs => ${VALID_S})
       where id = 1 and (node = $1 or until < now()) returning epoch`,
      [this.#node, this.#url()],
    );
    const [taken] = rows;
    if (!taken) return this.#holder();
    this.#epoch = Number(taken.epoch);
    this.#confirm(sent);
    return undefined;
  }

  /** Renews it until it is released; `lost` is called once when it can't be renewed. */
  keep(lost: (reason: unknown) => void): void {
    this.#lost = lost;
    this.#timer = setTimeout(() => void this.#renew(), RENEW_MS);
    this.#timer.unref();
  }

  pause(): void {
    clearTimeout(this.#timer);
    this.#lost = undefined;
    this.#validUntil = 0;
  }

  /** Lets the next node take it at once. */
  async release(): Promise<void> {
    this.pause();
    await this.#database.query("update lease set until = now() where id = 1 and epoch = $1", [this.#epoch]);
  }

  /** Locks the lease for the transaction; whether it is still this node's. */
  async holds(query: Query): Promise<boolean> {
    const { rowCount } = await query("select 1 from lease where id = 1 and epoch = $1 for share", [this.#epoch]);
    return rowCount === 1;
  }

  async #renew(): Promise<void> {
    const sent = performance.now();
    const lost = this.#lost;
    try {
      const { rowCount } = await this.#database.query(
        `update lease set until = now() + make_interval(secs => ${VALID_S}), url = $2 where id = 1 and epoch = $1`,
        [this.#epoch, this.#url()],
      );
      if (this.#lost !== lost) return;
      if (rowCount === 0) return lost?.(new Error("another node has taken over"));
      this.#confirm(sent);
      if (lost) this.keep(lost);
    } catch (reason) {
      if (this.#lost === lost) lost?.(reason);
    }
  }

  #confirm(sent: number): void {
    this.#validUntil = sent + VALID_S * 1000 - MARGIN_MS;
  }

  async #holder(): Promise<Holder> {
    const { rows } = await this.#database.query<Holder>(
      "select url, greatest(0, extract(epoch from until - now()))::float8 as left from lease where id = 1",
    );
    return rows[0] ?? { url: "", left: 0 };
  }
}
