// What teams decide about requests, in the places where the transport asks.
import type { ServerResponse } from "node:http";
import type { WorldsPort } from "../../engine/app/index.ts";
import { assertOwnPage } from "../../engine/http/control/index.ts";
import { type Access, type Exchange, header, isRouted, type Routed } from "../../engine/http/extension/index.ts";
import type { Teams } from "../teams/teams.ts";
import { admit } from "./admission.ts";
import { limitTeam } from "./quota-errors.ts";
import { canPerform, findLeastRole, isAudited } from "./roles.ts";
import { findVisitor } from "./visitor.ts";

/** Between two checks of a stream. Answers of the database are cached, so a check costs little. */
const CHECK_MS = 1000;

export function createAccess(application: WorldsPort, teams: Teams): Access {
  return {
    admit(exchange) {
      // A browser sends a cookie by itself and a header never.
      const isProgram = header(exchange, "authorization") !== undefined;
      if (!isProgram && teams.sessionIn(exchange.headers) !== undefined) assertOwnPage(exchange);
      return admit(exchange, application, teams);
    },
    limit: (exchange) => limitTeam(exchange, teams),
    finish: (exchange) => audit(exchange, teams),
    follow: (exchange, response) => closeWhenRevoked(exchange, response, teams),
  };
}

/** The audit log has every change, every look at secrets, and every request that was denied. */
function audit(exchange: Routed, teams: Teams): Promise<void> | undefined {
  const { route, method, params, about, answer } = exchange;
  const { principal, unknown, aboutTeam, isDenied = false } = findVisitor(exchange) ?? {};
  const status = answer?.status ?? 500;
  if (!isDenied && !isAudited(route.id, method)) return undefined;
  // A token that does not count still says who it claims to be.
  const { team = null, subject = "unknown", token = "" } = principal ?? unknown ?? {};
  // The world has a field of its own.
  const { teamId, worldId: _, ...rest } = params;
  const code = status < 400 ? undefined : (answer?.body as { code?: string } | undefined)?.code;
  const detail = {
    ...rest,
    ...(teamId === undefined ? {} : { team: teamId }),
    ...(code === undefined ? {} : { code }),
  };
  return teams.note({
    team: team ?? aboutTeam ?? null,
    subject,
    token,
    action: route.id,
    world: about ?? null,
    status,
    detail,
  });
}

/** Cuts a stream where a request like it would be rejected now. */
function closeWhenRevoked(exchange: Exchange, response: ServerResponse, teams: Teams): void {
  // Without a principal the stream is open to everybody.
  if (!findVisitor(exchange)?.principal || !isRouted(exchange)) return;
  const least = findLeastRole(exchange.route.id, exchange.method);
  const check = async () => {
    const principal = await teams.principalOf(exchange.headers);
    // Destroyed, and not ended: a slow reader must not keep it.
    if (!principal || !canPerform(principal.role, least)) response.destroy();
  };
  // While the database does not respond, the stream continues: only a certain "no" ends it.
  const timer = setInterval(() => void check().catch(() => undefined), CHECK_MS).unref();
  response.once("close", () => clearInterval(timer));
}
