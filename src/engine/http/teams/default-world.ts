// The default world of a team: the world with its id.
import type { Teams, WorldsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";

export function makeDefaultWorld(application: WorldsPort, teams: Teams, team: string): void {
  if (application.worlds.get(team)) return;
  teams.makesFor(team, () => application.states.create({ id: team }));
}

export const noTeam = (id: string): HttpError =>
  new HttpError(404, `There is no team ${id.slice(0, 60)}.`, { list: "GET /_sandbox/teams" });
