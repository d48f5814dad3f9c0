// Teams: the senders of requests to the control API, what teams may still use, and the audit log.

import { hashToken } from "../../engine/world/index.ts";
import type { Making } from "../postgres/batch.ts";
import type { TeamStore } from "../postgres/team-use.ts";
import { createAudit } from "./audit.ts";
import { createCache } from "./cache.ts";
import { Principals, type PrincipalsDeps } from "./principals.ts";
import { Quotas } from "./quotas.ts";
import type { TokenRow } from "./team-rows.ts";

interface TeamsDeps extends PrincipalsDeps {
  store: TeamStore;
  /** Ms since 1970 by the database's clock. */
  now(): number;
  /** Converts an ISO 8601 duration from now on to seconds. */
  secondsIn(duration: string): number;
}

interface NewToken extends Pick<TokenRow, "team" | "subject" | "role"> {
  /** An ISO 8601 duration; undefined: until it is revoked. */
  expires: string | undefined;
}

export class Teams extends Principals {
  readonly store: TeamStore;
  readonly limits: Quotas;
  /** Writes to the audit log. */
  readonly note: ReturnType<typeof createAudit>;
  readonly #deps: TeamsDeps;
  readonly #owners: ReturnType<typeof createCache<{ team: string | null }>>;
  #making: Making | undefined;

  constructor(deps: TeamsDeps) {
    super(deps);
    const { store } = deps;
    this.store = store;
    this.limits = new Quotas(deps);
    this.note = createAudit(deps);
    this.#deps = deps;
    this.#owners = createCache(deps.monotonic, (world) => store.findTeam(world));
  }

  /** Returns the team of a world, null for none, or undefined if there is no such world. */
  async findTeam(world: string): Promise<string | null | undefined> {
    return (await this.#owners.get(world))?.team;
  }

  /** Returns the cached team without waiting. Use it for counts, not for permissions. */
  readTeam(world: string): string | null | undefined {
    return this.#owners.readLatest(world)?.team;
  }

  /** Loads the team of a world and its quotas. Returns undefined if both are known. */
  load(world: string): Promise<void> | undefined {
    const team = this.readTeam(world);
    if (team === undefined) return this.findTeam(world).then((found) => (found ? this.limits.load(found) : undefined));
    return team === null ? undefined : this.limits.load(team);
  }

  /** The creation under way. Undefined: no world is being created. */
  get making(): Making | undefined {
    return this.#making;
  }

  /** Worlds that `work` creates belong to the team. All of them are kept, or none is. */
  runForTeam<T>(team: string | null, work: () => T): T {
    // `work` is synchronous, so a field is enough, and the engine needs no parameter.
    const before = this.#making;
    this.#making = { team };
    try {
      return work();
    } finally {
      this.#making = before;
    }
  }

  /** The token is in no other response. Returns undefined if it would expire before it begins. */
  async createToken({ expires, ...wanted }: NewToken) {
    const seconds = expires === undefined ? null : this.#deps.secondsIn(expires);
    if (seconds !== null && seconds <= 0) return undefined;
    const token = `sbx_${this.#deps.newSecret()}`;
    return { token, row: await this.store.addToken({ ...wanted, seconds, hash: hashToken(token) }) };
  }

  close(): Promise<void> {
    return this.limits.close();
  }
}
