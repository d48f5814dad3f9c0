// The row of this node, which is renewed every two seconds. Another node that finds the row eight seconds old removes
// it before it takes worlds of this node, so a renewal that finds its row has lost nothing. This node counts from
// before it sent the renewal, on a monotonic clock, and stops serving before its row can be removed. After a failure of
// the database, which may mean a failover, it serves nothing until the next renewal.
import { StoreError } from "../../engine/log/index.ts";
import { type Database, explainFailure, SERVER } from "./connection.ts";

/** How long a row is valid for the database. */
export const VALID_S = 8;
const RENEWAL_MS = 2000;
/** The node stops this much earlier, so that its last responses leave before another node can serve the world. */
const MARGIN_MS = 1000;
const RETRY_DELAY_MS = 250;
const LATE = "its heartbeat was late";

/** Clocks drift apart by less than this between two renewals. */
const MAX_DRIFT_MS = 0.2;

interface RegistrationDeps {
  /** The id of this node. */
  node: string;
  database: Database;
  /** Of the database, for messages. */
  address: string;
  url(): string;
  version: string;
  /** Is called when everything that this node owned is lost. */
  onLapse(reason: StoreError): void;
  warn(sentence: string): void;
}

/** `others`: the number of other nodes. `is_new`: the row was created, or this lease is new. */
type Beat = { now: number; server: string; others: number; is_new: boolean };

/** `$4`: this node has no lease. The server tells a failover apart from a short silence. */
const RENEW = `insert into nodes (id, url, version, until)
  values ($1, $2, $3, clock_timestamp() + make_interval(secs => ${VALID_S}))
  on conflict (id) do update set until = excluded.until, url = excluded.url,
    started_at = case when $4 then now() else nodes.started_at end
  returning (extract(epoch from clock_timestamp()) * 1000)::float8 as now, ${SERVER} as server, started_at = now() as is_new,
    (select count(*)::int from nodes o where o.id <> $1 and o.until > clock_timestamp()) as others`;

