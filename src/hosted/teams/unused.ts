// Removes worlds that nobody has used for longer than their team keeps them, on whichever node looks first, and writes that down.
import type { RequestsPort, TeamsPort, WorldsPort } from "../../engine/app/application.ts";
import type { UnusedWorld } from "../../engine/app/team-store.ts";
import type { Teams } from "../../engine/app/teams.ts";

/** Of one statement. */
const MOST = 20;
/** Limits are in days, so ten minutes are early enough. */
const EVERY_MS = 10 * 60_000;

type UnusedDeps = Pick<WorldsPort, "worlds" | "states"> & Pick<RequestsPort, "durable"> & TeamsPort;

/** Returns a function that ends it. */
export function removeUnusedRegularly(parts: UnusedDeps & Pick<RequestsPort, "warn">): () => void {
  const removeAll = () =>
    removeUnused(parts).catch((reason) => parts.warn(`Unused worlds could not be removed: ${String(reason)}`));
  const timer = setInterval(removeAll, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** The ids of those that are gone. What lives on another node is removed by that one. */
export async function removeUnused(parts: UnusedDeps): Promise<string[]> {
  // Without teams nobody has set a number of days.
  const { teams, hosted } = parts;
  const [removed, seen]: [string[], string[]] = [[], []];
  if (!teams || !hosted) return removed;
  for (;;) {
    const found = await teams.store.unusedWorlds(MOST, seen);
    for (const unused of found) {
      seen.push(unused.id);
      // It has to be open here to be removed: then no other node can serve it meanwhile.
      const location = await hosted.locate(unused.id);
      if (location.is !== "here") continue;
      try {
        if (await remove(parts, teams, unused)) removed.push(unused.id);
      } finally {
        location.lease.release();
      }
    }
    if (found.length < MOST) return removed;
  }
}

/** Whether it was removed: somebody may have used it meanwhile, and nobody but this node can tell. */
async function remove(
  { worlds, states, durable: committed }: UnusedDeps,
  teams: Teams,
  { id, team, days }: UnusedWorld,
): Promise<boolean> {
  // What this node has counted is written first, or the look would not see its own use.
  await teams.limits.tell();
  const isUnused = await teams.store.isUnused(id);
  const world = worlds.get(id);
  if (!world || !isUnused || teams.limits.isUsed(id)) return false;
  states.remove(world);
  await committed(id);
  const entry = { team, subject: "sandbox", token: "", action: "removeUnusedWorld", world: id, status: 204 };
  await teams.note({ ...entry, detail: { unused_days: days } });
  return true;
}
