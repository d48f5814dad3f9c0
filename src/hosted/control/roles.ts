// What a role may do: reading is for everybody, changing for developers; the operations below need more, or are more than they look.

import type { ControlId } from "../../engine/http/control/index.ts";
import type { Principal } from "../teams/principal.ts";

type Role = Principal["role"];

/** Each may do what those before it may. */
const RANKS: readonly Role[] = ["viewer", "developer", "owner", "operator"];

/** Only the exceptions. */
const LEAST: { readonly [Id in ControlId]?: Role } = {
  // Who has these can act, or read what is signed with them.
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

/** What is written down even though it changes nothing. */
const LOOKS = new Set<string>(["listWorldCredentials", "exportState", "explainSignature"]);

/** What it does is asked for by requests of its own, or is a part of a delivery; the others only compare and compute. */
const NO_CHANGES = new Set<string>(["sendMcpMessage", "checkSignature", "proveToken", "reportRelayed"]);

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** The least role for an operation. */
export const findLeastRole = (operation: string, method: string): Role =>
  LEAST[operation as ControlId] ?? (isRead(method) ? "viewer" : "developer");

export const canPerform = (role: Role, least: Role): boolean => RANKS.indexOf(role) >= RANKS.indexOf(least);

export const isAudited = (operation: string, method: string): boolean =>
  LOOKS.has(operation) || (!isRead(method) && !NO_CHANGES.has(operation));
