// Creates, forks, resets, imports, rewinds, restores and removes worlds, and logs each change.

import type { Schemas } from "../../contract/schemas.ts";
import { createKey, SCOPES, sortKeys } from "../domain/company/key.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Key } from "../domain/kernel/records.ts";
import type { Populated } from "../fixtures/populate.ts";
import type { State } from "../log/entry.ts";
import type { PastCommit, RowChange } from "../world/state/commit.ts";
import type { Collections } from "../world/state/schema.ts";
import { toWorldSeed } from "../world/state/seed.ts";
import type { World } from "../world/state/world.ts";
import { type FixtureInput, FixtureWorlds } from "./fixture-worlds.ts";
import { isPointName, type NamedPoint, type PastState } from "./history.ts";
import { importWorld } from "./import-world.ts";
import { type PopulateOptions, type PopulateRequest, populateWorld } from "./populate-world.ts";
import { type Rewound, rewindWorld } from "./rewind.ts";
import type { StatesDeps } from "./states-deps.ts";
import { exportWorld } from "./world-export.ts";

type WorldInput = Omit<Schemas["WorldInput"], "webhook_events">;

export class States {
  readonly #deps: StatesDeps;
  readonly #fixtures: FixtureWorlds;
  /** Fork → the world that it was copied from, in this process. */
  readonly #origins = new Map<string, string>();

  constructor(deps: StatesDeps) {
    this.#deps = deps;
    this.#fixtures = new FixtureWorlds(deps);
  }

