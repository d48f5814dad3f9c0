// Decides whether a request is admitted: by its sender, the team and the world that it names, the role of the caller,
// and the quotas of the team. For the caller, the worlds of other teams do not exist.
import type { ServerResponse } from "node:http";
import type { WorldsPort } from "../../engine/app/index.ts";
import { assertOwnPage, CHALLENGE } from "../../engine/http/control/index.ts";
import {
  type Access,
  type Caller,
  createNoWorld,
  type Exchange,
  HttpError,
  hasWorldParameter,
  isRouted,
  OF_SESSION,
  type Route,
  type Routed,
  readHeader,
  resolveNamedWorld,
} from "../../engine/http/extension/index.ts";
import { optional } from "../../platform/optional.ts";
import { isUnknown, type Principal, readSession, type Teams, type Unknown } from "../teams/teams.ts";
import { canPerform, findLeastRole, isAudited, isRead, needsSpace } from "./roles.ts";

/** Between two checks of a stream. Results of the database are cached, so a check costs little. */
const CHECK_INTERVAL_MS = 1000;
/** Operations without a world: a session creates its own. */
const NEED_NO_WORLD = new Set([...OF_SESSION, "closeSession", "whoAmI"]);
/** Part of a webhook attempt, so it is no request of the team. */
const UNCOUNTED = "reportRelayed";

/** The known facts about the caller of a request to the control API. */
interface Visitor extends Caller {
  /** The team; "" until the caller is known, because no team has this id. */
  account: string | null;
  principal?: Principal | undefined;
  /** The claims of a caller whose credentials are not accepted. */
  unknown?: Unknown;
  isDenied: boolean;
  /** The team that a request of the operator concerns. */
  aboutTeam?: string | null;
}

export const findVisitor = ({ caller }: Pick<Exchange, "caller">): Visitor | undefined => caller as Visitor | undefined;

export const createVisitor = (principal: Principal | undefined, isDenied: boolean): Visitor => ({
  account: principal ? principal.team : "",
  principal,
  isDenied,
});

export function createAccess(application: WorldsPort, teams: Teams): Access {
  return {
    admit(exchange) {
      // A browser sends the cookie by itself, and never the header.
      const isProgram = readHeader(exchange, "authorization") !== undefined;
      if (!isProgram && readSession(exchange.headers) !== undefined) assertOwnPage(exchange);
      return admit(exchange, application, teams);
    },
    limit: (exchange) => limitTeam(exchange, teams),
    finish: (exchange) => audit(exchange, teams),
    follow: (exchange, response) => closeWhenRevoked(exchange, response, teams),
  };
}

/** Throws 401, 403, 404, 409 or 429. The audit log marks a request that is rejected here as denied. */
async function admit(exchange: Routed, application: WorldsPort, teams: Teams): Promise<void> {
  // A resent request has the caller of the request that resends it.
  const visitor = createVisitor(findVisitor(exchange)?.principal, true);
  exchange.caller = visitor;
  const principal = await identify(exchange, visitor, teams);
  const { route, params } = exchange;
  const { team } = principal;
  if (team !== null && params.teamId !== undefined && params.teamId !== team) throw createNoTeam(params.teamId);
  const world = await findWorld(exchange, principal, application, teams);
  // The role is checked after the world, so that a caller of another team learns nothing about roles.
  const least = findLeastRole(route.id, exchange.method);
  if (!canPerform(principal.role, least)) throw createRoleTooLow(principal, least, route.id);
  visitor.isDenied = false;
  // The operator has no quota.
  if (team !== null) {
    await teams.limits.load(team);
    if (route.id !== UNCOUNTED) teams.limits.countRequest(team);
    if (world !== undefined && needsSpace(route.id, least)) teams.limits.assertRoomToGrow(team);
  } else if (isAudited(route.id, exchange.method))
    // A removed world has no team afterwards, so the team is noted now.
    visitor.aboutTeam = params.teamId ?? (exchange.about && (await teams.findTeam(exchange.about))) ?? null;
}

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

/** The default world of a team has the id of the team. */
export function createDefaultWorld(application: WorldsPort, teams: Teams, team: string): void {
  if (application.worlds.get(team)) return;
  teams.runForTeam(team, () => application.states.create({ id: team }));
}

export const createNoTeam = (id: string): HttpError =>
  new HttpError(404, `There is no team ${id.slice(0, 60)}.`, { list: "GET /_sandbox/teams" });

function createRoleTooLow({ role, team, subject }: Principal, least: Principal["role"], operation: string): HttpError {
  const who = `${subject} is ${role} in the team ${team}`;
  const needs = least === "operator" ? "only the operator may do that" : `it takes the role ${least}`;
  const advice = least === "operator" ? "Ask who runs the sandbox." : "An owner of the team can give it.";
  return new HttpError(403, `${who}, and ${needs} (${operation}). ${advice}`, { code: "ROLE_TOO_LOW" });
}

/** A step of requests to the service, which checks the quotas of the team that has the world. */
function limitTeam({ world, method }: Exchange, teams: Teams): Promise<void> | undefined {
  if (!world) return undefined;
  const { id } = world;
  const check = () => {
    const team = teams.readTeam(id);
    if (!team) return;
    teams.limits.countRequest(team);
    if (!isRead(method) && method !== "DELETE") teams.limits.assertRoomToGrow(team);
  };
  const loading = teams.load(id);
  if (loading) return loading.then(check);
  check();
  return undefined;
}

/**
 * Throws if the caller may not see the documents of a world. Only its team may, and others get the same error as for a
 * missing world. Every caller may see those of the default world.
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
