// Decides by operation what a role may do, what the audit log has, and what a quota limits.
import type { ControlId } from "../../engine/http/control/index.ts";
import type { Principal } from "../teams/teams.ts";

type Role = Principal["role"];

/** The roles, lowest rights first. */
const RANKS: readonly Role[] = ["viewer", "developer", "owner", "operator"];

/** The exceptions: otherwise viewers read and developers change. */
const LEAST_ROLES: { readonly [Id in ControlId]?: Role } = {
  // These responses contain secrets.
  listWorldCredentials: "developer",
  exportState: "developer",
  explainSignature: "developer",
  closeSession: "viewer",
  setMember: "owner",
  removeMember: "owner",
  createControlToken: "owner",
  revokeControlToken: "owner",
  listAudit: "owner",
  createTeam: "operator",
  deleteTeam: "operator",
  setTeamQuotas: "operator",
  changeTeamQuotas: "operator",
  setWebhookTargets: "operator",
  changeWebhookTargets: "operator",
  getMetrics: "operator",
};

/** Audited, although they change nothing. */
const SECRET_READS = new Set<string>(["listWorldCredentials", "exportState", "explainSignature"]);

/** Operations that cause requests of their own, are part of a delivery, or only compute. */
const UNAUDITED = new Set<string>(["sendMcpMessage", "checkSignature", "proveToken", "reportRelayed"]);

const FREES_SPACE = ["deleteWorld", "resetState", "deleteSnapshot", "clearMessages", "clearFaults", "deleteVerdict"];
const MEMBERSHIP = ["setMember", "removeMember", "createControlToken", "revokeControlToken"];
const SESSIONS = ["openSession", "closeSession", "sendMcpMessage", "endMcpSession", "openRelay", "reportRelayed"];
/** Operations that free space in worlds, or need none. */
const ALLOWED_WHEN_FULL = new Set([...FREES_SPACE, ...MEMBERSHIP, ...SESSIONS, ...SECRET_READS]);

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** The least role for an operation. */
export const findLeastRole = (operation: string, method: string): Role =>
  LEAST_ROLES[operation as ControlId] ?? (isRead(method) ? "viewer" : "developer");

export const canPerform = (role: Role, least: Role): boolean => RANKS.indexOf(role) >= RANKS.indexOf(least);

export const isAudited = (operation: string, method: string): boolean =>
  SECRET_READS.has(operation) || (!isRead(method) && !UNAUDITED.has(operation));

export const needsSpace = (operation: string, least: Role): boolean =>
  least !== "viewer" && !ALLOWED_WHEN_FULL.has(operation);
