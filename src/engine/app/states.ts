// Creates, forks, resets, imports, fills, rewinds, restores and removes worlds, and logs each change.

import type { Schemas } from "../../contract/schemas.ts";
import { createKey, SCOPES, sortKeys } from "../domain/company/key.ts";
import type { Beginning } from "../domain/kernel/beginnings.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import { fromMillis, type Instant } from "../domain/kernel/instant.ts";
import type { Counters, Key, Subscription } from "../domain/kernel/records.ts";
import type { Repository, Transaction } from "../domain/kernel/transaction.ts";
import type { Populated } from "../fixtures/populate.ts";
import type { Row } from "../log/entry.ts";
import type { ActivityLog } from "../log/log.ts";
import { type Commit, REWIND } from "../log/past.ts";
import type { WorldLogs } from "../log/world-logs.ts";
import type { Settings } from "../settings.ts";
import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { Relays } from "../webhooks/relays.ts";
import type { Cause, RowChange } from "../world/state/commit.ts";
import { chooseCounters } from "../world/state/counters.ts";
import { type Collections, createCollections, listRowChanges, type Name, type State } from "../world/state/schema.ts";
import { toWorldSeed } from "../world/state/seed.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Clocks } from "./clocks.ts";
import type { Faults } from "./faults.ts";
import { type FixtureDeps, type FixtureInput, FixtureWorlds } from "./fixture-worlds.ts";
import { type History, isOfClient, isPointName, type NamedPoint, type PastState } from "./history.ts";
import { type PopulateRequest, populateWorld } from "./populate-world.ts";
import type { Quarantine } from "./quarantine.ts";
import type { RecordCheck } from "./record-check.ts";
import { type Runs, readLeftInWorld } from "./runs.ts";
import type { Verdicts } from "./verdicts.ts";
import { exportWorld, readWorld } from "./world-document.ts";

type WorldInput = Omit<Schemas["WorldInput"], "webhook_events">;

interface StatesDeps extends FixtureDeps {
  settings: Settings;
  worlds: Worlds;
  clocks: Clocks;
  dispatcher: Dispatcher;
  history: History;
  activityLog: ActivityLog;
  log: WorldLogs;
  quarantine: Quarantine;
  runs: Runs;
  faults: Faults;
  verdicts: Verdicts;
  relays: Relays;
  check: RecordCheck;
  random: {
    credentials(world: string): { id: string; secret: string };
    worldId(): string;
  };
  newId(kind: "wld"): string;
  /** Begins the past of a world without retained entries. */
  beginPast(world: World, why: Beginning): void;
}

type Rewound = Schemas["Rewound"];
type Restored = Pick<Rewound, "undone" | "undid" | "records" | "messages" | "undo">;

