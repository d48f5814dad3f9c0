// What teams use against their quotas. Requests and webhook attempts are counted here and told to the other nodes every two seconds, so that
// a team can exceed a quota by what all nodes take in two seconds; bytes are as of ten seconds ago. Minutes are those of the database.

import type { TeamRow, TeamStore, UsedAmount, WorldSize } from "../../engine/app/team-store.ts";
import type { Full, Limits } from "../../engine/app/teams.ts";
import { quotaWords as words } from "./quota-words.ts";

interface QuotasDeps {
  store: Pick<TeamStore, "teams" | "addUsed" | "worldsUsed" | "sizes" | "countWorlds">;
  /** Ms since 1970 by the database's clock, which all nodes share. */
  now(): number;
  warn(sentence: string): void;
}

interface Use {
  minute: number;
  /** Of all nodes in this minute, as of the last exchange with them; of this node, on its way to them; and of this node since. */
  total: UsedAmount;
  sending: UsedAmount;
  since: UsedAmount;
}

interface KnownTeam {
  row: TeamRow;
  use: Use;
  exchangedAt: number;
  sizes: readonly WorldSize[];
  sizedAt: number;
}

/** Between two exchanges, of each node. */
const EXCHANGE_MS = 2000;
/** An exchange that is under way is no reason for another one. */
const EXCHANGED_MS = EXCHANGE_MS + 500;
/** Weighing reads the sizes of all rows of a team's worlds, so it is not done for each request. */
const SIZES_MS = 10_000;
const MINUTE = 60_000;
const NEVER = Number.NEGATIVE_INFINITY;
const NOTHING: UsedAmount = { requests: 0, attempts: 0 };

/** Of days that an unused world is kept. */
const USED_MS = 30 * MINUTE;
/** Worlds; forgetting them writes their use once more. */
const MOST_USES = 100_000;

const sum = (...all: UsedAmount[]): UsedAmount => ({
  requests: all.reduce((total, { requests }) => total + requests, 0),
  attempts: all.reduce((total, { attempts }) => total + attempts, 0),
});
const emptied = (minute: number): Use => ({ minute, total: NOTHING, sending: NOTHING, since: NOTHING });
const isCounted = ({ quotas }: TeamRow): boolean =>
  quotas.requests_per_minute !== undefined || quotas.webhook_attempts_per_minute !== undefined;
const isWeighed = ({ quotas }: TeamRow): boolean => quotas.bytes !== undefined || quotas.bytes_per_world !== undefined;

/** All methods but `known`, `tell`, `moreWorlds` and `close` answer from memory and are synchronous. */
export function makeQuotas(needs: QuotasDeps): Limits & { close(): Promise<void> } {
  const { store, now } = needs;
  const uses = makeUses(needs);
  const { teams, look, tell, close } = makeExchange(needs, uses);
  const minuteNow = () => Math.floor(now() / MINUTE);
  const secondsLeft = () => Math.max(1, Math.ceil((MINUTE - (now() % MINUTE)) / 1000));

  /** Counts one more of it, unless there were as many in this minute. */
  function isFull(known: KnownTeam, what: keyof UsedAmount, most: number | undefined): boolean {
    if (known.use.minute !== minuteNow()) known.use = emptied(minuteNow());
    const { total, sending, since } = known.use;
    if (sum(total, sending, since)[what] >= (most ?? Number.POSITIVE_INFINITY)) return true;
    known.use.since = { ...since, [what]: since[what] + 1 };
    return false;
  }
  /** What it is judged by is older than a quota says. */
  const isOld = ({ row, exchangedAt, sizedAt }: KnownTeam): boolean =>
    (isCounted(row) && now() - exchangedAt > EXCHANGED_MS) || (isWeighed(row) && now() - sizedAt > SIZES_MS);

  return {
    known(team) {
      const known = teams.get(team);
      return known && !isOld(known) ? undefined : look(team);
    },
    used: uses.note,
    isUsed: uses.isPending,
    tell,
    // Counts it, unless it is over the quota: what is refused costs no quota.
    request(team): Full | undefined {
      const known = teams.get(team);
      const most = known?.row.quotas.requests_per_minute;
      if (!known || !isFull(known, "requests", most)) return undefined;
      const seconds = secondsLeft();
      return { why: words.requests(team, most ?? 0, seconds), seconds };
    },
    growth(team, world): Full | undefined {
      const known = teams.get(team);
      if (!known) return undefined;
      const { bytes, bytes_per_world } = known.row.quotas;
      const all = known.sizes.reduce((total, size) => total + size.bytes, 0);
      const own = known.sizes.find(({ id }) => id === world)?.bytes ?? 0;
      if (bytes_per_world !== undefined && own >= bytes_per_world)
        return { why: words.bytesOfWorld(team, world, own, bytes_per_world) };
      return bytes === undefined || all < bytes ? undefined : { why: words.bytes(team, all, bytes) };
    },
    // An early answer in words; the batch decides under a lock, since other nodes make worlds too.
    async moreWorlds(team, count): Promise<Full | undefined> {
      const [row] = await store.teams(team);
      const most = row?.quotas.worlds;
      if (most === undefined) return undefined;
      const has = await store.countWorlds(team);
      return has + count <= most ? undefined : { why: words.worlds(team, has, most, count) };
    },
    attempt(team) {
      const known = teams.get(team);
      const most = known?.row.quotas.webhook_attempts_per_minute;
      return known && isFull(known, "attempts", most) ? secondsLeft() * 1000 : 0;
    },
    targets: (team) => teams.get(team)?.row.targets ?? [],
    close,
  };
}

