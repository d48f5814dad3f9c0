// Teams: who sends a request to the control API, what their team may still use, and what is written down about it.

import { hashOf } from "../../engine/world/index.ts";
import type { Making } from "../postgres/batch.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { makeAudit } from "./audit.ts";
import { makeCache } from "./cache.ts";
import { newToken, Principals, type PrincipalsDeps } from "./principals.ts";
import { Quotas } from "./quotas.ts";
import type { TeamRole } from "./team-rows.ts";

interface TeamsDeps extends PrincipalsDeps {
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

/** Worlds; past it all are forgotten, and the next request of each asks the database. */
const MOST_AT_HAND = 100_000;

export class Teams extends Principals {
  readonly store: TeamStore;
  readonly limits: Quotas;
  /** Writes to the audit log. */
  readonly note: ReturnType<typeof makeAudit>;
  readonly #needs: TeamsDeps;
  readonly #owners: ReturnType<typeof makeCache<{ team: string | null }>>;
  readonly #atHand = new Map<string, string | null>();
  #making: Making | undefined;

  constructor(needs: TeamsDeps) {
    super(needs);
    const { store } = needs;
    this.store = store;
    this.limits = new Quotas(needs);
    this.note = makeAudit(needs);
    this.#needs = needs;
    this.#owners = makeCache(needs.monotonic, (world) => store.teamOf(world));
  }

  /** As far as it is known without asking; for what is counted, not for what is allowed. */
  teamAtHand(world: string): string | null | undefined {
    return this.#atHand.get(world);
  }

  /** Null: of none; undefined: there is no such world. */
  async teamOf(world: string): Promise<string | null | undefined> {
    const found = await this.#owners.get(world);
    if (this.#atHand.size >= MOST_AT_HAND) this.#atHand.clear();
    if (found) this.#atHand.set(world, found.team);
    else this.#atHand.delete(world);
    return found?.team;
  }

  /** Undefined when it is known already whose the world is, and what that team may use. */
  atHand(world: string): Promise<void> | undefined {
    const team = this.#atHand.get(world);
    if (team === undefined) return this.teamOf(world).then((found) => (found ? this.limits.load(found) : undefined));
    return team === null ? undefined : this.limits.load(team);
  }

  /** Under which worlds are made now; undefined: none are. */
  get making(): Making | undefined {
    return this.#making;
  }

  /** The worlds that are made in `work` belong to the team; all of them are kept, or none is. */
  makesFor<T>(team: string | null, work: () => T): T {
    // `work` is synchronous, so a field serves as the context, and no parameter goes through the whole engine.
    const before = this.#making;
    this.#making = { team };
    try {
      return work();
    } finally {
      this.#making = before;
    }
  }

  /** The token is in no other response. Undefined: it would expire before it begins. */
  async createToken({ expires, ...wanted }: NewToken) {
    const seconds = expires === undefined ? null : this.#needs.secondsIn(expires);
    if (seconds !== null && seconds <= 0) return undefined;
    const token = newToken(this.#needs.newSecret());
    return { token, row: await this.store.addToken({ ...wanted, seconds, hash: hashOf(token) }) };
  }

  close(): Promise<void> {
    return this.limits.close();
  }
}
