// Helpers of the operations about teams. The default world of a team has the id of the team.
import type { WorldsPort } from "../../engine/app/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import type { TeamRow } from "../teams/team-rows.ts";
import type { Teams } from "../teams/teams.ts";

export function createDefaultWorld(application: WorldsPort, teams: Teams, team: string): void {
  if (application.worlds.get(team)) return;
  teams.runForTeam(team, () => application.states.create({ id: team }));
}

export const createNoTeam = (id: string): HttpError =>
  new HttpError(404, `There is no team ${id.slice(0, 60)}.`, { list: "GET /_sandbox/teams" });

/** Rejects with 404. */
export async function findTeam(teams: Teams, id: string): Promise<TeamRow> {
  const [team] = await teams.store.teams(id);
  if (!team) throw createNoTeam(id);
  return team;
}

/** Formats a team for the control API. */
export const showTeam = ({ id, name, quotas, targets, created_at }: TeamRow) => ({
  id,
  name,
  created_at,
  default_world: id,
  quotas,
  webhook_targets: targets,
});
