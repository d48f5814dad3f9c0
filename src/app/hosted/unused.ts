// Removes worlds that nobody has used for longer than their team keeps them, on whichever node looks first, and writes that down.
import type { Application } from "../application.ts";

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
export async function removeUnused({ teams, worlds, states, committed, hosted }: Parts): Promise<string[]> {
  const removed: string[] = [];
  if (!teams) return removed;
  for (const { id, team, days } of await teams.store.unusedWorlds(MOST)) {
    const place = await hosted?.place(id);
    const world = worlds.get(id);
    try {
      // It may have been used meanwhile.
      if (!world || !(await teams.store.unusedWorlds(MOST)).some((each) => each.id === id)) continue;
      states.remove(world);
      await committed(id);
      removed.push(id);
      const detail = { unused_days: days };
      await teams.note({
        team,
        subject: "sandbox",
        token: "",
        action: "removeUnusedWorld",
        world: id,
        status: 204,
        detail,
      });
    } finally {
      if (place?.is === "here") place.guest.leave();
    }
  }
  return removed;
}