/** The lease of this node. Check `isConfirmed` before you respond from memory. */
export class Registration {
  readonly node: string;
  readonly #deps: RegistrationDeps;
  /** Whether the last heartbeat found no other node. */
  isAlone = true;
  /** Whether this node gives up all worlds, and takes no more. */
  isStopping = false;
  /** The server that confirmed the lease. A statement on another server must not count. */
  server = "";
  /** Counts how often everything that this node owned was lost. */
  lapses = 0;
  /** By the monotonic clock; 0: there is no lease. */
  #validUntil = 0;
  /** The time of the last failure. Only a renewal that was sent later confirms the lease. */
  #doubtedAt: number | undefined;
  /** The database's time minus the monotonic time, and the latest time that was read. */
  #clockOffset = Number.NEGATIVE_INFINITY;
  #lastTime = 0;
  #isOut = false;
  /** The last failure. */
  #reason: unknown = new Error("it has not responded yet");
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
    this.node = deps.node;
  }

  /**
   * Returns the database's time in ms since 1970. Between two renewals it continues by this machine's monotonic clock,
   * so the wall clocks of nodes may differ. A reader never gets an earlier instant, even after a correction.
   */
  readTime(): number {
    this.#lastTime = Math.max(this.#lastTime, Math.floor(this.#clockOffset + performance.now()));
    return this.#lastTime;
  }

  /** Milliseconds for which the lease holds without another renewal; 0 if it has lapsed. */
  get marginMs(): number {
    return Math.max(0, this.#validUntil - performance.now());
  }

  /** Whether this node may respond from memory. */
  get isConfirmed(): boolean {
    if (this.#hasExpired()) {
      this.#lapse(LATE);
      void this.#beat();
    }
    return this.#validUntil > 0 && this.#doubtedAt === undefined;
  }

  /** Whether this node may change worlds and take others. */
  get isUsable(): boolean {
    return !this.isStopping && this.isConfirmed;
  }

  /** Waits for the heartbeat under way if the lease is in doubt. Throws a StoreError if the lease is not confirmed then. */
  async confirm(): Promise<void> {
    if (!this.isConfirmed) await this.#beating;
    if (!this.isConfirmed) throw this.createError();
  }

  /** Creates the 503 of a node that is stopping, or of a database that fails. */
  createError(reason: unknown = this.#reason): StoreError {
    if (this.isStopping) return new StoreError("This node is stopping. Send the request again.");
    return new StoreError(`${this.#explain(reason)} Send the request again in a moment.`, { cause: reason });
  }

  /** Rejects if the database can't be used. */
  async start(): Promise<void> {
    await this.#renew(performance.now());
    this.#scheduleBeat(RENEWAL_MS);
  }

  /** Reports the address to the other nodes now. */
  async announce(): Promise<void> {
    await this.#beating;
    await this.#beat();
  }

  /** Renews at once, after a failure of a statement or connection. Simultaneous failures share one renewal. */
  doubt(): void {
    this.#doubtedAt = performance.now();
    void this.#beat();
  }

  /** Removes the row, which frees what this node owns. Call it when the node is stopping. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#beating;
    // The lease ends in memory first, so that the node serves nothing until the row is removed.
    this.#validUntil = 0;
    await this.#deps.database.query("delete from nodes where id = $1", [this.node]);
  }

  #scheduleBeat(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.isStopping) this.#timer = setTimeout(() => void this.#beat(), ms).unref();
  }

  async #beat(): Promise<void> {
    if (!this.isStopping) this.#beating ??= this.#renewOnce();
    await this.#beating;
  }

  async #renewOnce(): Promise<void> {
    let delay = RENEWAL_MS;
    const sent = performance.now();
    try {
      await this.#renew(sent);
      if (this.#isOut) this.#deps.warn(`The database ${this.#deps.address} can be used again.`);
      this.#isOut = false;
      // A renewal from before a failure says nothing about the database now.
      if (this.#doubtedAt !== undefined && sent < this.#doubtedAt) delay = 0;
      else this.#doubtedAt = undefined;
    } catch (reason) {
      delay = RETRY_DELAY_MS;
      this.#doubtedAt = performance.now();
      this.#reason = reason;
      if (!this.#isOut) this.#deps.warn(`${this.#explain(reason)} Requests are answered 503 until it can.`);
      this.#isOut = true;
    }
    this.#beating = undefined;
    // Writes wait for the renewal under way, so the next one starts without a pause.
    if (delay === 0) void this.#beat();
    else this.#scheduleBeat(delay);
  }

  async #renew(sent: number): Promise<void> {
    if (this.#hasExpired()) this.#lapse(LATE);
    const { database, url, version } = this.#deps;
    const { lapses } = this;
    const hadLease = this.#validUntil > 0;
    const [beat] = await database.query<Beat>(RENEW, [this.node, url(), version, !hadLease]);
    if (!beat) throw new Error("it sent no row");
    if (hadLease && lapses === this.lapses) {
      if (beat.is_new) this.#lapse("another node found it silent");
      // The new server may lack the last commits of a world.
      else if (beat.server !== this.server) this.#lapse("the database was restarted or replaced");
    }
    this.isAlone = beat.others === 0;
    this.server = beat.server;
    // The node counts from before it sent the statement, so its lease never ends later than in the database.
    this.#validUntil = sent + VALID_S * 1000 - MARGIN_MS;
    // The reading that arrived fastest is the most exact.
    this.#clockOffset = Math.max(this.#clockOffset - MAX_DRIFT_MS, beat.now - performance.now());
  }

  #explain(reason: unknown): string {
    return `The database ${this.#deps.address} can't be used: ${explainFailure(reason)}.`;
  }

  #hasExpired(): boolean {
    return this.#validUntil > 0 && performance.now() >= this.#validUntil;
  }

  #lapse(why: string): void {
    this.lapses += 1;
    this.#validUntil = 0;
    this.#deps.onLapse(new StoreError(`This node gave up its worlds: ${why}.`));
  }
}
