// The stored rows of teams. Instants are ISO 8601, hashes are hexadecimal.

import type { Schemas } from "../../contract/schemas.ts";

export type TeamRole = Schemas["TeamRole"];

export interface TeamRow extends Pick<Schemas["Team"], "id" | "name" | "quotas" | "created_at"> {
  /** Host names, addresses and ranges in private networks that its webhooks may reach. */
  targets: string[];
}

export type MemberRow = Schemas["TeamMember"];

export interface TokenRow {
  /** The first twelve digits of the hash. */
  id: string;
  team: string;
  subject: string;
  /** The lesser of its own role and its subject's role in the team. */
  role: TeamRole;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  used_at: string | null;
}

/** The current row of a token that was sent. */
export interface FoundToken extends TokenRow {
  /** Whether its subject is still in the team. */
  is_member: boolean;
  expired: boolean;
  /** An instant of the database's clock. */
  now: string;
}

export interface WorldSize {
  id: string;
  bytes: number;
}

/** Requests of a team in a minute. */
export interface Used {
  team: string;
  requests: number;
}

export type AuditRow = Omit<Schemas["AuditEntry"], "id">;

type AuditMember = "team" | "subject" | "token" | "action" | "world" | "since" | "until";

export interface AuditWanted extends Partial<Record<AuditMember, string | undefined>> {
  /** The id of an entry. Only earlier entries are listed. */
  before?: string | undefined;
  limit: number;
}

/** `seconds` until it expires; null: never. */
export interface NewTokenRow extends Pick<TokenRow, "team" | "subject" | "role"> {
  hash: string;
  seconds: number | null;
}

export type TeamChange = (team: TeamRow) => Partial<Pick<TeamRow, "quotas" | "targets">>;
