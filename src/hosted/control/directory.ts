// The worlds of all nodes and their teams, for the control API.
import type { WorldDirectory } from "../../engine/app/index.ts";
import { createWorldExists } from "../../engine/http/extension/index.ts";
import type { HostedNode } from "../ownership/hosted-node.ts";
import type { Teams } from "../teams/teams.ts";

export function createDirectory(store: Pick<WorldDirectory, "list">, hosted: HostedNode, teams: Teams): WorldDirectory {
  return {
    list: (account) => store.list(account),
    release: (world) => hosted.release(world),
    async prepare({ account, id, copyOf }) {
      const team = copyOf === undefined ? account : ((await teams.findTeam(copyOf)) ?? null);
      if (id !== undefined) await assertFreeId(teams, team, id);
      // The first commit needs the team, and is rejected if the team has no room.
      return (create) => teams.runForTeam(team, create);
    },
  };
}

/** Ids of worlds are unique over all teams. The id of a team is that of its default world. */
async function assertFreeId(teams: Teams, team: string | null, id: string): Promise<void> {
  const isOfTeam = id !== team && (await teams.store.teams(id)).length > 0;
  if (isOfTeam || (await teams.findTeam(id)) !== undefined) throw createWorldExists(id);
}
