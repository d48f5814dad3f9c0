// The decisions of teams about requests, for the transport.
import type { ServerResponse } from "node:http";
import type { WorldsPort } from "../../engine/app/index.ts";
import { assertOwnPage } from "../../engine/http/control/index.ts";
import { type Access, type Exchange, isRouted, type Routed, readHeader } from "../../engine/http/extension/index.ts";
import { optional } from "../../platform/optional.ts";
import type { Teams } from "../teams/teams.ts";
import { admit } from "./admission.ts";
import { limitTeam } from "./quota-errors.ts";
import { canPerform, findLeastRole, isAudited } from "./roles.ts";
import { findVisitor } from "./visitor.ts";

/** Between two checks of a stream. Results of the database are cached, so a check costs little. */
const CHECK_INTERVAL_MS = 1000;

export function createAccess(application: WorldsPort, teams: Teams): Access {
  return {
    admit(exchange) {
      // A browser sends the cookie by itself, and never the header.
      const isProgram = readHeader(exchange, "authorization") !== undefined;
      if (!isProgram && teams.readSession(exchange.headers) !== undefined) assertOwnPage(exchange);
      return admit(exchange, application, teams);
    },
    limit: (exchange) => limitTeam(exchange, teams),
    finish: (exchange) => audit(exchange, teams),
    follow: (exchange, response) => closeWhenRevoked(exchange, response, teams),
  };
}

/** The audit log has every change, every read of secrets, and every request that was denied. */
function audit(exchange: Routed, teams: Teams): Promise<void> | undefined {
  const { route, method, params, about: world = null, answer } = exchange;
  const { principal, unknown, aboutTeam = null, isDenied = false } = findVisitor(exchange) ?? {};
  const status = answer?.status ?? 500;
  if (!isDenied && !isAudited(route.id, method)) return undefined;
  const { team: own = null, subject = "unknown", token = "" } = principal ?? unknown ?? {};
  // The world has a field of its own.
  const { teamId: team, worldId: _, ...rest } = params;
  const code = status < 400 ? undefined : (answer?.body as { code?: string } | undefined)?.code;
  const detail = { ...rest, ...optional({ team, code }) };
  return teams.note({ team: own ?? aboutTeam, subject, token, action: route.id, world, status, detail });
}

/** Cuts a stream when the same request would be rejected. */
function closeWhenRevoked(exchange: Exchange, response: ServerResponse, teams: Teams): void {
  // A stream without a principal needs none.
  if (!findVisitor(exchange)?.principal || !isRouted(exchange)) return;
  const least = findLeastRole(exchange.route.id, exchange.method);
  const check = async () => {
    const principal = await teams.findPrincipal(exchange.headers);
    // Destroyed and not ended, so that a slow reader can't keep the stream.
    if (!principal || !canPerform(principal.role, least)) response.destroy();
  };
  // The stream continues while the database does not respond.
  const timer = setInterval(() => void check().catch(() => undefined), CHECK_INTERVAL_MS).unref();
  response.once("close", () => clearInterval(timer));
}
