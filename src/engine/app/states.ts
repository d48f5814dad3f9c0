// How worlds are created, forked, reset, imported, rewound, restored and removed. Each change has its entry in the log.

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
import { FixtureWorlds, type FixtureWorldsDeps, type Play } from "./fixture-worlds.ts";
import { isMomentName, type Moment, type PastState } from "./history.ts";
import { importWorld } from "./import-world.ts";
import { type PopulateDeps, type PopulateOptions, type PopulateRequest, populateWorld } from "./populate-world.ts";
import type { RecordCheck } from "./record-check.ts";
import { type RewindDeps, type Rewound, rewindWorld } from "./rewind.ts";
import { exportWorld } from "./world-export.ts";

type WorldInput = Omit<Schemas["WorldInput"], "webhook_events">;

interface StatesDeps extends FixtureWorldsDeps, PopulateDeps, RewindDeps {
  newCredentials(world: string): { id: string; secret: string };
  newWorldId(): string;
  check: RecordCheck;
  /** Forgets what works for the state of a world that is replaced: deliveries in the queue, and faults. */
  forgetWork(id: string): void;
  /** Forgets the runs, logs and verdicts of a world that is gone. */
  forgetWorld(id: string): void;
  /** Forgets the log of a world that is elsewhere from now on. */
  forgetLog(id: string): void;
  /** Begins the past of a world of which nothing is retained. */
  opened(world: World, why: "opened"): void;
  /** Adds an entry to the log of a world. */
  note(world: World, change: string, detail?: object): void;
  /** The worlds that are part of the run that began in this one, and are removed with it. */
  partsOf(world: World): readonly World[];
  /** Reads what the run of a world needs of it when it is gone. */
  readLeft(world: World): object;
  defaults: {
    fixture: string;
    clock: string | undefined;
    seed: string | undefined;
    /** Worlds for which none was requested have a seed of their own. */
    ownSeeds: boolean;
    assume: Readonly<Record<string, string>>;
    allowPublic: boolean;
  };
}

export class States {
  readonly #deps: StatesDeps;
  readonly #fixtures: FixtureWorlds;
  /** Fork → the world that it was copied from, of this run. */
  readonly #origins = new Map<string, string>();

  constructor(deps: StatesDeps) {
    this.#deps = deps;
    this.#fixtures = new FixtureWorlds(deps);
  }

