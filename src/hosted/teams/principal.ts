// Who sends a request to the control API of a sandbox that many share.
import type { TeamRole } from "./team-rows.ts";

export interface Principal {
  role: TeamRole | "operator";
  /** Null for the operator. */
  team: string | null;
  subject: string;
  /** The id of the token, for the audit log. */
  token: string;
  expires_at: string | null;
}

/** What a request may show who it is by. */
export type CredentialHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Why what was shown does not count. */
export interface Unknown extends Pick<Principal, "team" | "subject" | "token"> {
  why: string;
}
