// A browser signs in with a token of a team, or with the control token, and has a cookie from then on: its live stream can't send a token.

import { CHALLENGE, createCookie, handlersWith, ok, respondSignedIn } from "../../engine/http/control/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import { SHARED_COOKIE } from "../teams/principals.ts";
import type { Teams } from "../teams/teams.ts";
import { createVisitor, findVisitor } from "./visitor.ts";

const OPERATOR = { role: "operator", team: null, subject: "operator", token: "", expires_at: null };

export const signInHandlers = (teams: Teams) =>
  handlersWith()({
    async openSession({ body, exchange }) {
      const signed = await teams.signIn(body.token);
      // The audit log has the sign-in under a name.
      const visitor = createVisitor(signed?.principal, false);
      exchange.caller = visitor;
      if (signed) return respondSignedIn(exchange, SHARED_COOKIE, signed.id, signed.seconds);
      visitor.unknown = await teams.rejectionOf({ authorization: `Bearer ${body.token}` });
      throw new HttpError(401, `${visitor.unknown.why} Ask an owner of your team for a token.`, { headers: CHALLENGE });
    },
    async closeSession({ exchange }) {
      const id = teams.sessionIn(exchange.headers);
      // Signing out twice is no error.
      if (id !== undefined) await teams.signOut(id);
      // Removed from the browser too, even if the id is unknown.
      return { status: 204, headers: createCookie(exchange, SHARED_COOKIE, "", 0) };
    },
    whoAmI({ exchange }) {
      const { role, team, subject, token, expires_at } = findVisitor(exchange)?.principal ?? OPERATOR;
      return ok({ role, team, subject, token, expires_at, default_world: team ?? "default" });
    },
  });
