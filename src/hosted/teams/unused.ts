// Removes worlds that nobody has used for longer than their team keeps them, on whichever node looks first, and writes that down.
import type { Application } from "../../engine/app/application.ts";
import type { Guest } from "../../engine/app/hosted.ts";
import type { Teams } from "../../engine/app/teams.ts";

const MOST = 20;
const EVERY_MS = 10 * 60_000;

type Parts = Pick<Application, "teams" | "worlds" | "states" | "committed" | "hosted">;

/** Returns a function that ends it. */
export function keepTidy(parts: Parts & Pick<Application, "warn">): () => void {
  const tidy = () =>
    removeUnused(parts).catch((reason) => parts.warn(`Unused worlds could not be removed: ${String(reason)}`));
  const timer = setInterval(tidy, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** The ids of those that are gone. */
export async function removeUnused(parts: Parts): Promise<string[]> {
  const { teams, hosted } = parts;
  const removed: string[] = [];
  if (!teams || !hosted) return removed;
  const guests: Guest[] = [];
  try {
    for (const { id } of await teams.store.unusedWorlds(MOST)) {
      const place = await hosted.place(id);
      if (place.is === "here") guests.push(place.guest);
    }
    if (guests.length === 0) return removed;
    // Some may have been used meanwhile.
    for (const unused of await teams.store.unusedWorlds(MOST))
      if (await remove(parts, teams, unused)) removed.push(unused.id);
    return removed;
  } finally {
    for (const guest of guests) guest.leave();
  }
}

/** Whether it lives here. */
async function remove(
  { worlds, states, committed }: Parts,
  teams: Teams,
  { id, team, days }: { id: string; team: string; days: number },
): Promise<boolean> {
  const world = worlds.get(id);
  if (!world) return false;
  states.remove(world);
  await committed(id);
  const entry = { team, subject: "sandbox", token: "", action: "removeUnusedWorld", world: id, status: 204 };
  await teams.note({ ...entry, detail: { unused_days: days } });
  return true;
}
