// This node among the others: a row that is renewed every two seconds. Who finds it eight seconds old removes it, and only then may take
// the worlds of that node; so a renewal that finds its row has lost nothing. A node stops answering before anybody can have removed it:
// it counts from before the renewal was sent, on a clock that no one sets. After a failure of the database, which may mean that another
// server has taken its place, nothing is answered before a renewal there.
import { type Database, type Query, SERVER } from "./connection.ts";
import { DatabaseClock } from "./database-clock.ts";

/** For the database. */
export const VALID_S = 8;
const RENEW_MS = 2000;
/**
 * The node stops this much earlier. For answers under way, which must leave before another node can serve the world.
 */
const MARGIN_MS = 1000;
const AGAIN_MS = 250;

interface RegistrationDeps {
  database: Database;
  url(): string;
  version: string;
  newId(): string;
  /** Everything that this node owned is lost. */
  lapsed(why: string): void;
  /** The database is another server now, or was started again: drops the worlds whose last commit it lacks. */
  moved(query: Query, node: string): Promise<void>;
  /** The database can't be used, or can again. */
  failed(reason: unknown): void;
  recovered(): void;
}

interface Beat {
  now: number;
  server: string;
  /** Nodes beside this one. */
  others: number;
}

/** Of the node `$1`. The instant is the database's, and the server tells a failover apart from a short silence. */
const BEAT = `(extract(epoch from clock_timestamp()) * 1000)::float8 as now, ${SERVER} as server,
  (select count(*)::int from nodes o where o.id <> $1 and o.until > clock_timestamp()) as others`;

/** The lease of this node. Everything that answers from memory asks `isConfirmed` first. */
export class Registration {
  readonly clock = new DatabaseClock();
  readonly #parts: RegistrationDeps;
  isAlone = true;
  #id = "";
  #server = "";
  #validUntil = 0;
  /** When something failed last; nothing is answered before a renewal that was sent later. */
  #doubtedAt: number | undefined;
  #isOut = false;
  #reason: unknown = new Error("it has not answered yet");
  /** Earlier ids that may still have a row: a renewal that was under way may have made it new. */
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

  /** Which server it was confirmed by: a statement on another one must not count. */
  get server(): string {
    return this.#server;
  }

  /** Milliseconds that the lease is good for without another renewal; 0 where it has lapsed. */
  get marginMs(): number {
    return Math.max(0, this.#validUntil - performance.now());
  }

  /** Whether memory may be answered from. */
  get isConfirmed(): boolean {
    if (performance.now() >= this.#validUntil) this.#lapse("its heartbeat was late");
    return this.#id !== "" && this.#doubtedAt === undefined;
  }

  get whyNot(): unknown {
    return this.#reason;
  }

  /** Resolves as soon as it is known whether the database answers. */
  async known(): Promise<boolean> {
    await this.#beating;
    return this.isConfirmed;
  }

  /** Rejects when the database can't be used. */
  async start(): Promise<void> {
    await this.#register();
    this.#next(RENEW_MS);
  }

  /** Tells the others the address now. */
  async announce(): Promise<void> {
    await this.#beating;
    await this.#beat();
  }

  /**
   * A statement has failed, or a connection: looks at once. Called from anywhere, as often as anything fails: one
   * renewal under way serves all.
   */
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
    // First in memory: nothing answers between here and the removal of the row.
    this.#id = "";
    this.#validUntil = 0;
    await this.#parts.database.query("delete from nodes where id = any($1::text[])", [[id, ...this.#former]]);
  }

  #next(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#beat(), ms);
    // A node is kept alive by its server, and not by its heartbeat.
    this.#timer.unref();
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
    // It was sent before the failure, so it says nothing about what the database is now.
    if (failed !== undefined && sent < failed) return void this.#beat();
    this.#doubtedAt = undefined;
    if (this.#isOut) this.#parts.recovered();
    this.#isOut = false;
    this.#next(RENEW_MS);
  }

  #unconfirmed(reason: unknown): void {
    this.#beating = undefined;
    this.#doubtedAt = performance.now();
    this.#reason = reason;
    if (!this.#isOut) this.#parts.failed(reason);
    this.#isOut = true;
    this.#next(AGAIN_MS);
  }

  /** Answers when it was sent. */
  async #renew(): Promise<number> {
    if (performance.now() >= this.#validUntil) this.#lapse("its heartbeat was late");
    if (this.#id === "") return this.#register();
    const sent = performance.now();
    const id = this.#id;
    const { rows } = await this.#parts.database.query<Beat>(
      `update nodes set until = clock_timestamp() + make_interval(secs => ${VALID_S}), url = $2 where id = $1 returning ${BEAT}`,
      [id, this.#parts.url()],
    );
    const [beat] = rows;
    // The lease lapsed while the statement was under way, so the row that it renewed is a former one.
    if (this.#id !== id) return this.#register();
    if (!beat) {
      this.#lapse("another node found it silent");
      return this.#register();
    }
    // Before the lease is confirmed: what the new server lacks must be gone from memory first.
    if (beat.server !== this.#server) await this.#parts.moved(this.#parts.database.query, id);
    return this.#confirm(sent, beat);
  }

  async #register(): Promise<number> {
    const sent = performance.now();
    const id = this.#parts.newId();
    const { rows } = await this.#parts.database.query<Beat>(
      // The former row goes with the same statement, so at no time does this node have two.
      `with former as (delete from nodes where id = any($4::text[]))
       insert into nodes (id, url, version, until)
       values ($1, $2, $3, clock_timestamp() + make_interval(secs => ${VALID_S})) returning ${BEAT}`,
      [id, this.#parts.url(), this.#parts.version, this.#former],
    );
    if (!rows[0]) throw new Error("it gave no answer");
    this.#id = id;
    this.#former = [];
    return this.#confirm(sent, rows[0]);
  }

  #confirm(sent: number, { now, server, others }: Beat): number {
    this.isAlone = others === 0;
    this.#server = server;
    // From before the statement was sent, and so never later than what the database counts from.
    this.#validUntil = sent + VALID_S * 1000 - MARGIN_MS;
    this.clock.note(now, sent, performance.now());
    return sent;
  }

  #lapse(why: string): void {
    if (this.#id === "") return;
    // Its worlds are free once its row is gone, which is when this node has registered anew.
    this.#former.push(this.#id);
    this.#id = "";
    this.#parts.lapsed(why);
    if (!this.#ended) void this.#beat();
  }
}
