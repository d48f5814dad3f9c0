// Whether a request to the control API of a sandbox that many share is let in: who sends it, whose the team and the world are that it
// names, what its role may do, and what its team may still use. What is another team's is not there for it.
import type { Principal, Teams, TeamsPort, WorldsPort } from "../../app/application.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import { CHALLENGE } from "../control/session.ts";
import { HttpError } from "../errors.ts";
import { type Exchange, header, type Route, type Routed } from "../exchange.ts";
import { namedWorld, noWorld, OF_SESSION, takesWorld } from "../named-world.ts";
import { makeDefaultWorld, noTeam } from "./default-world.ts";
import { mustBeWithin, mustHaveRoom } from "./quota-errors.ts";
import { isAudited, leastFor, mayDo } from "./roles.ts";

/** Without a world a session has one of its own; the sign-in has none. */
const NEED_NO_WORLD = new Set([...OF_SESSION, "closeSession", "whoAmI"]);

/** Throws 401, 403, 404, 409 or 429. What is refused here is audited as kept out. */
export async function admit(exchange: Routed, application: WorldsPort, teams: Teams): Promise<void> {
  // Until all is checked, so that every way out of here counts.
  exchange.denied = true;
  const principal = await principalOf(exchange, teams);
  mustHaveNoNul(exchange);
  const { route, params } = exchange;
  if (principal.team !== null && params.teamId !== undefined && params.teamId !== principal.team)
    throw noTeam(params.teamId);
  const world = await worldFor(exchange, principal, application, teams);
  // After the world: whose world it is not learns nothing of roles.
  const least = leastFor(route.id, exchange.method);
  if (!mayDo(principal.role, least)) throw notAllowed(principal, least, route.id);
  exchange.denied = false;
  if (world !== undefined) teams.limits.used(world);
  if (principal.team === null) {
    // A world that is removed has no team afterwards.
    if (isAudited(route.id, exchange.method))
      exchange.aboutTeam = params.teamId ?? (exchange.about && (await teams.teamOf(exchange.about))) ?? null;
    return;
  }
  // The operator has no quota.
  await mustBeWithin(teams, principal.team, route.id);
  if (least !== "viewer" && world !== undefined) mustHaveRoom(teams, principal.team, world, route.id);
}

export const rejectNul = (path: string): never =>
  reject("INVALID_INPUT", { path, what: "it has a NUL character (U+0000). Leave it out." });

/** A text in PostgreSQL can't have one, so no statement may. */
function mustHaveNoNul(exchange: Routed): void {
  const { params, query } = exchange;
  const named: Record<string, unknown> = {
    ...prefixed("path", params),
    ...prefixed("query", query),
    "header.sandbox-world": namedWorld(exchange),
  };
  for (const [name, value] of Object.entries(named)) if (String(value).includes("\0")) rejectNul(name);
}

const prefixed = (where: string, values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${where}.${name}`, value]));

/** It is asked before the world is looked for, and again here where nobody has. */
async function principalOf(exchange: Exchange, teams: Teams): Promise<Principal> {
  exchange.principal ??= await teams.principalOf(exchange.headers);
  if (exchange.principal) return exchange.principal;
  exchange.unknown = await teams.rejectionOf(exchange.headers);
  const message = `${exchange.unknown.why} The control API of this sandbox needs a bearer token. An owner of your team makes one with \`sandbox token create\`.`;
  throw new HttpError(401, message, { headers: CHALLENGE });
}

/** The id of the world that the request is about, which is its team's. `default` is the default world of the caller. */
async function worldFor(
  exchange: Routed,
  principal: Principal,
  application: WorldsPort,
  teams: Teams,
): Promise<string | undefined> {
  nameDefaultWorld(exchange, principal);
  const named = exchange.params.worldId ?? namedWorld(exchange);
  if (named === undefined) return undefined;
  if (isAboutWorld(exchange.route)) exchange.about = named;
  if (principal.team === null) return named;
  const team = await teams.teamOf(named);
  // The default world of a team is made when it is first asked for.
  if (team === undefined && named === principal.team) {
    makeDefaultWorld(application, teams, named);
    return named;
  }
  if (team !== principal.team) throw noWorld(named);
  return named;
}

/** Such a world is not there for the caller, and not opened to say so. */
export async function isOfOthers({ teams }: TeamsPort, principal: Principal | null, { world }: { world: string }) {
  if (!teams || !principal || principal.team === null) return false;
  const team = await teams.teamOf(world);
  return team !== undefined && team !== principal.team;
}

/**
 * A document as it is in a world is for whoever may see the world; for all others it makes no difference whether there is one. The default
 * world is the one that documents show to everybody.
 */
export async function mustMaySee({ teams }: TeamsPort, headers: Exchange["headers"], world: string): Promise<void> {
  if (!teams || world === "default") return;
  const principal = await teams.principalOf(headers);
  if (!principal) {
    const message = `What holds in a world is shown to its team: send a token of the team (\`Authorization: Bearer <token>\`), or name no world.`;
    throw new HttpError(401, message, { headers: CHALLENGE });
  }
  if (principal.team !== null && (await teams.teamOf(world)) !== principal.team) throw noWorld(world);
}

const isAboutWorld = (route: Route): boolean => route.operation.path.includes("{worldId}") || takesWorld(route);

/** A request of a team that names no world, or `default`, is about the team's default world. */
function nameDefaultWorld(exchange: Exchange, { team }: Principal): void {
  if (team === null) return;
  // Copies: the log keeps the request as it was sent.
  const { params, query, headers, route } = exchange;
  if (params.worldId === "default") exchange.params = { ...params, worldId: team };
  if (query.world === "default") exchange.query = { ...query, world: team };
  const inHeader = header(exchange, "sandbox-world");
  const isMissing = query.world === undefined && inHeader === undefined && !NEED_NO_WORLD.has(route?.id ?? "");
  if (inHeader === "default" || isMissing) exchange.headers = { ...headers, "sandbox-world": team };
}

function notAllowed({ role, team, subject }: Principal, least: Principal["role"], operation: string): HttpError {
  const who = `${subject} is ${role} in the team ${team}`;
  const needs = least === "operator" ? "only the operator may do that" : `it takes the role ${least}`;
  const advice = least === "operator" ? "Ask who runs the sandbox." : "An owner of the team can give it.";
  return new HttpError(403, `${who}, and ${needs} (${operation}). ${advice}`, { code: "ROLE_TOO_LOW" });
}
