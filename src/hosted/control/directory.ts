// The worlds of all nodes and their teams, for the control API.
import type { WorldDirectory } from "../../engine/app/index.ts";
import { createWorldExists } from "../../engine/http/extension/index.ts";
import type { Hosted } from "../ownership/hosted-node.ts";
import type { Teams } from "../teams/teams.ts";
import { assertRoomForWorlds } from "./quota-errors.ts";

export function createDirectory(store: Pick<WorldDirectory, "list">, hosted: Hosted, teams: Teams): WorldDirectory {
  return {
    list: (account) => store.list(account),
    release: (world, isUnused) => hosted.release(world, isUnused),
    async prepare({ account, id, copyOf, count }) {
      const team = copyOf === undefined ? account : ((await teams.findTeam(copyOf)) ?? null);
      if (team !== null) await assertRoomForWorlds(teams, team, count);
      if (id !== undefined) await assertFreeId(teams, team, id);
      // The first commit needs the team.
      return (create) => teams.runForTeam(team, create);
    },
  };
}

/** Ids of worlds are unique over all teams. The id of a team is that of its default world. */
async function assertFreeId(teams: Teams, team: string | null, id: string): Promise<void> {
  const isOfTeam = id !== team && (await teams.store.teams(id)).length > 0;
  if (isOfTeam || (await teams.findTeam(id)) !== undefined) throw createWorldExists(id);
}
