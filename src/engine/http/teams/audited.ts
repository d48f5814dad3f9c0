// What the audit log has of a request to the control API: every change, every look at secrets, and whatever was kept out.
import type { Teams } from "../../app/application.ts";
import type { Routed } from "../exchange.ts";
import { isAudited } from "./roles.ts";

export function audit(exchange: Routed, teams: Teams): Promise<void> | undefined {
  const { route, method, principal, unknown, params, about, aboutTeam, answer, denied = false } = exchange;
  const status = answer?.status ?? 500;
  if (!denied && !isAudited(route.id, method)) return undefined;
  // A token that is none still says what it claims to be.
  const { team = null, subject = "unknown", token = "" } = principal ?? unknown ?? {};
  // The world has a member of its own.
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
