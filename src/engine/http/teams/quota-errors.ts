// A quota that is met, as the answer that says so.
import type { Full, Teams, TeamsPort } from "../../app/application.ts";
import { HttpError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { isRead } from "./roles.ts";

/** These make room, or need none. */
const ALLOWED_WHEN_FULL = new Set([
  ...[
    "deleteWorld",
    "resetState",
    "deleteSnapshot",
    "clearMessages",
    "clearFaults",
    "deleteVerdict",
    "openSession",
    "closeSession",
  ],
  ...["setMember", "removeMember", "createControlToken", "revokeControlToken", "sendMcpMessage", "endMcpSession"],
  ...["listWorldCredentials", "exportState", "explainSignature", "openRelay", "reportRelayed"],
]);

const CODE = "QUOTA_EXCEEDED";

function rejectQuota(status: 409 | 429, { why, seconds }: Full): never {
  const headers: Record<string, string> = seconds === undefined ? {} : { "retry-after": String(seconds) };
  throw new HttpError(status, why, { code: status === 429 ? "TOO_MANY_REQUESTS" : CODE, headers });
}

/** They are parts of an attempt, which is counted. */
const UNCOUNTED = new Set<string | undefined>(["reportRelayed"]);

/** Counts the request. */
export function mustBeWithin({ limits }: Teams, team: string, operation?: string): Promise<void> | undefined {
  const count = () => {
    if (UNCOUNTED.has(operation)) return;
    const full = limits.request(team);
    if (full) rejectQuota(429, full);
  };
  // The quotas have to be read once; after that nothing waits.
  const learning = limits.known(team);
  if (learning) return learning.then(count);
  count();
  return undefined;
}

/** Throws 409 where the world may not grow. */
export function mustHaveRoom({ limits }: Teams, team: string, world: string, operation: string): void {
  const full = ALLOWED_WHEN_FULL.has(operation) ? undefined : limits.growth(team, world);
  if (full) rejectQuota(409, full);
}

/** Throws 409. `count`: how many are to be made. */
export async function mustHaveWorldsLeft({ limits }: Teams, team: string, count: number): Promise<void> {
  const full = await limits.moreWorlds(team, count);
  if (full) rejectQuota(409, full);
}

/** A step of requests to the service: the quotas of the team whose world it is. */
export function limitTeam({ world, method }: Exchange, { teams }: TeamsPort): Promise<void> | undefined {
  if (!teams || !world) return undefined;
  const { id } = world;
  const check = (team: string | null | undefined) => {
    if (!team) return undefined;
    teams.limits.used(id);
    const counted = mustBeWithin(teams, team);
    const room = () => {
      const full = isRead(method) || method === "DELETE" ? undefined : teams.limits.growth(team, id);
      if (full) rejectQuota(409, full);
    };
    if (counted) return counted.then(room);
    room();
    return undefined;
  };
  // Most requests need not ask the database whose world it is.
  const known = teams.teamAtHand(id);
  return known === undefined ? teams.teamOf(id).then(check) : check(known);
}
