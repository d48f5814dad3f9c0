// A browser signs in with a token of a team or with the control token, and gets a cookie, because its live stream can't send a token.

import { CHALLENGE, createCookie, createSignInResponse, defineHandlers, ok } from "../../engine/http/control/index.ts";
import { HttpError } from "../../engine/http/extension/index.ts";
import { SHARED_COOKIE } from "../teams/principals.ts";
import type { Teams } from "../teams/teams.ts";
import { createVisitor, findVisitor } from "./visitor.ts";

const OPERATOR = { role: "operator", team: null, subject: "operator", token: "", expires_at: null };

export const createSignInHandlers = (teams: Teams) =>
  defineHandlers({
    async openSession({ body, exchange }) {
      const outcome = await teams.signIn(body.token);
      const isRejected = "why" in outcome;
      // The audit log names the caller.
      const visitor = createVisitor(isRejected ? undefined : outcome.principal, false);
      exchange.caller = visitor;
      if (!isRejected) return createSignInResponse(exchange, SHARED_COOKIE, outcome.id, outcome.seconds);
      visitor.unknown = outcome;
      throw new HttpError(401, `${outcome.why} Ask an owner of your team for a token.`, { headers: CHALLENGE });
    },
    async closeSession({ exchange }) {
      const id = teams.readSession(exchange.headers);
      if (id !== undefined) await teams.signOut(id);
      // Removes the cookie even if the id is unknown.
      return { status: 204, headers: createCookie(exchange, SHARED_COOKIE, "", 0) };
    },
    whoAmI({ exchange }) {
      const { role, team, subject, token, expires_at } = findVisitor(exchange)?.principal ?? OPERATOR;
      return ok({ role, team, subject, token, expires_at, default_world: team ?? "default" });
    },
  });
