// Removes worlds that nobody has used for longer than their team keeps them, on whichever node looks first, and writes that down.
import type { Application } from "../application.ts";

const MOST = 20;
const EVERY_MS = 10 * 60_000;

interface Guest {
  leave(): void;
}

type Parts = Pick<Application, "teams" | "worlds" | "states" | "committed"> & {
  /** Where there are several nodes: brings a world to this one, unless it lives elsewhere. */
  hosted?: { place(world: string): Promise<{ is: string; guest?: Guest }> } | undefined;
};

/** As long as the process lasts. */
export function keepTidy(parts: Parts & Pick<Application, "warn">): void {
  const tidy = () =>
    removeUnused(parts).catch((reason) => parts.warn(`Unused worlds could not be removed: ${String(reason)}`));
  if (parts.teams) setInterval(tidy, EVERY_MS).unref();
}

/** The ids of those that are gone. */
export async function removeUnused({ teams, worlds, states, committed, hosted }: Parts): Promise<string[]> {
  const removed: string[] = [];
  if (!teams) return removed;
  for (const { id, team, days } of await teams.store.unusedWorlds(MOST)) {
    const guest = (await hosted?.place(id))?.guest;
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
      guest?.leave();
    }
  }
  return removed;
}
