// The control tokens of a team. Admission has checked the caller.
import { isDuration, rejectInput } from "../../engine/domain/index.ts";
import { defineHandlers, done, ok } from "../../engine/http/control/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import type { TokenRow } from "../teams/team-rows.ts";
import type { Teams } from "../teams/teams.ts";
import { findTeam } from "./team.ts";
import { findVisitor } from "./visitor.ts";

function omitTeam({ team: _, ...token }: TokenRow) {
  return token;
}

export const createControlTokenHandlers = (teams: Teams) =>
  defineHandlers({
    async listControlTokens({ path }) {
      const { id } = await findTeam(teams, path.teamId);
      return ok({ items: (await teams.store.tokens(id)).map(omitTeam) });
    },
    /** Admission accepts only owners and the operator here, so the role of the token is not above that of its creator. */
    async createControlToken({ path, body, exchange }) {
      // A request without a subject creates a token for the caller.
      const { role, expires, subject = findVisitor(exchange)?.principal?.subject ?? "operator" } = body;
      if (expires !== undefined && !isDuration(expires))
        rejectInput(
          "body.expires",
          `${expires} is not an ISO 8601 duration. Write P90D for ninety days, or PT8H for eight hours.`,
        );
      const { id } = await findTeam(teams, path.teamId);
      const created = await teams.createToken({ team: id, role, subject, expires });
      if (!created) return rejectInput("body.expires", `${expires} ends before it begins. Write P90D for ninety days.`);
      const { row, token } = created;
      // The token is only in this response. The database has its hash.
      return { status: 201, headers: { "cache-control": "no-store" }, body: { ...row, token } };
    },
    async revokeControlToken({ path }) {
      if (await teams.store.revokeToken(path.teamId, path.tokenId)) return done;
      throw new HttpError(404, `The team ${path.teamId} has no token ${path.tokenId}.`, {
        list: "GET /_sandbox/teams/{teamId}/tokens",
      });
    },
  });