  /** Creates a world. The start options are the defaults of the input. */
  create(input: WorldInput): World {
    const { defaults, newCredentials, newWorldId, worlds } = this.#deps;
    const fixture = input.fixture ?? defaults.fixture;
    const id = input.id ?? newWorldId();
    // A receiver of several worlds identifies messages by their ids, which depend on the seed.
    const isOwn = defaults.ownSeeds || input.webhook_url !== undefined;
    const { collections, template } = this.#fixtures.play({
      origin: this.#fixtures.createOrigin(fixture, input.clock ?? defaults.clock),
      seed: input.seed === undefined ? this.#findSeed(id, fixture, isOwn) : String(input.seed),
      assumptions: { ...defaults.assume },
    });
    renewKeys(collections, () => newCredentials(id));
    return this.#noteCreated(this.#load(worlds.create(id, collections, template)));
  }

  /**
   * Copies the current world, or its state at a point. Copies of a trial are removed soon, so they are not logged in
   * the original.
   */
  fork(world: World, count: number, past?: PastState, isTrial?: boolean): World[] {
    const { note } = this.#deps;
    const at = past?.point.at ?? this.#deps.now(world);
    const forks = Array.from({ length: count }, () => this.#forkOne(world, at, past?.changes ?? []));
    for (const fork of forks) note(fork, "created", { fork_of: world.id });
    if (!isTrial) note(world, "fork", { worlds: forks.map(({ id }) => id), ...(past ? { at } : {}) });
    return forks;
  }

  /** Assumptions: ids (the seed of the fork is mixed with its id), delivery-targets (its subscriptions are disabled). */
  #forkOne(world: World, at: Instant, changes: readonly RowChange[]): World {
    const { newCredentials, newWorldId, worlds } = this.#deps;
    const id = newWorldId();
    // Clients of the original must not reach the fork, so its keys have the same scopes and other secrets.
    const keys = [...world.credentials().keys.all()].filter((key) => !key.revoked_at);
    const makeOwn = (copy: World) =>
      copy.transact(at, (tx) => {
        const own = copy.credentials();
        for (const key of [...own.keys.all()]) tx.keys.remove(key.id);
        for (const token of [...own.tokens.all()]) tx.tokens.remove(token.id);
        for (const { name, scopes } of keys) createKey(tx, { ...newCredentials(id), name, scopes });
        // The receiver must not get messages of two worlds, so subscriptions are disabled.
        for (const { pinned: _, ...subscription } of [...own.subscriptions.all()])
          tx.subscriptions.put({ ...subscription, state: "DISABLED" });
        // The original sends the pending deliveries.
        for (const delivery of [...tx.deliveries.walk("due")]) tx.deliveries.put({ ...delivery, state: "DROPPED" });
        const identity = tx.identity.get("identity");
        // New records get other ids than in the original, so that they can be distinguished.
        if (identity) tx.identity.put({ ...identity, seed: toWorldSeed(identity.seed, id) });
      });
    this.#origins.set(id, world.id);
    return this.#load(worlds.fork(world.id, id, makeOwn, changes));
  }

  /** Returns the id of the world that a fork was copied from in this process. */
  findOrigin(id: string): string | undefined {
    return this.#origins.get(id);
  }

  remove(world: World): void {
    const { listParts, readLeft, worlds, note, forgetWorld } = this.#deps;
    for (const each of [...listParts(world), world]) {
      const left = readLeft(each);
      this.#forget(each.id);
      worlds.drop(each.id);
      // The entry is added after the world is dropped, so that the log of the removed world doesn't retain it.
      note(each, "removed", left);
      forgetWorld(each.id);
    }
  }

  /** Takes a world out of memory; the store keeps it. */
  close({ id }: World): void {
    this.#forget(id);
    this.#deps.worlds.close(id);
    this.#deps.forgetWorld(id);
    this.#deps.forgetLog(id);
  }

  /** Loads a world from the store. */
  open(id: string, state: State, why?: "created" | "opened"): World {
    const world = this.#deps.worlds.load(id, state);
    this.#deps.beginPast(world, "opened");
    this.#load(world);
    return why === "created" ? this.#noteCreated(world) : world;
  }

  reset(world: World): World {
    // The fixture is played before anything is forgotten, because it may be rejected.
    const { collections, template } = this.#fixtures.play(this.#findBeginning(world));
    return this.#replace(world, () => this.#deps.worlds.replace(world.id, collections, template), "reset");
  }

  /** Lists the changes of the steps of the fixture, before the history of the world began, oldest first. */
  async listFixtureSteps(world: World): Promise<readonly PastCommit[]> {
    const identity = world.identity();
    return identity ? this.#fixtures.listPast(identity) : [];
  }

  /** Returns the document in pieces, some of which are empty. */
  readonly export: (world: World) => Iterable<string> = exportWorld;

  /** Imports a document with turns for other requests in between. Returns undefined if the world was removed in the meantime. */
  async import(world: World, document: unknown) {
    const imported = await importWorld(this.#deps, world.id, document);
    if (imported) this.#deps.note(imported.world, "import");
    return imported;
  }

  /** Returns undefined, and adds nothing, when the world has changed in between, or the client has disconnected. */
  populate(world: World, request: PopulateRequest, options: PopulateOptions = {}): Promise<Populated | undefined> {
    return populateWorld(this.#deps, world, request, options);
  }

  save(world: World, name: string): void {
    const { worlds, wall, now, note } = this.#deps;
    const what = `${name} already names a point in time, as numbers, now and the ids of requests do. Choose another name.`;
    if (isPointName(name)) reject("INVALID_INPUT", [{ path: "path.name", what }]);
    worlds.save(world.id, name, fromMillis(wall()), now(world));
    note(world, "snapshot", { name });
  }

  restore(world: World, name: string): World {
    return this.#replace(world, () => this.#deps.worlds.restore(world.id, name), "restore", { name });
  }

  /** Restores every record to a point in one transaction, which is logged and can be undone. */
  async rewind(world: World, moment: NamedPoint): Promise<Rewound> {
    const rewound = await rewindWorld(this.#deps, world, moment);
    const { to, undone, undid, records, undo } = rewound;
    this.#deps.note(world, "rewind", { to: to.seq, named: to.named, undone, undid, records, was: undo.to });
    return rewound;
  }

  #load(world: World): World {
    this.#deps.onLoad(world);
    return world;
  }

  #forget(id: string): void {
    this.#origins.delete(id);
    this.#deps.forgetWork(id);
  }

  #noteCreated(world: World): World {
    this.#deps.note(world, "created", { fixture: world.identity()?.fixture ?? "" });
    return world;
  }

  /** Replaces a world. The new one has no part of its past. */
  #replace({ id }: World, make: () => World, change: string, detail?: object): World {
    // Queued deliveries of the old world are forgotten first, so that the new one doesn't send them.
    this.#deps.forgetWork(id);
    const world = this.#load(make());
    this.#deps.note(world, change, detail);
    return world;
  }

  /** Finds the seed of a world without a requested one. */
  #findSeed(world: string, fixture: string, isOwn: boolean): string {
    const { defaults } = this.#deps;
    const seed = defaults.seed ?? String(this.#deps.fixture(fixture).world.seed);
    return defaults.seed === undefined && isOwn ? toWorldSeed(seed, world) : seed;
  }

  /** Finds the input of a reset: the identity of the world, which may be from a document or an edited data file. */
  #findBeginning(world: World): FixtureInput {
    const { check, defaults } = this.#deps;
    const { fixture, clock, assume } = defaults;
    const identity = world.identity();
    const problem = check("identity", identity);
    // An unknown assumption does no harm.
    if (identity && (!problem || problem.member === "assumptions")) return identity;
    // A reset to another fixture would be surprising.
    if (identity && problem?.member === "origin.fixture")
      reject("FIXTURE_NOT_HERE", { world_id: world.id, fixture: String(identity.origin.fixture).slice(0, 100) });
    const origin = this.#fixtures.createOrigin(fixture, clock);
    return { origin, seed: this.#findSeed(world.id, fixture, defaults.ownSeeds), assumptions: { ...assume } };
  }
}

/** Creates new keys for a new world. If its fixture has none, the world gets one with every scope. */
function renewKeys(collections: Collections, newCredentials: () => { id: string; secret: string }): void {
  const old = sortKeys(collections.keys.all());
  for (const key of old) collections.keys.set(key.id, null);
  const inputs: Pick<Key, "name" | "scopes">[] =
    old.length > 0 ? old : [{ name: "Sandbox integration", scopes: [...SCOPES] }];
  for (const [index, { name, scopes }] of inputs.entries()) {
    const created_at = collections.clock.get("clock")?.at ?? "";
    const key = { ...newCredentials(), name, scopes, created_at, position: index + 1 };
    collections.keys.set(key.id, key);
  }
}
