// The control tokens of a team. The guard has checked who asks.
import type { TeamsPort, TokenRow } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { isDuration } from "../../domain/kernel/instant.ts";
import { HttpError } from "../errors.ts";
import { done, handlersWith, ok, type Requested } from "./handler.ts";
import { teamCalled, teamsOf } from "./teams.ts";

function withoutTeam({ team: _, ...token }: TokenRow) {
  return token;
}

/** The roles that a token gets are not above the one of who makes it: the guard lets only owners and the operator here. */
async function newToken({ application, path, body, exchange }: Requested<"createControlToken", TeamsPort>) {
  const teams = teamsOf(application);
  // For the one who asks, unless somebody else is named.
  const { role, expires, subject = exchange.principal?.subject ?? "operator" } = body;
  if (expires !== undefined && !isDuration(expires)) {
    const what = `${expires} is not an ISO 8601 duration. Write P90D for ninety days, or PT8H for eight hours.`;
    return reject("INVALID_INPUT", { path: "body.expires", what });
  }
  const { id } = await teamCalled(teams, path.teamId);
  const made = await teams.createToken({ team: id, role, subject, expires });
  if (made === undefined) {
    const what = `${expires} ends before it begins. Write P90D for ninety days.`;
    return reject("INVALID_INPUT", { path: "body.expires", what });
  }
  // The token is in this answer and nowhere else: only its hash is stored.
  return { status: 201, headers: { "cache-control": "no-store" }, body: { ...made.row, token: made.token } };
}

export const controlTokens = handlersWith<TeamsPort>()({
  async listControlTokens({ application, path }) {
    const { id } = await teamCalled(teamsOf(application), path.teamId);
    return ok({ items: (await teamsOf(application).store.tokens(id)).map(withoutTeam) });
  },
  createControlToken: newToken,
  async revokeControlToken({ application, path }) {
    if (await teamsOf(application).store.revokeToken(path.teamId, path.tokenId)) return done;
    throw new HttpError(404, `The team ${path.teamId} has no token ${path.tokenId}.`, {
      list: "GET /_sandbox/teams/{teamId}/tokens",
    });
  },
});
