// Teams. Admission has checked the caller.
import { defineHandlers, done, ok, type Requested } from "../../engine/http/control/index.ts";
import { type Answer, HttpError } from "../../engine/http/extension/index.ts";
import type { Teams } from "../teams/teams.ts";
import { rejectNul } from "./admission.ts";
import { createDefaultWorld, createNoTeam, findTeam, showTeam } from "./team.ts";

export const createTeamHandlers = (teams: Teams) =>
  defineHandlers({
    async listTeams({ exchange }) {
      const rows = await teams.store.teams(exchange.caller?.account ?? undefined);
      return ok({ items: rows.map(showTeam) });
    },
    async createTeam({ application, body }) {
      const { id, name = id, quotas = {} } = body;
      if (name.includes("\0")) rejectNul("body.name");
      // `default` names the default world of the caller.
      const row = id === "default" ? undefined : await teams.store.addTeam({ id, name, quotas });
      if (row) {
        // A member can begin at once.
        createDefaultWorld(application, teams, id);
        return { status: 201, body: showTeam(row) };
      }
      const message = `There is a team or a world ${id} already. Choose another id: it is the name of the team's default world too.`;
      throw new HttpError(409, message, { code: "TEAM_EXISTS" });
    },
    async getTeam({ path }) {
      const team = await findTeam(teams, path.teamId);
      const [sizes, requests] = await Promise.all([teams.store.sizes(team.id), teams.store.countRequests(team.id)]);
      const usage = {
        worlds: sizes.length,
        bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
        largest_world: sizes[0] ?? null,
        requests_per_minute: requests,
      };
      return ok({ ...showTeam(team), usage });
    },
    deleteTeam: (requested) => deleteTeam(requested, teams),
  });

/** Deletes a team with its default world, if it has no other. */
async function deleteTeam({ application, path: { teamId } }: Requested<"deleteTeam">, teams: Teams): Promise<Answer> {
  const { id } = await findTeam(teams, teamId);
  const others = (await teams.store.sizes(id)).filter((world) => world.id !== id);
  const own = application.worlds.get(id);
  if (others.length === 0 && own) {
    application.states.remove(own);
    // The world must be removed from the database before the team.
    await application.waitUntilDurable(id);
  }
  // Another world may have been created since.
  const count = others.length || (await teams.store.removeTeam(id));
  if (count === undefined) throw createNoTeam(id);
  if (count === 0) return done;
  const names = others.slice(0, 5).map((world) => world.id);
  const excerpt = [...names, ...(others.length > names.length ? ["…"] : [])].join(", ");
  const [noun, pronoun] = count === 1 ? ["world", "it"] : ["worlds", "them"];
  const message = `The team ${id} has ${count} ${noun} beside its default world (${excerpt}). Remove ${pronoun} first.`;
  throw new HttpError(409, message, { code: "TEAM_HAS_WORLDS" });
}
