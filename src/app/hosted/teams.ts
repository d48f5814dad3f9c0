// What the transport may ask of teams: who sends a request, what their team may still use, and what is written down about it.
import type { AuditRow, TeamRole, TeamStore, TokenRow } from "../../world/store/team-store.ts";
import type { Principal, Principals } from "./principal.ts";

export type { TeamRole, TeamRow, TokenRow } from "../../world/store/team-store.ts";

export interface NewToken {
  team: string;
  subject: string;
  role: TeamRole;
  /** An ISO 8601 duration; undefined: until it is revoked. */
  expires: string | undefined;
}

/** A quota that is met: a sentence that says how to go on, and for how many seconds it holds. */
export interface Full {
  why: string;
  seconds?: number;
}

export interface Teams extends Principals {
  readonly store: Pick<
    TeamStore,
    | "teams"
    | "addTeam"
    | "removeTeam"
    | "setQuotas"
    | "setTargets"
    | "members"
    | "setMember"
    | "removeMember"
    | "tokens"
    | "revokeToken"
    | "sizes"
    | "used"
    | "audit"
  >;
  /** The token is in no other answer. Undefined: it would expire before it begins. */
  createToken(wanted: NewToken): Promise<{ token: string; row: TokenRow } | undefined>;
  /** For a browser that shows a token; undefined when the token does not count. */
  signIn(token: string): Promise<{ principal: Principal; id: string; seconds: number } | undefined>;
  signOut(id: string): Promise<void>;
  /** Resolves when it is written. */
  note(entry: Omit<AuditRow, "at">): Promise<void>;
}

/** The cookie of a browser that has signed in, the same on every node. */
export const SESSION_COOKIE = "sandbox-session";
