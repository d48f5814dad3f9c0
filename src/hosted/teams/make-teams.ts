// Joins what teams are made of: principals, quotas, the audit log, and the rows in the database.

import { hashOf } from "../../engine/world/state/credential.ts";
import type { Making } from "../postgres/shared-worlds.ts";
import { makeAudit } from "./audit.ts";
import { makeCache } from "./cache.ts";
import { makePrincipals, newToken, type PrincipalNeeds } from "./principals.ts";
import { Quotas } from "./quotas.ts";
import type { TeamStore } from "./team-store.ts";
import type { Teams } from "./teams.ts";

interface TeamsDeps extends Omit<PrincipalNeeds, "store"> {
  store: TeamStore;
  /** Ms since 1970 by the database's clock. */
  now(): number;
  /** How long an ISO 8601 duration takes from now on. */
  secondsIn(duration: string): number;
}

/** Worlds; past it all are forgotten, and the next request of each asks the database. */
const MOST_AT_HAND = 100_000;

/** `atHand` and `teamAtHand` read memory alone, for the path of every request and webhook. */
export function makeTeams(needs: TeamsDeps): Teams {
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
    sessionIn: needs.sessionIn,
    teamAtHand: (world) => atHand.get(world),
    teamOf,
    /** Undefined: everything is known. Otherwise resolves when it is; a request waits for it. */
    atHand(world) {
      const team = atHand.get(world);
      if (team === undefined) return teamOf(world).then(async (found) => (found ? limits.load(found) : undefined));
      return team === null ? undefined : limits.load(team);
    },
    get making() {
      return making;
    },
    // `work` is synchronous, so a field serves as the context, and no parameter goes through the whole engine.
    makesFor(team, work) {
      const before = making;
      making = { team };
      try {
        return work();
      } finally {
        making = before;
      }
    },
    async createToken({ expires, ...wanted }) {
      const seconds = expires === undefined ? null : needs.secondsIn(expires);
      // A token that has expired at its making is a mistake of the caller.
      if (seconds !== null && seconds <= 0) return undefined;
      const token = newToken(needs.newSecret());
      return { token, row: await store.addToken({ ...wanted, seconds, hash: hashOf(token) }) };
    },
    close: () => limits.close(),
  };
}
