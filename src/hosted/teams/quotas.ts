// What teams use of their quotas. Each node counts requests and exchanges the counts with the other nodes every two seconds, so that all
// nodes together can exceed a quota by what they admit in that time. Bytes are as of ten seconds ago. Minutes are those of the database.
import { type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { quotaWords as words } from "./quota-words.ts";
import type { TeamRow } from "./team-rows.ts";

/** A quota that is met: a sentence that says how to go on, and for how many seconds it holds. */
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
  /** Of all nodes, as of the last exchange. */
  total: number;
  /** Of this node, and not written yet. */
  since: number;
}

interface KnownTeam {
  row: TeamRow;
  use: Use;
  exchangedAt: number;
  /** On this node since its start, for the metrics. */
  requests: number;
  worlds: number;
  bytes: number;
  sizedAt: number;
}

const EXCHANGE_MS = 2000;
/** An exchange that is under way is no reason for another one. */
const EXCHANGED_MS = EXCHANGE_MS + 500;
/** Measuring reads the sizes of all rows of a team's worlds, so it is not done for each request. */
const SIZES_MS = 10_000;
/** For the metrics alone. */
const SIZES_WITHOUT_QUOTA_MS = 60_000;
const MINUTE = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

const createUse = (minute: number): Use => ({ minute, total: 0, since: 0 });
const countsRequests = ({ quotas }: TeamRow): boolean => quotas.requests_per_minute !== undefined;
const limitsBytes = ({ quotas }: TeamRow): boolean => quotas.bytes !== undefined;

/** Teams that are not loaded have no limits. */
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

  /** Undefined when the team is in memory, with what it used of late. */
  load(team: string): Promise<void> | undefined {
    const known = this.#teams.get(team);
    if (known && !this.#isOutdated(known)) return undefined;
    this.#requested.add(team);
    // The last known figures apply while the database does not respond.
    return this.#exchange().catch((reason) => {
      if (!this.#teams.has(team)) throw reason;
    });
  }

  /** Counts a request, or returns why there may be none. A rejected request is not counted. */
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

  whyNotGrow(team: string): Full | undefined {
    const known = this.#teams.get(team);
    const most = known?.row.quotas.bytes;
    if (!known || most === undefined || known.bytes < most) return undefined;
    return { why: words.bytes(team, known.bytes, most) };
  }

  /** An early answer in words. The batch that stores the worlds decides, under a lock, since other nodes create worlds too. */
  async whyNotMoreWorlds(team: string, count: number): Promise<Full | undefined> {
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
    return (countsRequests(row) && now - exchangedAt > EXCHANGED_MS) || (limitsBytes(row) && now - sizedAt > SIZES_MS);
  }

  /** All that ask before it begins share it. */
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
      if (!this.#hasWarned) this.#deps.warn(`What teams use could not be written: ${message}`);
      this.#hasWarned = true;
    }
  }

  async #exchangeNow(): Promise<void> {
    // Taken before the first wait, so that what is requested later belongs to the next exchange.
    const requested = [...this.#requested];
    this.#requested.clear();
    const counted = [...this.#teams.values()].filter(({ use }) => use.since > 0).map(({ row }) => row.id);
    const current = await this.#loadTeams([...new Set([...requested, ...counted])]);
    await this.#addUsed(current.filter(({ row, use }) => use.since > 0 || countsRequests(row)));
    await this.#measure(current);
  }

  async #loadTeams(ids: readonly string[]): Promise<KnownTeam[]> {
    if (ids.length === 0) return [];
    const rows = new Map((await this.#deps.store.teams()).map((row) => [row.id, row]));
    // A team that was removed is forgotten.
    for (const id of this.#teams.keys()) if (!rows.has(id)) this.#teams.delete(id);
    return ids.flatMap((id) => {
      const row = rows.get(id);
      if (!row) return [];
      const fresh = { exchangedAt: NEVER, requests: 0, worlds: 0, bytes: 0, sizedAt: NEVER };
      const known = this.#teams.get(id) ?? { row, use: createUse(this.#minute()), ...fresh };
      known.row = row;
      this.#teams.set(id, known);
      return [known];
    });
  }

  async #addUsed(active: readonly KnownTeam[]): Promise<void> {
    if (active.length === 0) return;
    const at = this.#deps.now();
    const minute = Math.floor(at / MINUTE);
    // The rest of a minute that is over is sent too, and the next exchange asks for the new minute.
    for (const known of active) if (known.use.minute !== minute && known.use.since === 0) known.use = createUse(minute);
    const sent = active.map(({ row, use }) => ({ team: row.id, use, minute: use.minute, requests: use.since }));
    // Where it fails they may be written all the same: a team is counted too high for a minute rather than too low.
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
      // The next exchange would be too late.
      const age = (limitsBytes(known.row) ? SIZES_MS : SIZES_WITHOUT_QUOTA_MS) - EXCHANGE_MS;
      if (now() - known.sizedAt <= age) continue;
      const at = now();
      const sizes = await store.sizes(known.row.id);
      known.worlds = sizes.length;
      known.bytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
      known.sizedAt = at;
    }
  }
}