  /** Options of the start fill in what the input leaves out. */
  create(input: WorldInput): World {
    const { defaults, newCredentials, newWorldId, worlds } = this.#deps;
    const fixture = input.fixture ?? defaults.fixture;
    const id = input.id ?? newWorldId();
    // A receiver may serve several worlds, and knows messages by their ids.
    const isOwn = defaults.ownSeeds || input.webhook_url !== undefined;
    const { collections, template } = this.#fixtures.play({
      origin: this.#fixtures.originAt(fixture, input.clock ?? defaults.clock),
      seed: input.seed === undefined ? this.#findSeed(id, fixture, isOwn) : String(input.seed),
      assumptions: { ...defaults.assume },
    });
    renewKeys(collections, () => newCredentials(id));
    return this.#noteCreated(this.#load(worlds.create(id, collections, template)));
  }

  /** Copies the world as it is now, or as it was at a point. The copies of a trial are gone soon, so the log of the world has no entry. */
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
    // Clients of the one must not reach the other, so the scopes are copied and the secrets are not.
    const keys = [...world.credentials().keys.all()].filter((key) => !key.revoked_at);
    const makeOwn = (copy: World) =>
      copy.transact(at, (tx) => {
        const own = copy.credentials();
        for (const key of [...own.keys.all()]) tx.keys.remove(key.id);
        for (const token of [...own.tokens.all()]) tx.tokens.remove(token.id);
        for (const { name, scopes } of keys) createKey(tx, { ...newCredentials(id), name, scopes });
        // Disabled: the receiver of the original would get messages of two worlds.
        for (const { pinned: _, ...subscription } of [...own.subscriptions.all()])
          tx.subscriptions.put({ ...subscription, state: "DISABLED" });
        // The original sends them.
        for (const delivery of [...tx.deliveries.walk("due")]) tx.deliveries.put({ ...delivery, state: "DROPPED" });
        const identity = tx.identity.get("identity");
        // Other ids from here on, so that records of the two can be told apart.
        if (identity) tx.identity.put({ ...identity, seed: toWorldSeed(identity.seed, id) });
      });
    this.#origins.set(id, world.id);
    return this.#load(worlds.fork(world.id, id, makeOwn, changes));
  }

  /** The id of the world that a fork of this run was copied from. */
  originOf(id: string): string | undefined {
    return this.#origins.get(id);
  }

  remove(world: World): void {
    const { partsOf, readLeft, worlds, note, forgetWorld } = this.#deps;
    for (const each of [...partsOf(world), world]) {
      const left = readLeft(each);
      this.#forget(each.id);
      worlds.drop(each.id);
      // After it is dropped: an entry before would be retained of a world that is gone.
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

  /** Puts a world here as the store has it. */
  open(id: string, state: State, why?: "created" | "opened"): World {
    const world = this.#deps.worlds.load(id, state);
    this.#deps.opened(world, "opened");
    this.#load(world);
    return why === "created" ? this.#noteCreated(world) : world;
  }

  reset(world: World): World {
    // Before anything is forgotten, for it may be rejected.
    const { collections, template } = this.#fixtures.play(this.#findBeginning(world));
    return this.#replace(world, () => this.#deps.worlds.replace(world.id, collections, template), "reset");
  }

  /** What the steps of its fixture changed, before its history began, oldest first. */
  async listFixtureSteps(world: World): Promise<readonly PastCommit[]> {
    const identity = world.identity();
    return identity ? this.#fixtures.listPast(identity) : [];
  }

  /** The document in pieces; some are empty. */
  export(world: World): Iterable<string> {
    return exportWorld(world);
  }

  /** Serves other requests while it works. Returns undefined when the world is gone by then. */
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
    const what = `${name} names another moment of the history, as numbers, now and the ids of requests do. Choose another name.`;
    if (isMomentName(name)) reject("INVALID_INPUT", [{ path: "path.name", what }]);
    worlds.save(world.id, name, fromMillis(wall()), now(world));
    note(world, "snapshot", { name });
  }

  restore(world: World, name: string): World {
    return this.#replace(world, () => this.#deps.worlds.restore(world.id, name), "restore", { name });
  }

  /** Makes one transaction that puts every record as it was. It is recorded, and can be undone as any other. */
  async rewind(world: World, moment: Moment): Promise<Rewound> {
    const rewound = await rewindWorld(this.#deps, world, moment);
    const { to, undone, undid, records, undo } = rewound;
    this.#deps.note(world, "rewind", { to: to.seq, named: to.named, undone, undid, records, was: undo.to });
    return rewound;
  }

  #load(world: World): World {
    this.#deps.loaded(world);
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

  /** The new world has nothing of the past of the one that it replaces. */
  #replace({ id }: World, make: () => World, change: string, detail?: object): World {
    // Before: deliveries of the old world must not be sent from the new one.
    this.#deps.forgetWork(id);
    const world = this.#load(make());
    this.#deps.note(world, change, detail);
    return world;
  }

  /** The seed of a world for which none was requested. */
  #findSeed(world: string, fixture: string, isOwn: boolean): string {
    const { defaults } = this.#deps;
    const seed = defaults.seed ?? String(this.#deps.fixture(fixture).world.seed);
    return defaults.seed === undefined && isOwn ? toWorldSeed(seed, world) : seed;
  }

  /** What a world is reset to: its identity, which a document or an edited data file may have brought. */
  #findBeginning(world: World): Play {
    const { check, defaults } = this.#deps;
    const { fixture, clock, assume } = defaults;
    const identity = world.identity();
    const problem = check("identity", identity);
    // An unknown assumption does no harm.
    if (identity && (!problem || problem.member === "assumptions")) return identity;
    // Reset to another fixture would be a surprise.
    if (identity && problem?.member === "origin.fixture")
      reject("FIXTURE_NOT_HERE", { world_id: world.id, fixture: String(identity.origin.fixture).slice(0, 100) });
    const origin = this.#fixtures.originAt(fixture, clock);
    return { origin, seed: this.#findSeed(world.id, fixture, defaults.ownSeeds), assumptions: { ...assume } };
  }
}

/** The keys of a new world are its own, whatever its records were copied from. Where a fixture names none, it has one with every scope. */
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
