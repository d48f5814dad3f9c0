// What teams use against their quotas. Requests and webhook attempts are counted here and added to those of the other nodes every two
// seconds, so that a team can exceed a quota by what all nodes take in two seconds; bytes are as of ten seconds ago.

import type { Full, Limits } from "../../engine/app/teams.ts";
import type { TeamRow, TeamStore, Used, WorldSize } from "../../engine/world/store/team-store.ts";
import { quotaWords as words } from "./quota-words.ts";

interface Needs {
  store: Pick<TeamStore, "teams" | "addUsed" | "worldsUsed" | "sizes" | "countWorlds">;
  wall(): number;
  warn(sentence: string): void;
}

interface Known {
  row: TeamRow;
  minute: number;
  /** Of all nodes in this minute, as of the last exchange with them, and of this node since. */
  told: Used;
  since: Used;
  sizes: readonly WorldSize[];
  sizedAt: number;
}

const EXCHANGE_MS = 2000;
const SIZES_MS = 10_000;
const MINUTE = 60_000;
const nothing = (team: string): Used => ({ team, requests: 0, attempts: 0 });

export function makeQuotas({ store, wall, warn }: Needs): Limits & { close(): Promise<void> } {
  const teams = new Map<string, Known>();
  const learning = new Map<string, Promise<void>>();
  const worlds = new Set<string>();
  let said = false;

  async function learn(team: string): Promise<void> {
    const [row] = await store.teams(team);
    const sizes = row && needsSizes(row) ? await store.sizes(team) : [];
    if (row && !teams.has(team)) teams.set(team, { row, ...fresh(team, minuteNow()), sizes, sizedAt: wall() });
  }
  const minuteNow = () => Math.floor(wall() / MINUTE);
  const secondsLeft = () => Math.max(1, Math.ceil((MINUTE - (wall() % MINUTE)) / 1000));

  function current(team: string): Known | undefined {
    const known = teams.get(team);
    if (known && known.minute !== minuteNow()) Object.assign(known, fresh(team, minuteNow()));
    return known;
  }

  async function exchange(): Promise<void> {
    const active = [...teams.values()].filter(({ since }) => since.requests + since.attempts > 0);
    const seen = [...worlds];
    worlds.clear();
    if (active.length === 0 && seen.length === 0) return;
    const sent = active.map(({ since }) => since);
    for (const known of active) known.since = nothing(known.row.id);
    const totals = new Map((await store.addUsed(sent)).map((total) => [total.team, total]));
    for (const known of active) known.told = totals.get(known.row.id) ?? known.told;
    await refresh(active);
    await store.worldsUsed(seen);
  }

  async function refresh(active: readonly Known[]): Promise<void> {
    const rows = new Map((await store.teams()).map((row) => [row.id, row]));
    for (const id of teams.keys()) if (!rows.has(id)) teams.delete(id);
    for (const known of active) {
      known.row = rows.get(known.row.id) ?? known.row;
      if (!needsSizes(known.row) || wall() - known.sizedAt < SIZES_MS) continue;
      known.sizes = await store.sizes(known.row.id);
      known.sizedAt = wall();
    }
  }

  async function exchangeOrSay(): Promise<void> {
    await exchange().then(
      () => (said = false),
      (reason) => {
        if (!said) warn(`What teams use could not be written: ${String((reason as Error).message ?? reason)}`);
        said = true;
      },
    );
  }
  let running: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(exchangeOrSay);
  }, EXCHANGE_MS);
  timer.unref();

  return {
    known(team) {
      if (teams.has(team)) return undefined;
      const waiting = learning.get(team) ?? learn(team).finally(() => learning.delete(team));
      learning.set(team, waiting);
      return waiting;
    },
    request(team, world): Full | undefined {
      if (world !== undefined) worlds.add(world);
      const known = current(team);
      const most = known?.row.quotas.requests_per_minute ?? Number.POSITIVE_INFINITY;
      if (!known) return undefined;
      if (known.told.requests + known.since.requests >= most) {
        const seconds = secondsLeft();
        return { why: words.requests(team, most, seconds), seconds };
      }
      known.since.requests++;
      return undefined;
    },
    growth(team, world): Full | undefined {
      const known = current(team);
      if (!known) return undefined;
      const { bytes, bytes_per_world } = known.row.quotas;
      const all = known.sizes.reduce((sum, size) => sum + size.bytes, 0);
      const own = known.sizes.find(({ id }) => id === world)?.bytes ?? 0;
      if (bytes_per_world !== undefined && own >= bytes_per_world)
        return { why: words.bytesOfWorld(team, world, own, bytes_per_world) };
      return bytes === undefined || all < bytes ? undefined : { why: words.bytes(team, all, bytes) };
    },
    async moreWorlds(team, count): Promise<Full | undefined> {
      const [row] = await store.teams(team);
      const most = row?.quotas.worlds;
      if (most === undefined) return undefined;
      const has = await store.countWorlds(team);
      return has + count <= most ? undefined : { why: words.worlds(team, has, most, count) };
    },
    attempt(team) {
      const known = current(team);
      if (!known) return 0;
      const most = known.row.quotas.webhook_attempts_per_minute ?? Number.POSITIVE_INFINITY;
      if (known.told.attempts + known.since.attempts >= most) return secondsLeft() * 1000;
      known.since.attempts++;
      return 0;
    },
    targets: (team) => teams.get(team)?.row.targets ?? [],
    async close() {
      clearInterval(timer);
      await running;
      await exchangeOrSay();
    },
  };
}

const fresh = (team: string, minute: number) => ({ minute, told: nothing(team), since: nothing(team) });

const needsSizes = ({ quotas }: TeamRow): boolean => quotas.bytes !== undefined || quotas.bytes_per_world !== undefined;
