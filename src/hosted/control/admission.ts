// Decides whether a request to the control API is admitted: by its sender, the team and the world that it names, the role of the caller, and
// the quotas of the team. For the caller, the worlds of other teams do not exist.
import type { WorldsPort } from "../../engine/app/index.ts";
import { rejectInput } from "../../engine/domain/index.ts";
import { CHALLENGE } from "../../engine/http/control/index.ts";
import {
  createNoWorld,
  type Exchange,
  HttpError,
  hasWorldParameter,
  OF_SESSION,
  type Route,
  type Routed,
  readHeader,
  resolveNamedWorld,
} from "../../engine/http/extension/index.ts";
import { isUnknown, type Principal } from "../teams/principals.ts";
import type { Teams } from "../teams/teams.ts";
import { assertRoomToGrow, countRequest } from "./quota-errors.ts";
import { canPerform, findLeastRole, isAudited } from "./roles.ts";
import { createDefaultWorld, createNoTeam } from "./team.ts";
import { createVisitor, findVisitor, type Visitor } from "./visitor.ts";

/** Operations without a world: a session creates its own. */
const NEED_NO_WORLD = new Set([...OF_SESSION, "closeSession", "whoAmI"]);

/** Throws 401, 403, 404, 409 or 429. The audit log marks a request that is rejected here as denied. */
export async function admit(exchange: Routed, application: WorldsPort, teams: Teams): Promise<void> {
  // A resent request has the caller of the request that resends it.
  const visitor = createVisitor(findVisitor(exchange)?.principal, true);
  exchange.caller = visitor;
  const principal = await identify(exchange, visitor, teams);
  assertNoNul(exchange);
  const { route, params } = exchange;
  if (principal.team !== null && params.teamId !== undefined && params.teamId !== principal.team)
    throw createNoTeam(params.teamId);
  const world = await findWorld(exchange, principal, application, teams);
  // The role is checked after the world, so that a caller of another team learns nothing about roles.
  const least = findLeastRole(route.id, exchange.method);
  if (!canPerform(principal.role, least)) throw createRoleTooLow(principal, least, route.id);
  visitor.isDenied = false;
  if (principal.team === null) {
    // A removed world has no team afterwards, so the team is noted now.
    if (isAudited(route.id, exchange.method))
      visitor.aboutTeam = params.teamId ?? (exchange.about && (await teams.findTeam(exchange.about))) ?? null;
    return;
  }
  // The operator has no quota.
  await countRequest(teams, principal.team, route.id);
  if (least !== "viewer" && world !== undefined) assertRoomToGrow(teams, principal.team, route.id);
}

export const rejectNul = (path: string): never => rejectInput(path, "it has a NUL character (U+0000). Leave it out.");

/** A text of PostgreSQL can't have a NUL. */
function assertNoNul(exchange: Routed): void {
  const { params, query } = exchange;
  const named: Record<string, unknown> = {
    ...addSection("path", params),
    ...addSection("query", query),
    "header.sandbox-world": resolveNamedWorld(exchange),
  };
  for (const [name, value] of Object.entries(named)) if (String(value).includes("\0")) rejectNul(name);
}

const addSection = (section: string, values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${section}.${name}`, value]));

async function identify(exchange: Exchange, visitor: Visitor, teams: Teams): Promise<Principal> {
  const sender = visitor.principal ?? (await teams.identify(exchange.headers));
  if (!isUnknown(sender)) {
    visitor.principal = sender;
    visitor.account = sender.team;
    return sender;
  }
  visitor.unknown = sender;
  const message = `${sender.why} The control API of this sandbox needs a bearer token. An owner of your team makes one with \`sandbox token create\`.`;
  throw new HttpError(401, message, { headers: CHALLENGE });
}

/** Finds the id of the world that the request is about. `default` is the default world of the caller. */
async function findWorld(
  exchange: Routed,
  principal: Principal,
  application: WorldsPort,
  teams: Teams,
): Promise<string | undefined> {
  setDefaultWorld(exchange, principal);
  const named = exchange.params.worldId ?? resolveNamedWorld(exchange);
  if (named === undefined) return undefined;
  if (isAboutWorld(exchange.route)) exchange.about = named;
  if (principal.team === null) return named;
  const team = await teams.findTeam(named);
  // The first request for the default world of a team creates it.
  if (team === undefined && named === principal.team) {
    createDefaultWorld(application, teams, named);
    return named;
  }
  if (team !== principal.team) throw createNoWorld(named);
  return named;
}

/** Returns whether the world does not exist for the caller, without opening it. */
export async function isOfOtherTeam(
  teams: Pick<Teams, "findTeam">,
  principal: Principal | null,
  world: string,
): Promise<boolean> {
  if (!principal || principal.team === null) return false;
  const team = await teams.findTeam(world);
  return team !== undefined && team !== principal.team;
}

/**
 * Throws if the caller may not see the documents of a world. Only its team may, and others get the same error as for a missing world. Every
 * caller may see those of the default world.
 */
export async function assertMaySee(teams: Teams, headers: Exchange["headers"], world: string): Promise<void> {
  if (world === "default") return;
  const principal = await teams.findPrincipal(headers);
  if (!principal) {
    const message = `What holds in a world is shown to its team: send a token of the team (\`Authorization: Bearer <token>\`), or name no world.`;
    throw new HttpError(401, message, { headers: CHALLENGE });
  }
  if (principal.team !== null && (await teams.findTeam(world)) !== principal.team) throw createNoWorld(world);
}

const isAboutWorld = (route: Route): boolean => route.operation.path.includes("{worldId}") || hasWorldParameter(route);

/** A team's request that names no world or `default` is about the team's default world. */
function setDefaultWorld(exchange: Exchange, { team }: Principal): void {
  if (team === null) return;
  // The members are replaced, not changed, because the log keeps the original request.
  const { params, query, headers, route } = exchange;
  if (params.worldId === "default") exchange.params = { ...params, worldId: team };
  if (query.world === "default") exchange.query = { ...query, world: team };
  const inHeader = readHeader(exchange, "sandbox-world");
  const isMissing = query.world === undefined && inHeader === undefined && !NEED_NO_WORLD.has(route?.id ?? "");
  if (inHeader === "default" || isMissing) exchange.headers = { ...headers, "sandbox-world": team };
}

function createRoleTooLow({ role, team, subject }: Principal, least: Principal["role"], operation: string): HttpError {
  const who = `${subject} is ${role} in the team ${team}`;
  const needs = least === "operator" ? "only the operator may do that" : `it takes the role ${least}`;
  const advice = least === "operator" ? "Ask who runs the sandbox." : "An owner of the team can give it.";
  return new HttpError(403, `${who}, and ${needs} (${operation}). ${advice}`, { code: "ROLE_TOO_LOW" });
}
