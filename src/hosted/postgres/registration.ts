// The row of this node, which is renewed every two seconds. Another node that finds the row eight seconds old removes
// it before it takes worlds of this node, so a renewal that finds its row has lost nothing. This node counts from
// before it sent the renewal, on a monotonic clock, and stops serving before its row can be removed. After a failure of
// the database, which may mean a failover, it serves nothing until the next renewal.
import { type Database, SERVER } from "./connection.ts";

/** How long a row is valid for the database. */
export const VALID_S = 8;
const RENEWAL_MS = 2000;
/** The node stops this much earlier, so that its last responses leave before another node can serve the world. */
const MARGIN_MS = 1000;
const RETRY_DELAY_MS = 250;
const LATE = "its heartbeat was late";

/**
 * The database's clock. Between two readings it continues by this machine's monotonic clock, so the wall clocks of
 * nodes may differ.
 */
class DatabaseClock {
  #at = 0;
  #when = 0;
  /** The error of the last reading is at most half of the time that it took. */
  #error = Number.POSITIVE_INFINITY;
  #last = 0;

  /**
   * Notes that the database read `now` between two instants of the monotonic clock. A more exact reading replaces an
   * earlier one.
   */
  note(now: number, sent: number, received: number): void {
    // Clocks drift apart by less than 0.1 ms per second.
    const grown = this.#error + (received - this.#when) / 10_000;
    const error = (received - sent) / 2;
    if (error > grown) return;
    this.#at = now;
    this.#when = (sent + received) / 2;
    this.#error = error;
  }

  /** Milliseconds since 1970. A reader never gets an earlier instant, even after a correction. */
  now(): number {
    this.#last = Math.max(this.#last, this.#at + performance.now() - this.#when);
    return Math.floor(this.#last);
  }
}

interface RegistrationDeps {
  database: Database;
  url(): string;
  version: string;
  newId(): string;
  /** Is called when everything that this node owned is lost. */
  lapsed(why: string): void;
  failed(reason: unknown): void;
  recovered(): void;
}

interface Beat {
  now: number;
  server: string;
  /** The number of other nodes. */
  others: number;
  /** There was no row of this id. */
  is_new: boolean;
}

/**
 * `$4`: former ids of this node. A single statement ensures that it never has two rows. The server tells a failover
 * apart from a short silence.
 */
const RENEW = `with former as (delete from nodes where id = any($4::text[]))
  insert into nodes (id, url, version, until)
  values ($1, $2, $3, clock_timestamp() + make_interval(secs => ${VALID_S}))
  on conflict (id) do update set until = excluded.until, url = excluded.url
  returning (extract(epoch from clock_timestamp()) * 1000)::float8 as now, ${SERVER} as server, started_at = now() as is_new,
    (select count(*)::int from nodes o where o.id <> $1 and o.id <> all($4::text[]) and o.until > clock_timestamp()) as others`;

/** The lease of this node. Check `isConfirmed` before you respond from memory. */
export class Registration {
  readonly clock = new DatabaseClock();
  readonly #deps: RegistrationDeps;
  /** Whether the last heartbeat found no other node. */
  isAlone = true;
  /** The server that confirmed the lease. A statement on another server must not count. */
  server = "";
  #id: string;
  /** By the monotonic clock; 0: there is no lease. */
  #validUntil = 0;
  /** The time of the last failure. Only a renewal that was sent later confirms the lease. */
  #doubtedAt: number | undefined;
  #isOut = false;
  /** The last failure. */
  reason: unknown = new Error("it has not responded yet");
  /** Former ids that may still have a row, because a renewal was under way. */
  #former: string[] = [];
  #ended = false;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | undefined;

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
    this.#id = deps.newId();
  }

  /** The id of this registration. A node whose lease has lapsed registers under a new one. */
  get node(): string {
    return this.#id;
  }

  /** Milliseconds for which the lease holds without another renewal; 0 if it has lapsed. */
  get marginMs(): number {
    return Math.max(0, this.#validUntil - performance.now());
  }

  /** Whether this node may respond from memory. */
  get isConfirmed(): boolean {
    if (this.#hasExpired()) {
      this.#lapse(LATE);
      if (!this.#ended) void this.#beat();
    }
    return this.#validUntil > 0 && this.#doubtedAt === undefined;
  }

  /** Waits for the heartbeat under way. Resolves to whether the lease is confirmed. */
  async isRegistered(): Promise<boolean> {
    await this.#beating;
    return this.isConfirmed;
  }

  /** Rejects if the database can't be used. */
  async start(): Promise<void> {
    await this.#renew();
    this.#scheduleBeat(RENEWAL_MS);
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
    // The lease ends in memory first, so that the node serves nothing until the row is removed.
    this.#validUntil = 0;
    const ids = [this.#id, ...this.#former];
    await this.#deps.database.query("delete from nodes where id = any($1::text[])", [ids]);
  }

  #scheduleBeat(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#ended) return;
    this.#timer = setTimeout(() => void this.#beat(), ms).unref();
  }

  #beat(): Promise<void> {
    this.#beating ??= this.#renew().then(
      (sent) => this.#confirm(sent),
      (reason) => this.#fail(reason),
    );
    return this.#beating;
  }

  #confirm(sent: number): void {
    this.#beating = undefined;
    // A renewal from before the failure says nothing about the database now.
    if (this.#doubtedAt !== undefined && sent < this.#doubtedAt) return void this.#beat();
    this.#doubtedAt = undefined;
    if (this.#isOut) this.#deps.recovered();
    this.#isOut = false;
    this.#scheduleBeat(RENEWAL_MS);
  }

  #fail(reason: unknown): void {
    this.#beating = undefined;
    this.#doubtedAt = performance.now();
    this.reason = reason;
    if (!this.#isOut) this.#deps.failed(reason);
    this.#isOut = true;
    this.#scheduleBeat(RETRY_DELAY_MS);
  }

  /** Returns the time at which the renewal was sent. */
  async #renew(): Promise<number> {
    if (this.#hasExpired()) this.#lapse(LATE);
    const isRenewal = this.#validUntil > 0;
    const { database, url, version } = this.#deps;
    const [sent, id, former] = [performance.now(), this.#id, this.#former];
    const [beat] = await database.query<Beat>(RENEW, [id, url(), version, former]);
    if (!beat) throw new Error("it sent no row");
    if (isRenewal && id === this.#id) {
      if (beat.is_new) this.#lapse("another node found it silent");
      // The new server may lack the last commits of a world.
      else if (beat.server !== this.server) this.#lapse("the database was restarted or replaced");
    }
    // The row is that of a former id now.
    if (id !== this.#id) return this.#renew();
    this.#former = this.#former.filter((each) => !former.includes(each));
    this.isAlone = beat.others === 0;
    this.server = beat.server;
    // The node counts from before it sent the statement, so its lease never ends later than in the database.
    this.#validUntil = sent + VALID_S * 1000 - MARGIN_MS;
    this.clock.note(beat.now, sent, performance.now());
    return sent;
  }

  #hasExpired(): boolean {
    return this.#validUntil > 0 && performance.now() >= this.#validUntil;
  }

  /** The next registration removes the former row, which frees its worlds. */
  #lapse(why: string): void {
    this.#former = [...this.#former, this.#id];
    this.#id = this.#deps.newId();
    this.#validUntil = 0;
    this.#deps.lapsed(why);
  }
}
