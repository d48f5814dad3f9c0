// The control tokens of a team. Admission has checked who asks.
import { isDuration, reject } from "../../engine/domain/index.ts";
import { done, handlersWith, ok } from "../../engine/http/control/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import type { TokenRow } from "../teams/team-rows.ts";
import type { Teams } from "../teams/teams.ts";
import { findTeam } from "./team.ts";
import { findVisitor } from "./visitor.ts";

function omitTeam({ team: _, ...token }: TokenRow) {
  return token;
}

export const controlTokenHandlers = (teams: Teams) =>
  handlersWith()({
    async listControlTokens({ path }) {
      const { id } = await findTeam(teams, path.teamId);
      return ok({ items: (await teams.store.tokens(id)).map(omitTeam) });
    },
    /** The role of the token is not above that of its creator: only owners and the operator are admitted. */
    async createControlToken({ path, body, exchange }) {
      // For the caller, unless another subject is named.
      const { role, expires, subject = findVisitor(exchange)?.principal?.subject ?? "operator" } = body;
      if (expires !== undefined && !isDuration(expires)) {
        const what = `${expires} is not an ISO 8601 duration. Write P90D for ninety days, or PT8H for eight hours.`;
        return reject("INVALID_INPUT", { path: "body.expires", what });
      }
      const { id } = await findTeam(teams, path.teamId);
      const created = await teams.createToken({ team: id, role, subject, expires });
      if (created === undefined) {
        const what = `${expires} ends before it begins. Write P90D for ninety days.`;
        return reject("INVALID_INPUT", { path: "body.expires", what });
      }
      const { row, token } = created;
      // The token is in this response only: the database has its hash.
      return { status: 201, headers: { "cache-control": "no-store" }, body: { ...row, token } };
    },
    async revokeControlToken({ path }) {
      if (await teams.store.revokeToken(path.teamId, path.tokenId)) return done;
      throw new HttpError(404, `The team ${path.teamId} has no token ${path.tokenId}.`, {
        list: "GET /_sandbox/teams/{teamId}/tokens",
      });
    },
  });
