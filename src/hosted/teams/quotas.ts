// Counts what teams use of their quotas. Nodes count requests and exchange the counts every two seconds, so together
// they can exceed a quota by what they admit in that time. Bytes are up to ten seconds old. The database's clock
// decides when a minute begins.
import { type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import type { Team, TeamStore } from "../postgres/team-store.ts";

interface QuotasDeps {
  store: Pick<TeamStore, "addRequests" | "sizes">;
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
  row: Team;
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
/** A measurement reads the sizes of all rows of a team's worlds. Without a quota, sizes are only for the metrics. */
const MAX_SIZE_AGE_MS = 10_000;
const MAX_UNLIMITED_SIZE_AGE_MS = 60_000;
const MINUTE = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;

// English thousands in any locale, because the sentences are English.
const formatNumber = (amount: number): string => amount.toLocaleString("en-US");
const explainRaise = (team: string, option: string): string =>
  ` The operator can raise it with \`sandbox team quota ${team} --${option} N\`.`;

/** `has` and `most`: worlds that the team has and may have. `count`: worlds that it wants. */
export function explainFullTeam(team: string, has: number, most: number, count: number): string {
  const wanted = count === 1 ? "another" : `${count} more`;
  return `Team ${team} has ${has} of ${most} worlds, so it can't have ${wanted}. Remove some.${explainRaise(team, "worlds")}`;
}

/** A team that is not loaded has no limits. */
export class Quotas {
  readonly #deps: QuotasDeps;
  readonly #teams = new Map<string, KnownTeam>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #hasWarned = false;

  constructor(deps: QuotasDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#exchangeAll(), EXCHANGE_MS).unref();
  }

  /** Returns undefined if the team is in memory with recent figures. */
  load(team: string): Promise<void> | undefined {
    const known = this.#teams.get(team);
    if (known && this.#deps.now() - known.exchangedAt <= MAX_EXCHANGE_AGE_MS) return undefined;
    // The last known figures apply while the database does not respond.
    return this.#exchangeOnce(team).catch((reason) => {
      if (!this.#teams.has(team)) throw reason;
    });
  }

  /** Counts a request, or throws 429. A rejected request is not counted. */
  countRequest(team: string): void {
    const known = this.#teams.get(team);
    if (!known) return;
    const now = this.#deps.now();
    const use = startMinute(known, now);
    const most = known.row.quotas.requests_per_minute ?? Number.POSITIVE_INFINITY;
    if (use.total + use.since >= most) {
      const seconds = Math.max(1, Math.ceil((MINUTE - (now % MINUTE)) / 1000));
      const why = `Team ${team} has made ${formatNumber(most)} requests in this minute, which is its quota. Wait ${seconds} s.${explainRaise(team, "requests")}`;
      throw new HttpError(429, why, { code: "TOO_MANY_REQUESTS", headers: { "retry-after": String(seconds) } });
    }
    use.since++;
    known.requests++;
  }

  /** Throws 409 if the worlds of the team may not grow. */
  assertRoomToGrow(team: string): void {
    const known = this.#teams.get(team);
    const most = known?.row.quotas.bytes;
    if (!known || most === undefined || known.bytes < most) return;
    const why = `The worlds of team ${team} take ${formatNumber(known.bytes)} bytes; its quota is ${formatNumber(most)}. Remove or reset worlds.${explainRaise(team, "bytes")}`;
    throw new HttpError(409, why, { code: "QUOTA_EXCEEDED" });
  }

  findTargets(team: string): readonly string[] {
    return this.#teams.get(team)?.row.webhook_targets ?? [];
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
    await this.#exchangeAll();
  }

  async #exchangeAll(): Promise<void> {
    const active = Array.from(this.#teams).filter(([, { use }]) => use.since > 0);
    const outcomes = await Promise.allSettled(active.map(([team]) => this.#exchangeOnce(team)));
    const failure = outcomes.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
    if (failure && !this.#hasWarned)
      this.#deps.warn(`The use of teams could not be written: ${failure.reason.message}`);
    this.#hasWarned = failure !== undefined;
  }

  #exchangeOnce(team: string): Promise<void> {
    const running = this.#running.get(team) ?? this.#exchange(team).finally(() => this.#running.delete(team));
    this.#running.set(team, running);
    return running;
  }

  async #exchange(team: string): Promise<void> {
    const { store, now } = this.#deps;
    const at = now();
    const before = this.#teams.get(team);
    // The count of a past minute is dropped, because nothing reads it.
    const use = before ? startMinute(before, at) : createUse(at);
    const { minute, since } = use;
    // A failed statement may have been carried out, so a team may be counted too high for a minute.
    const row = await store.addRequests(team, minute, since);
    if (!row) return void this.#teams.delete(team);
    const known = before ?? { row, use, exchangedAt: at, requests: 0, worlds: 0, bytes: 0, sizedAt: NEVER };
    use.total = row.requests;
    use.since -= since;
    Object.assign(known, { row, exchangedAt: at });
    // Sizes are measured one exchange early, because the next exchange would be too late.
    const age = (row.quotas.bytes === undefined ? MAX_UNLIMITED_SIZE_AGE_MS : MAX_SIZE_AGE_MS) - EXCHANGE_MS;
    if (at - known.sizedAt > age) {
      const sizes = await store.sizes(team);
      Object.assign(known, { worlds: sizes.length, sizedAt: at });
      known.bytes = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    }
    this.#teams.set(team, known);
  }
}

/** Returns the use of the current minute. */
function startMinute(known: KnownTeam, now: number): Use {
  if (known.use.minute !== Math.floor(now / MINUTE)) known.use = createUse(now);
  return known.use;
}

const createUse = (now: number): Use => ({ minute: Math.floor(now / MINUTE), total: 0, since: 0 });
