// Whether a world may be made: a team has room for it, and nobody has its id.
import type { Teams } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import { mustHaveWorldsLeft } from "./quota-errors.ts";

export const worldExists = (id: string): HttpError =>
  new HttpError(409, `There is a world ${id} already. Choose another id, or leave it out.`, { code: "WORLD_EXISTS" });

/** Ids of worlds are the same for all teams, and the id of a team is that of its default world. */
export async function mayMakeWorlds(teams: Teams, team: string | null, id: string | undefined): Promise<void> {
  if (team !== null) await mustHaveWorldsLeft(teams, team, 1);
  if (id === undefined) return;
  const isOfATeam = id !== team && (await teams.store.teams(id)).length > 0;
  if (isOfATeam || (await teams.teamOf(id)) !== undefined) throw worldExists(id);
}
