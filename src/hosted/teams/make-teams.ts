// Joins what teams are made of: principals, quotas, the audit log, and the rows in the database.

import { hashOf } from "../../engine/world/state/credential.ts";
import type { Making } from "../postgres/shared-worlds.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { makeAudit } from "./audit.ts";
import { makeCache } from "./cache.ts";
import { makePrincipals, newToken, type PrincipalNeeds } from "./principals.ts";
import { Quotas } from "./quotas.ts";
import type { TeamRole } from "./team-rows.ts";

interface TeamsDeps extends Omit<PrincipalNeeds, "store"> {
  store: TeamStore;
  /** Ms since 1970 by the database's clock. */
  now(): number;
  /** How long an ISO 8601 duration takes from now on. */
  secondsIn(duration: string): number;
}

interface NewToken {
  team: string;
  subject: string;
  role: TeamRole;
  /** An ISO 8601 duration; undefined: until it is revoked. */
  expires: string | undefined;
}

/** Who sends a request to the control API, what their team may still use, and what is written down about it. */
export type Teams = ReturnType<typeof makeTeams>;

/** Worlds; past it all are forgotten, and the next request of each asks the database. */
const MOST_AT_HAND = 100_000;

/** `atHand` and `teamAtHand` read memory alone, for the path of every request and webhook. */
export function makeTeams(needs: TeamsDeps) {
  const { store, now, warn } = needs;
  const owners = makeCache(needs.monotonic, (world) => store.teamOf(world));
  const limits = new Quotas({ store, now, warn });
  const atHand = new Map<string, string | null>();
  let making: Making | undefined;
  async function teamOf(world: string): Promise<string | null | undefined> {
    const found = await owners.get(world);
    if (atHand.size >= MOST_AT_HAND) atHand.clear();
    if (found) atHand.set(world, found.team);
    else atHand.delete(world);
    return found?.team;
  }
  return {
    ...makePrincipals(needs),
    store,
    limits,
    note: makeAudit(needs),
    /** The id in the cookie of a browser that has signed in. */
    sessionIn: needs.sessionIn,
    /** As far as it is known without asking; for what is counted, not for what is allowed. */
    teamAtHand: (world: string) => atHand.get(world),
    /** Null: of none; undefined: there is no such world. */
    teamOf,
    /** Undefined when it is known already whose the world is, and what that team may use. */
    atHand(world: string): Promise<void> | undefined {
      const team = atHand.get(world);
      if (team === undefined) return teamOf(world).then(async (found) => (found ? limits.load(found) : undefined));
      return team === null ? undefined : limits.load(team);
    },
    /** Under which worlds are made now; undefined: none are. */
    get making() {
      return making;
    },
    /** The worlds that are made in `work` belong to the team; all of them are kept, or none is. */
    makesFor<T>(team: string | null, work: () => T): T {
      // `work` is synchronous, so a field serves as the context, and no parameter goes through the whole engine.
      const before = making;
      making = { team };
      try {
        return work();
      } finally {
        making = before;
      }
    },
    /** The token is in no other response. Undefined: it would expire before it begins. */
    async createToken({ expires, ...wanted }: NewToken) {
      const seconds = expires === undefined ? null : needs.secondsIn(expires);
      if (seconds !== null && seconds <= 0) return undefined;
      const token = newToken(needs.newSecret());
      return { token, row: await store.addToken({ ...wanted, seconds, hash: hashOf(token) }) };
    },
    close: () => limits.close(),
  };
}
