// What the transport may ask of teams: who sends a request, what their team may still use, and what is written down about it.

import type { CredentialHeaders, Principal, Principals } from "./principal.ts";
import type { Making } from "./shared-worlds.ts";
import type { AuditRow, TeamRole, TeamStore, TokenRow } from "./team-store.ts";

export type { TokenRow } from "./team-store.ts";

interface NewToken {
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

/** What teams may still use. A team is asked about only once it is known here. */
export interface Limits {
  /** Undefined when it is known already, and as of late. */
  known(team: string): Promise<void> | undefined;
  /** That somebody uses the world now. */
  used(world: string): void;
  /** Somebody has, and it is not written yet. */
  isUsed(world: string): boolean;
  /** Resolves when everything that was counted is written. */
  tell(): Promise<void>;
  /** Counts a request; returns why there may be none. */
  request(team: string): Full | undefined;
  /** Why a world may not grow. */
  growth(team: string, world: string): Full | undefined;
  /** Why a team may not have so many more worlds, before they are made; the store counts again as it keeps them. */
  moreWorlds(team: string, count: number): Promise<Full | undefined>;
  /** Counts an attempt of a delivery; above zero: not now, but in so many milliseconds. */
  attempt(team: string): number;
  /** What webhooks of the team may reach in private networks. */
  targets(team: string): readonly string[];
}

export interface Teams extends Principals {
  readonly store: Pick<
    TeamStore,
    | "teams"
    | "addTeam"
    | "removeTeam"
    | "changeTeam"
    | "members"
    | "setMember"
    | "removeMember"
    | "tokens"
    | "revokeToken"
    | "sizes"
    | "unusedWorlds"
    | "isUnused"
    | "used"
    | "audit"
  >;
  /** The token is in no other answer. Undefined: it would expire before it begins. */
  createToken(wanted: NewToken): Promise<{ token: string; row: TokenRow } | undefined>;
  /** For a browser that shows a token; undefined when the token does not count. */
  signIn(token: string): Promise<{ principal: Principal; id: string; seconds: number } | undefined>;
  signOut(id: string): Promise<void>;
  readonly limits: Limits;
  /** The id in the cookie of a browser that has signed in. */
  sessionIn(headers: CredentialHeaders): string | undefined;
  /** As far as it is known without asking; for what is counted, not for what is allowed. */
  teamAtHand(world: string): string | null | undefined;
  /** Undefined when it is known already whose the world is, and what that team may use. */
  atHand(world: string): Promise<void> | undefined;
  /** Null: of none; undefined: there is no such world. */
  teamOf(world: string): Promise<string | null | undefined>;
  /** The worlds that are made in `work` belong to the team; all of them are kept, or none is. */
  makesFor<T>(team: string | null, work: () => T): T;
  /** Under which worlds are made now; undefined: none are. */
  readonly making: Making | undefined;
  /** Resolves when it is written. */
  note(entry: Omit<AuditRow, "at">): Promise<void>;
  close(): Promise<void>;
}
