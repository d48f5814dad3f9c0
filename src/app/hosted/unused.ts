// Removes worlds that nobody has used for longer than their team keeps them, on whichever node looks first, and writes that down.
import type { Application } from "../application.ts";

const MOST = 20;

type Parts = Pick<Application, "teams" | "worlds" | "states" | "committed"> & {
  /** Brings the world to this node; undefined where it lives elsewhere. */
  enter(world: string): Promise<{ leave(): void } | undefined>;
};

/** The ids of those that are gone. */
export async function removeUnused({ teams, worlds, states, committed, enter }: Parts): Promise<string[]> {
  const removed: string[] = [];
  if (!teams) return removed;
  for (const { id, team, days } of await teams.store.unusedWorlds(MOST)) {
    const guest = await enter(id);
    const world = guest && worlds.get(id);
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
      guest?.leave();
    }
  }
  return removed;
}
