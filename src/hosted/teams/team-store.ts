// What is kept about teams beside their worlds: members, tokens (only their hashes), quotas and what was used of them, signed-in
// browsers, and the audit log. Instants are ISO 8601, hashes are hexadecimal.

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
  /** What counts: the lesser of its own and of its subject's in the team. */
  role: TeamRole;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  used_at: string | null;
}

/** A token that was sent, as it counts now. */
export interface FoundToken extends TokenRow {
  /** Whether its subject is in the team still. */
  is_member: boolean;
  expired: boolean;
  /** By the database's clock. */
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

interface AuditWanted extends Partial<Record<AuditMember, string | undefined>> {
  /** Only those before the entry with this id. */
  before?: string | undefined;
  limit: number;
}

export interface TeamStore {
  teams(only?: string): Promise<TeamRow[]>;
  /** Undefined: there is a team, or a world, of this id. */
  addTeam(team: Pick<TeamRow, "id" | "name" | "quotas">): Promise<TeamRow | undefined>;
  /** Undefined: there is none. Otherwise the number of its worlds; above zero nothing is removed. */
  removeTeam(id: string): Promise<number | undefined>;
  /** As it is now, and what becomes of it, in one transaction: another change waits. `change` must not throw. Undefined: there is none. */
  changeTeam(
    id: string,
    change: (team: TeamRow) => Partial<Pick<TeamRow, "quotas" | "targets">>,
  ): Promise<TeamRow | undefined>;
  members(team: string): Promise<MemberRow[]>;
  setMember(team: string, subject: string, role: TeamRole): Promise<MemberRow>;
  /** Revokes the tokens of the subject too. Whether there was one. */
  removeMember(team: string, subject: string): Promise<boolean>;
  /** The newest first. */
  tokens(team: string): Promise<TokenRow[]>;
  /** `seconds` until it expires. A subject that is no member becomes one. */
  addToken(token: {
    hash: string;
    team: string;
    subject: string;
    role: TeamRole;
    seconds: number | null;
  }): Promise<TokenRow>;
  /** Whether there is one of this id. */
  revokeToken(team: string, id: string): Promise<boolean>;
  findToken(hash: string): Promise<FoundToken | undefined>;
  /** That it was used now; written once a minute. */
  tokenUsed(hash: string): Promise<void>;
  /** `token`: the hash of the token that was shown; null for that of the operator. */
  openSession(session: { hash: string; token: string | null; seconds: number }): Promise<void>;
  findSession(hash: string): Promise<{ token: string | null } | undefined>;
  closeSession(hash: string): Promise<void>;
  /** Undefined: there is no such world. */
  teamOf(world: string): Promise<{ team: string | null } | undefined>;
  countWorlds(team: string): Promise<number>;
  /** The worlds of a team with what they take, the largest first. */
  sizes(team: string): Promise<WorldSize[]>;
  /** Adds to minutes since 1970, and returns what all nodes have added to them, of these teams. */
  addUsed(used: readonly (Used & { minute: number })[]): Promise<Used[]>;
  /** In this minute. */
  used(team: string): Promise<Used>;
  addAudit(rows: readonly Omit<AuditRow, "at">[]): Promise<void>;
  /** The newest first. */
  audit(wanted: AuditWanted): Promise<(AuditRow & { id: string })[]>;
}
