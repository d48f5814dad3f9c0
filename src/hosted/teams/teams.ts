// What the transport may ask of teams: who sends a request, what their team may still use, and what is written down about it.

import type { MetricsRegistry } from "../../engine/app/monitoring/metrics.ts";
import type { Making } from "../postgres/shared-worlds.ts";
import type { CredentialHeaders, Principal, Principals } from "./principal.ts";
import type { AuditRow, TeamRole, TeamStore, TokenRow } from "./team-store.ts";

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

/** What teams may still use. Teams that are not loaded have no limits. */
export interface Limits {
  /** Undefined when the team is in memory, with what it used of late. */
  load(team: string): Promise<void> | undefined;
  /** Counts a request, or returns why there may be none. */
  countRequest(team: string): Full | undefined;
  /** Why the worlds of a team may not grow. */
  whyNotGrow(team: string): Full | undefined;
  /** Why a team may not have this many more worlds, before they are created; the store counts again as it keeps them. */
  whyNotMoreWorlds(team: string, count: number): Promise<Full | undefined>;
  /** What webhooks of the team may reach in private networks. */
  findTargets(team: string): readonly string[];
  /** The metrics. */
  registerMetrics(registry: MetricsRegistry): void;
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
