// Rejects requests of a team that has reached a quota.
import { type Exchange, HttpError } from "../../engine/http/extension/index.ts";
import type { Full } from "../teams/quotas.ts";
import type { Teams } from "../teams/teams.ts";
import { isRead } from "./roles.ts";

/** Operations that need no space, or free some. */
const ALLOWED_WHEN_FULL = new Set(
  `deleteWorld resetState deleteSnapshot clearMessages clearFaults deleteVerdict openSession closeSession setMember removeMember
  createControlToken revokeControlToken sendMcpMessage endMcpSession listWorldCredentials exportState explainSignature openRelay
  reportRelayed`.split(/\s+/),
);

/** Parts of a webhook attempt. */
const UNCOUNTED = new Set<string | undefined>(["reportRelayed"]);

function rejectQuota(status: 409 | 429, { why, seconds }: Full): never {
  const headers: Record<string, string> = seconds === undefined ? {} : { "retry-after": String(seconds) };
  const code = status === 429 ? "TOO_MANY_REQUESTS" : "QUOTA_EXCEEDED";
  throw new HttpError(status, why, { code, headers });
}

/** Throws 429. Waits only if the quotas of the team are not in memory. */
export function countRequest({ limits }: Teams, team: string, operation?: string): Promise<void> | undefined {
  const count = () => {
    const full = UNCOUNTED.has(operation) ? undefined : limits.countRequest(team);
    if (full) rejectQuota(429, full);
  };
  const loading = limits.load(team);
  if (loading) return loading.then(count);
  count();
  return undefined;
}

/** Throws 409 if the worlds of the team may not grow. */
export function assertRoomToGrow({ limits }: Teams, team: string, operation: string): void {
  const full = ALLOWED_WHEN_FULL.has(operation) ? undefined : limits.findExceededByteQuota(team);
  if (full) rejectQuota(409, full);
}

/** Throws 409. `count`: the number of worlds to create. */
export async function assertRoomForWorlds({ limits }: Teams, team: string, count: number): Promise<void> {
  const full = await limits.findExceededWorldQuota(team, count);
  if (full) rejectQuota(409, full);
}

/** A step of requests to the service, which checks the quotas of the team that has the world. */
export function limitTeam({ world, method }: Exchange, teams: Teams): Promise<void> | undefined {
  if (!world) return undefined;
  const { id } = world;
  const check = (team: string | null | undefined) => {
    if (!team) return undefined;
    const assertRoom = () => {
      const full = isRead(method) || method === "DELETE" ? undefined : teams.limits.findExceededByteQuota(team);
      if (full) rejectQuota(409, full);
    };
    const counting = countRequest(teams, team);
    if (counting) return counting.then(assertRoom);
    assertRoom();
    return undefined;
  };
  // Most requests need not ask the database which team has the world.
  const known = teams.readTeam(id);
  return known === undefined ? teams.findTeam(id).then(check) : check(known);
}
