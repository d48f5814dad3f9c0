// The row of this node, which is renewed every two seconds. Another node that finds the row eight seconds old removes it before it takes
// worlds of this node, so a renewal that finds its row has lost nothing. This node counts from before it sent the renewal, on a monotonic
// clock, and stops serving before its row can be removed. After a failure of the database, which may mean a failover, it serves nothing until
// the next renewal.
import { type Database, type Query, SERVER } from "./connection.ts";
import { DatabaseClock } from "./database-clock.ts";

/** How long a row is valid for the database. */
export const VALID_S = 8;
const RENEWAL_MS = 2000;
/** The node stops this much earlier, so that its last responses leave before another node can serve the world. */
const MARGIN_MS = 1000;
const RETRY_DELAY_MS = 250;

interface RegistrationDeps {
  database: Database;
  url(): string;
  version: string;
  newId(): string;
  /** Is called when everything that this node owned is lost. */
  lapsed(why: string): void;
  /** The database is another server now, or was restarted. Drops the worlds whose last commit it lacks. */
  checkNewPrimary(query: Query, node: string): Promise<void>;
  failed(reason: unknown): void;
  recovered(): void;
}

interface Beat {
  now: number;
  server: string;
  /** The number of other nodes. */
  others: number;
}

/** The columns for the node `$1`. The server tells a failover apart from a short silence. */
const BEAT = `(extract(epoch from clock_timestamp()) * 1000)::float8 as now, ${SERVER} as server,
  (select count(*)::int from nodes o where o.id <> $1 and o.until > clock_timestamp()) as others`;

/** The lease of this node. Check `isConfirmed` before you respond from memory. */
export class Registration {
  readonly clock = new DatabaseClock();
  readonly #parts: RegistrationDeps;
  isAlone = true;
  #id = "";
  #server = "";
  #validUntil = 0;
  /** The time of the last failure. Only a renewal that was sent later confirms the lease. */
  #doubtedAt: number | undefined;
  #isOut = false;
  #reason: unknown = new Error("it has not responded yet");
  /** Former ids that may still have a row, because a renewal was under way. */
  #former: string[] = [];
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(parts: RegistrationDeps) {
    this.#parts = parts;
  }

  get node(): string {
    return this.#id;
  }

  /** The server that confirmed the lease. A statement on another server must not count. */
  get server(): string {
    return this.#server;
  }

  /** Milliseconds for which the lease holds without another renewal; 0 if it has lapsed. */
  get marginMs(): number {
    return Math.max(0, this.#validUntil - performance.now());
  }

  /** Whether this node may respond from memory. */
  get isConfirmed(): boolean {
    if (performance.now() >= this.#validUntil) this.#lapse("its heartbeat was late");
    return this.#id !== "" && this.#doubtedAt === undefined;
  }

  get whyNot(): unknown {
    return this.#reason;
  }

  /** Waits for the heartbeat under way. Resolves to whether the lease is confirmed. */
  async isRegistered(): Promise<boolean> {
    await this.#beating;
    return this.isConfirmed;
  }

  /** Rejects if the database can't be used. */
  async start(): Promise<void> {
    await this.#register();
    this.#next(RENEWAL_MS);
  }

  /** Reports the address to the other nodes now. */
  async announce(): Promise<void> {
    await this.#beating;
    await this.#beat();
  }

  /** Renews at once, after a failure of a statement or connection. Simultaneous failures share one renewal. */
  doubt(): void {
    if (this.#ended) return;
    this.#doubtedAt = performance.now();
    void this.#beat();
  }

  /** Removes the row, which frees what this node owns. */
  async end(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await this.#beating;
    const id = this.#id;
    // The lease ends in memory first, so that the node serves nothing until the row is removed.
    this.#id = "";
    this.#validUntil = 0;
    await this.#parts.database.query("delete from nodes where id = any($1::text[])", [[id, ...this.#former]]);
  }

  #next(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#beat(), ms).unref();
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#renew().then(
      (sent) => this.#confirmed(sent),
      (reason) => this.#unconfirmed(reason),
    );
    return this.#beating;
  }

  #confirmed(sent: number): void {
    this.#beating = undefined;
    const failed = this.#doubtedAt;
    // A renewal from before the failure says nothing about the database now.
    if (failed !== undefined && sent < failed) return void this.#beat();
    this.#doubtedAt = undefined;
    if (this.#isOut) this.#parts.recovered();
    this.#isOut = false;
    this.#next(RENEWAL_MS);
  }

  #unconfirmed(reason: unknown): void {
    this.#beating = undefined;
    this.#doubtedAt = performance.now();
    this.#reason = reason;
    if (!this.#isOut) this.#parts.failed(reason);
    this.#isOut = true;
    this.#next(RETRY_DELAY_MS);
  }

  /** Returns the time at which the renewal was sent. */
  async #renew(): Promise<number> {
    if (performance.now() >= this.#validUntil) this.#lapse("its heartbeat was late");
    if (this.#id === "") return this.#register();
    const sent = performance.now();
    const id = this.#id;
    const [beat] = await this.#parts.database.query<Beat>(
      `update nodes set until = clock_timestamp() + make_interval(secs => ${VALID_S}), url = $2 where id = $1 returning ${BEAT}`,
      [id, this.#parts.url()],
    );
    // If the lease has lapsed since, the statement has renewed a former row.
    if (this.#id !== id) return this.#register();
    if (!beat) {
      this.#lapse("another node found it silent");
      return this.#register();
    }
    // Memory must drop what the new server lacks before the lease is confirmed.
    if (beat.server !== this.#server) await this.#parts.checkNewPrimary(this.#parts.database.query, id);
    return this.#confirm(sent, beat);
  }

  async #register(): Promise<number> {
    const sent = performance.now();
    const id = this.#parts.newId();
    const [beat] = await this.#parts.database.query<Beat>(
      // A single statement ensures that this node never has two rows.
      `with former as (delete from nodes where id = any($4::text[]))
       insert into nodes (id, url, version, until)
       values ($1, $2, $3, clock_timestamp() + make_interval(secs => ${VALID_S})) returning ${BEAT}`,
      [id, this.#parts.url(), this.#parts.version, this.#former],
    );
    if (!beat) throw new Error("it sent no row");
    this.#id = id;
    this.#former = [];
    return this.#confirm(sent, beat);
  }

  #confirm(sent: number, { now, server, others }: Beat): number {
    this.isAlone = others === 0;
    this.#server = server;
    // The node counts from before it sent the statement, so its lease never ends later than in the database.
    this.#validUntil = sent + VALID_S * 1000 - MARGIN_MS;
    this.clock.note(now, sent, performance.now());
    return sent;
  }

  #lapse(why: string): void {
    if (this.#id === "") return;
    // The next registration removes the former row, which frees its worlds.
    this.#former.push(this.#id);
    this.#id = "";
    this.#parts.lapsed(why);
    if (!this.#ended) void this.#beat();
  }
}