type Uses = ReturnType<typeof makeUses>;

/** Which worlds are used, written now and then. */
function makeUses({ store, now }: Pick<QuotasDeps, "store" | "now">) {
  const notedAt = new Map<string, number>();
  const pending = new Set<string>();
  return {
    note(world: string): void {
      // Half an hour is fine enough for a limit that is counted in days.
      if (now() - (notedAt.get(world) ?? NEVER) < USED_MS) return;
      if (notedAt.size >= MOST_USES) notedAt.clear();
      notedAt.set(world, now());
      pending.add(world);
    },
    isPending: (world: string): boolean => pending.has(world),
    async write(): Promise<void> {
      const worlds = [...pending];
      if (worlds.length > 0) await store.worldsUsed(worlds);
      // Only after it was written: a failure writes them again with the next exchange.
      for (const world of worlds) pending.delete(world);
    },
  };
}

/** What is counted here is told to the other nodes, and what they have counted is taken over: every two seconds, and when it is asked for. */
function makeExchange({ store, now, warn }: QuotasDeps, uses: Uses) {
  const teams = new Map<string, KnownTeam>();
  const requested = new Set<string>();
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let hasWarned = false;

  async function exchange(): Promise<void> {
    // Taken before the first wait, so that what is asked for meanwhile belongs to the next exchange.
    const looked = [...requested];
    requested.clear();
    const counted = [...teams.values()].filter(({ use }) => use.since !== NOTHING).map(({ row }) => row.id);
    const current = await learn([...new Set([...looked, ...counted])]);
    await add(current.filter(({ row, use }) => use.since !== NOTHING || isCounted(row)));
    await weigh(current);
    await uses.write();
  }

  async function learn(ids: readonly string[]): Promise<KnownTeam[]> {
    if (ids.length === 0) return [];
    const rows = new Map((await store.teams()).map((row) => [row.id, row]));
    // A team that was removed is forgotten.
    for (const id of teams.keys()) if (!rows.has(id)) teams.delete(id);
    return ids.flatMap((id) => {
      const row = rows.get(id);
      if (!row) return [];
      const use = emptied(Math.floor(now() / MINUTE));
      const known = teams.get(id) ?? { row, use, exchangedAt: NEVER, sizes: [], sizedAt: NEVER };
      known.row = row;
      teams.set(id, known);
      return [known];
    });
  }

  async function add(active: readonly KnownTeam[]): Promise<void> {
    if (active.length === 0) return;
    const at = now();
    const minute = Math.floor(at / MINUTE);
    for (const known of active) {
      // The rest of a minute that is over is told too, and what is new is asked for with the next.
      if (known.use.minute !== minute && known.use.since === NOTHING) known.use = emptied(minute);
      // Moved before the statement: what is counted while it is under way is not sent twice and not lost.
      known.use.sending = known.use.since;
      known.use.since = NOTHING;
    }
    const sent = active.map(({ row, use }) => ({ team: row.id, use }));
    try {
      const totalsOfTeams = await store.addUsed(
        sent.map(({ team, use }) => ({ team, minute: use.minute, ...use.sending })),
      );
      const totals = new Map(totalsOfTeams.map((total) => [total.team, total]));
      for (const { team, use } of sent) use.total = totals.get(team) ?? sum(use.total, use.sending);
      for (const known of active) known.exchangedAt = at;
    } catch (reason) {
      // It may have been written all the same; a team is counted too high for a minute rather than too low.
      for (const { use } of sent) use.since = sum(use.since, use.sending);
      throw reason;
    } finally {
      for (const { use } of sent) use.sending = NOTHING;
    }
  }

  async function weigh(current: readonly KnownTeam[]): Promise<void> {
    for (const known of current) {
      // The next exchange would be too late.
      if (!isWeighed(known.row) || now() - known.sizedAt <= SIZES_MS - EXCHANGE_MS) continue;
      const at = now();
      known.sizes = await store.sizes(known.row.id);
      known.sizedAt = at;
    }
  }

  /** All that ask before it begins share it. */
  function tell(): Promise<void> {
    next ??= running.then(() => {
      next = undefined;
      return exchange();
    });
    const own = next;
    running = own.catch(() => undefined);
    return own;
  }
  const tellOrSay = () =>
    tell().then(
      () => {
        hasWarned = false;
      },
      (reason) => {
        if (!hasWarned) warn(`What teams use could not be written: ${String((reason as Error).message ?? reason)}`);
        hasWarned = true;
      },
    );
  const timer = setInterval(() => {
    void tellOrSay();
  }, EXCHANGE_MS);
  timer.unref();

  return {
    teams,
    tell,
    look(team: string): Promise<void> {
      requested.add(team);
      // What is known goes on to hold where the database does not answer.
      return tell().catch((reason) => {
        if (!teams.has(team)) throw reason;
      });
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await tellOrSay();
    },
  };
}
