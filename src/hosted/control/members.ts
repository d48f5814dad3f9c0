// The members of a team. Admission has checked the caller.
import { defineHandlers, done, ok } from "../../engine/http/control/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import type { Teams } from "../teams/teams.ts";
import { findTeam } from "./team.ts";

export const createMemberHandlers = (teams: Teams) =>
  defineHandlers({
    async listMembers({ path }) {
      const { id } = await findTeam(teams, path.teamId);
      return ok({ items: await teams.store.members(id) });
    },
    async setMember({ path, body }) {
      const { id } = await findTeam(teams, path.teamId);
      return ok(await teams.store.setMember(id, path.subject, body.role));
    },
    async removeMember({ path }) {
      if (await teams.store.removeMember(path.teamId, path.subject)) return done;
      throw new HttpError(404, `The team ${path.teamId} has no member ${path.subject}.`, {
        list: "GET /_sandbox/teams/{teamId}/members",
      });
    },
  });