/** The name of the snapshot that a rewind saves of the world before it. */
const BEFORE_REWIND = "before-rewind";
const MAX_NAMED_CAUSES = 200;

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
    const { settings, random, worlds } = this.#deps;
    const fixture = input.fixture ?? settings.fixture;
    const id = input.id ?? random.worldId();
    const { collections, template } = this.#fixtures.play({
      origin: this.#fixtures.createOrigin(fixture, input.clock ?? settings.clock),
      // A receiver of several worlds identifies messages by their ids, which depend on the seed.
      seed: String(input.seed ?? this.#findSeed(id, fixture, input.webhook_url !== undefined)),
      assumptions: { ...settings.assume },
    });
    renewKeys(collections, () => random.credentials(id));
    const world = worlds.create(id, collections, template);
    return this.#begin(world, "created", { fixture: world.identity()?.fixture });
  }

  /**
   * Copies the current world, or its state at a point. Copies of a trial are removed soon, so they are not logged in
   * the original.
   */
  fork(world: World, count: number, past?: PastState, isTrial?: boolean): World[] {
    const at = past?.point.at ?? this.#deps.clocks.now(world);
    const forks = Array.from({ length: count }, () => this.#forkOne(world, at, past?.changes ?? []));
    for (const fork of forks) this.note(fork, "created", { fork_of: world.id });
    if (!isTrial) this.note(world, "fork", { worlds: forks.map(({ id }) => id), ...(past ? { at } : {}) });
    return forks;
  }

  /** Assumptions: ids (the seed of the fork is mixed with its id), delivery-targets (its subscriptions are disabled). */
  #forkOne(world: World, at: Instant, changes: readonly RowChange[]): World {
    const { random, worlds, dispatcher } = this.#deps;
    const id = random.worldId();
    // Clients of the original must not reach the fork, so its keys have the same scopes and other secrets.
    const keys = [...world.credentials().keys.all()].filter((key) => !key.revoked_at);
    const makeOwn = (copy: World) =>
      copy.transact(at, (tx) => {
        const own = copy.credentials();
        for (const key of [...own.keys.all()]) tx.keys.remove(key.id);
        for (const token of [...own.tokens.all()]) tx.tokens.remove(token.id);
        for (const { name, scopes } of keys) createKey(tx, { ...random.credentials(id), name, scopes });
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
    const fork = worlds.fork(world.id, id, makeOwn, changes);
    dispatcher.wake(fork);
    return fork;
  }

  /** Returns the id of the world that a fork was copied from in this process. */
  findOrigin(id: string): string | undefined {
    return this.#origins.get(id);
  }

  /** Removes a world, and the worlds of the run that began in it. */
  remove(world: World): void {
    const { runs, worlds } = this.#deps;
    const parts = runs.listMembers(world.id).filter((id) => runs.findRun(id));
    for (const each of [...parts.flatMap((id) => worlds.get(id) ?? []), world]) {
      const left = this.#readLeft(each);
      this.#forgetWork(each.id);
      worlds.drop(each.id);
      // The entry is added after the world is dropped, so that the log of the removed world doesn't retain it.
      this.note(each, "removed", left);
      this.#forgetWorld(each.id);
    }
  }

  /** Reads the data that the run of a world needs after its removal. */
  #readLeft(world: World): object {
    const { runs, log, quarantine, clocks } = this.#deps;
    const run = runs.findRun(world.id);
    if (!run || quarantine.explain(world) !== undefined) return {};
    const requests = log.list(run.world, { kinds: ["request"], run: true }).filter((each) => each.world === world.id);
    return { left: clocks.read(world, (tx) => readLeftInWorld(tx, requests)) };
  }

  /** Takes a world out of memory; the store keeps it. */
  close({ id }: World): void {
    this.#forgetWork(id);
    this.#deps.worlds.close(id);
    this.#forgetWorld(id);
    this.#deps.activityLog.forget(id);
  }

  /** Loads a world from the store. */
  open(id: string, state: State): World {
    const world = this.#deps.worlds.load(id, state);
    this.#deps.beginPast(world, "opened");
    this.#deps.dispatcher.wake(world);
    return world;
  }

  reset(world: World): World {
    // The fixture is played before anything is forgotten, because it may be rejected.
    const { collections, template } = this.#fixtures.play(this.#findBeginning(world));
    return this.#replace(world, () => this.#deps.worlds.replace(world.id, collections, template), "reset");
  }

  /** Returns the document in pieces, some of which are empty. */
  readonly export: (world: World) => Iterable<string> = exportWorld;

  /**
   * Imports a document with turns for other requests in between. Returns undefined if the world was removed in the
   * meantime. Rejects with INVALID_INPUT, which leaves the world unchanged.
   */
  async import(world: World, document: unknown): Promise<{ world: World; warnings: string[] } | undefined> {
    const { worlds } = this.#deps;
    const collections = createCollections();
    const warnings = await readWorld(document, collections, this.#deps);
    const rows = listRowChanges(collections);
    const isWanted = () => worlds.get(world.id) !== undefined;
    const finish = () => {
      this.#forgetWork(world.id);
      return [];
    };
    const replaced = await worlds.replaceInParts(world.id, { collections, rows, why: "import", isWanted, finish });
    return replaced && { world: this.#begin(replaced, "import"), warnings };
  }

  /** Returns undefined, and adds nothing, when the world has changed in between, or the client has disconnected. */
  populate(world: World, request: PopulateRequest): Promise<Populated | undefined> {
    const onAdded = (replaced: World, { added }: Populated) => void this.#begin(replaced, "populate", { added });
    return populateWorld({ ...this.#deps, onAdded }, world, request);
  }

  save(world: World, name: string): void {
    const { worlds, clocks } = this.#deps;
    const what = `${name} already names a point in time, as numbers, now and the ids of requests do. Choose another name.`;
    if (isPointName(name)) reject("INVALID_INPUT", [{ path: "path.name", what }]);
    worlds.save(world.id, name, fromMillis(clocks.wall()), clocks.now(world));
    this.note(world, "snapshot", { name });
  }

  restore(world: World, name: string): World {
    return this.#replace(world, () => this.#deps.worlds.restore(world.id, name), "restore", { name });
  }

  /**
   * Restores every record to a point in one transaction, which is logged and can be undone, once no move of the clock is
   * in progress. Keys and tokens stay, so that clients continue to work.
   */
  rewind(world: World, to: NamedPoint): Promise<Rewound> {
    const { clocks } = this.#deps;
    return clocks.runExclusively(world, async () => {
      const done = this.#findSameRewind(world, to) ?? (await this.#rewind(world, to));
      const { undone, undid, records, undo } = done;
      this.note(world, "rewind", { to: to.seq, named: to.named, undone, undid, records, was: undo.to });
      const went_back = world.counters()?.went_back ?? 0;
      return { to, now: clocks.now(world), went_back, snapshot: BEFORE_REWIND, ...done };
    });
  }

  /**
   * Finds the previous rewind if the world is still at the same point. Its snapshot then stays the one before the first
   * rewind.
   */
  #findSameRewind(world: World, { seq }: NamedPoint): Restored | undefined {
    const { history } = this.#deps;
    const last = history.listRewinds(world).at(-1);
    const isThere = last?.to === seq && last.seq === history.findLast(world).seq && world.clock()?.mode === "held";
    if (!isThere) return undefined;
    const undo = { to: history.findPointBefore(world, last.seq).seq };
    return { undone: 0, undid: [], records: 0, messages: 0, undo };
  }

  async #rewind(world: World, moment: NamedPoint): Promise<Restored> {
    const { worlds, history, clocks, dispatcher } = this.#deps;
    let undone = 0;
    const undid = new Set<string>();
    const restore = ({ changes }: PastState): Restored => {
      const undo = { to: history.findLast(world).seq };
      const restored = changes.filter((change) => !isPinned(world, change));
      // The snapshot allows users to undo the rewind even when the log is full.
      worlds.save(world.id, BEFORE_REWIND, fromMillis(clocks.wall()), clocks.now(world));
      const cause: Cause = { kind: "world", id: REWIND, to: moment.seq };
      clocks.changeAt(world, moment.at, cause, (tx) => restoreRecords(tx, restored));
      // Messages that were delivered after the point are pending again.
      dispatcher.forget(world.id);
      dispatcher.wake(world);
      const records = restored.filter(([collection]) => collection !== "clock").length;
      const messages = restored.filter(([collection, , row]) => collection === "messages" && row === null).length;
      return { undone, undid: [...undid].slice(-MAX_NAMED_CAUSES), records, messages, undo };
    };
    return history.withPast(world, moment, restore, (commit) => {
      undone++;
      if (hasDoer(commit)) undid.add(commit.cause.id);
    });
  }

  /** Adds a change of a world to its log. The clock of a world in quarantine may be unreadable. */
  note(world: World, change: string, detail: object = {}): void {
    const { clocks, log, newId, quarantine } = this.#deps;
    const at = quarantine.explain(world) === undefined ? clocks.now(world) : (world.clock()?.at ?? "");
    log.addWorldChange({ id: newId("wld"), world: world.id, at }, change, detail);
  }

  /** Sends the deliveries of a new world, and logs how it began. */
  #begin(world: World, change: string, detail?: object): World {
    this.#deps.dispatcher.wake(world);
    this.note(world, change, detail);
    return world;
  }

  /** Replaces a world. The new one has no part of its past. */
  #replace({ id }: World, make: () => World, change: string, detail?: object): World {
    // Queued deliveries of the old world are forgotten first, so that the new one doesn't send them.
    this.#forgetWork(id);
    return this.#begin(make(), change, detail);
  }

  /** Forgets the queued deliveries and the faults of a world that is replaced or removed. */
  #forgetWork(id: string): void {
    this.#deps.dispatcher.forget(id);
    this.#deps.faults.clear(id);
  }

  #forgetWorld(id: string): void {
    const { runs, log, verdicts, relays } = this.#deps;
    this.#origins.delete(id);
    runs.forget(id);
    log.forget(id);
    verdicts.forget(id);
    relays.endAll(id);
  }

  /** Finds the seed of a world without a requested one. Worlds in a database always have their own. */
  #findSeed(world: string, fixture: string, isOwn: boolean): string {
    const { settings } = this.#deps;
    if (settings.seed !== undefined) return settings.seed;
    const seed = String(this.#deps.fixture(fixture).world.seed);
    return isOwn || settings.database !== undefined ? toWorldSeed(seed, world) : seed;
  }

  /** Finds the input of a reset: the identity of the world, which may be from a document or an edited data file. */
  #findBeginning(world: World): FixtureInput {
    const { check, settings } = this.#deps;
    const identity = world.identity();
    const problem = check("identity", identity);
    // An unknown assumption does no harm.
    if (identity && (!problem || problem.member === "assumptions")) return identity;
    // A reset to another fixture would be surprising.
    if (identity && problem?.member === "origin.fixture")
      reject("FIXTURE_NOT_HERE", { world_id: world.id, fixture: String(identity.origin.fixture).slice(0, 100) });
    const origin = this.#fixtures.createOrigin(settings.fixture, settings.clock);
    const seed = this.#findSeed(world.id, settings.fixture, false);
    return { origin, seed, assumptions: { ...settings.assume } };
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

/** Whether a request, an act or a move of the clock caused the commit, and not only as a side effect. */
function hasDoer(commit: Commit): boolean {
  return commit.cause.kind !== "delivery" && commit.cause.kind !== "world" && !isOfClient(commit);
}

/** Whether it is, or was, a subscription of the person who runs the sandbox. */
function isPinned(world: World, [collection, id, before]: RowChange): boolean {
  if (collection !== "subscriptions") return false;
  return Boolean(world.credentials().subscriptions.get(id)?.pinned ?? (before as Partial<Subscription> | null)?.pinned);
}

function restoreRecords(tx: Transaction, changes: readonly RowChange[]): void {
  for (const [name, id, then] of changes) {
    const repository = tx[name as Name] as unknown as Repository<Row>;
    // Numbers are never reused, so counters continue.
    const own = repository.get(id) as Counters | undefined;
    const row = name === "counters" ? chooseCounters(own, (then ?? undefined) as Counters | undefined) : then;
    if (row) repository.put(row);
    else repository.remove(id);
  }
}
