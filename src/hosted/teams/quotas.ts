// Counts what teams use of their quotas. Nodes count requests and exchange the counts every two seconds, so together they can exceed a quota by what
// they admit in that time. Bytes are up to ten seconds old. The database's clock decides when a minute begins.
import { type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { quotaWords as words } from "./quota-words.ts";
import type { TeamRow } from "./team-rows.ts";

/** A quota that is reached: what to do, and for how many seconds it holds. */
export interface Full {
  why: string;
  seconds?: number;
}

interface QuotasDeps {
  store: Pick<TeamStore, "teams" | "addUsed" | "sizes" | "countWorlds">;
  /** Ms since 1970 by the database's clock, which all nodes share. */
  now(): number;
  warn(sentence: string): void;
}

/** Requests of a team in one minute. */
interface Use {
  minute: number;
  /** The requests of all nodes at the last exchange. */
  total: number;
  /** The requests of this node since then. */
  since: number;
}

interface KnownTeam {
  row: TeamRow;
  use: Use;
  exchangedAt: number;
  /** The requests of this node since its start, for the metrics. */
  requests: number;
  worlds: number;
  bytes: number;
  sizedAt: number;
}

const EXCHANGE_MS = 2000;
/** Longer than the interval, because an exchange takes time. */
const MAX_EXCHANGE_AGE_MS = EXCHANGE_MS + 500;
/** A measurement reads the sizes of all rows of a team's worlds. */
const MAX_SIZE_AGE_MS = 10_000;
/** The same for a team without a quota, whose sizes are only for the metrics. */
const MAX_UNLIMITED_SIZE_AGE_MS = 60_000;
const MINUTE = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

const createUse = (minute: number): Use => ({ minute, total: 0, since: 0 });
const hasRequestQuota = ({ quotas }: TeamRow): boolean => quotas.requests_per_minute !== undefined;
const hasByteQuota = ({ quotas }: TeamRow): boolean => quotas.bytes !== undefined;

/** A team that is not loaded has no limits. */
export class Quotas {
  readonly #deps: QuotasDeps;
  readonly #teams = new Map<string, KnownTeam>();
  readonly #requested = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #hasWarned = false;

  constructor(deps: QuotasDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#exchangeOrWarn(), EXCHANGE_MS).unref();
  }

  /** Returns undefined if the team is in memory with recent figures. */
  load(team: string): Promise<void> | undefined {
    const known = this.#teams.get(team);
    if (known && !this.#isOutdated(known)) return undefined;
    this.#requested.add(team);
    // The last known figures apply while the database does not respond.
    return this.#exchange().catch((reason) => {
      if (!this.#teams.has(team)) throw reason;
    });
  }

  /** Counts a request, or returns why it is rejected. A rejected request is not counted. */
  countRequest(team: string): Full | undefined {
    const known = this.#teams.get(team);
    if (!known) return undefined;
    if (known.use.minute !== this.#minute()) known.use = createUse(this.#minute());
    const { use, row } = known;
    const most = row.quotas.requests_per_minute ?? Number.POSITIVE_INFINITY;
    if (use.total + use.since >= most) {
      const seconds = Math.max(1, Math.ceil((MINUTE - (this.#deps.now() % MINUTE)) / 1000));
      return { why: words.requests(team, most, seconds), seconds };
    }
    use.since++;
    known.requests++;
    return undefined;
  }

  findExceededByteQuota(team: string): Full | undefined {
    const known = this.#teams.get(team);
    const most = known?.row.quotas.bytes;
    if (!known || most === undefined || known.bytes < most) return undefined;
    return { why: words.bytes(team, known.bytes, most) };
  }

  /** An early check. The batch that stores the worlds decides under a lock, because other nodes create worlds too. */
  async findExceededWorldQuota(team: string, count: number): Promise<Full | undefined> {
    const { store } = this.#deps;
    const [row] = await store.teams(team);
    const most = row?.quotas.worlds;
    if (most === undefined) return undefined;
    const has = await store.countWorlds(team);
    return has + count <= most ? undefined : { why: words.worlds(team, has, most, count) };
  }

  findTargets(team: string): readonly string[] {
    return this.#teams.get(team)?.row.targets ?? [];
  }

  registerMetrics(registry: MetricsRegistry): void {
    const register = (type: "counter" | "gauge", name: string, help: string, key: "requests" | "worlds" | "bytes") =>
      registerReading(registry, {
        type,
        name,
        help,
        labelNames: ["team"],
        read: () => Array.from(this.#teams, ([team, known]) => ({ labels: { team }, value: known[key] })),
      });
    register("counter", "sandbox_team_requests_total", "Requests that a team sent to this node.", "requests");
    register("gauge", "sandbox_team_worlds", "Worlds of a team.", "worlds");
    register("gauge", "sandbox_team_bytes", "Bytes of the worlds of a team.", "bytes");
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#exchangeOrWarn();
  }

  #minute(): number {
    return Math.floor(this.#deps.now() / MINUTE);
  }

  #isOutdated({ row, exchangedAt, sizedAt }: KnownTeam): boolean {
    const now = this.#deps.now();
    const isExchangeOld = hasRequestQuota(row) && now - exchangedAt > MAX_EXCHANGE_AGE_MS;
    return isExchangeOld || (hasByteQuota(row) && now - sizedAt > MAX_SIZE_AGE_MS);
  }

  /** Callers share an exchange that has not begun. */
  #exchange(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.#exchangeNow();
    });
    const own = this.#next;
    this.#running = own.catch(() => undefined);
    return own;
  }

  async #exchangeOrWarn(): Promise<void> {
    try {
      await this.#exchange();
      this.#hasWarned = false;
    } catch (reason) {
      const message = String((reason as Error).message ?? reason);
      if (!this.#hasWarned) this.#deps.warn(`The use of teams could not be written: ${message}`);
      this.#hasWarned = true;
    }
  }

  async #exchangeNow(): Promise<void> {
    // The ids are copied before the first wait. Later requests belong to the next exchange.
    const ids = new Set(this.#requested);
    this.#requested.clear();
    for (const [id, { use }] of this.#teams) if (use.since > 0) ids.add(id);
    if (ids.size === 0) return;
    const current = await this.#loadTeams(ids);
    await this.#addUsed(current.filter(({ row, use }) => use.since > 0 || hasRequestQuota(row)));
    await this.#measure(current);
  }

  async #loadTeams(ids: ReadonlySet<string>): Promise<KnownTeam[]> {
    const rows = await this.#deps.store.teams();
    const existing = new Set(rows.map(({ id }) => id));
    for (const id of this.#teams.keys()) if (!existing.has(id)) this.#teams.delete(id);
    return rows.flatMap((row) => {
      if (!ids.has(row.id)) return [];
      const fresh = { exchangedAt: NEVER, requests: 0, worlds: 0, bytes: 0, sizedAt: NEVER };
      const known = this.#teams.get(row.id) ?? { row, use: createUse(this.#minute()), ...fresh };
      known.row = row;
      this.#teams.set(row.id, known);
      return [known];
    });
  }

  async #addUsed(active: readonly KnownTeam[]): Promise<void> {
    if (active.length === 0) return;
    const at = this.#deps.now();
    const minute = Math.floor(at / MINUTE);
    // The rest of a past minute is sent too. The next exchange is about the new minute.
    for (const known of active) if (known.use.minute !== minute && known.use.since === 0) known.use = createUse(minute);
    const sent = active.map(({ row, use }) => ({ team: row.id, use, minute: use.minute, requests: use.since }));
    // A failed statement may have been carried out, so a team may be counted too high for a minute.
    const rows = await this.#deps.store.addUsed(sent.map(({ use: _, ...row }) => row));
    const totals = new Map(rows.map(({ team, requests }) => [team, requests]));
    for (const { team, use, requests } of sent) {
      use.total = totals.get(team) ?? use.total + requests;
      use.since -= requests;
    }
    for (const known of active) known.exchangedAt = at;
  }

  async #measure(current: readonly KnownTeam[]): Promise<void> {
    const { store, now } = this.#deps;
    for (const known of current) {
      // Sizes are measured one exchange early, because the next exchange would be too late.
      const age = (hasByteQuota(known.row) ? MAX_SIZE_AGE_MS : MAX_UNLIMITED_SIZE_AGE_MS) - EXCHANGE_MS;
      if (now() - known.sizedAt <= age) continue;
      const at = now();
      const sizes = await store.sizes(known.row.id);
      known.worlds = sizes.length;
      known.bytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
      known.sizedAt = at;
    }
  }
}
