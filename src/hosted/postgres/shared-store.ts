// The store of several nodes: which worlds this node owns, and what it asks the database about all worlds. A node reads a world when it takes
// the world. After that only this node changes it, and stores each entry of its log that changes something as a row.

import type { ListedWorld } from "../../engine/app/index.ts";
import {
  type ActivityLog,
  type EntrySink,
  type EntryStore,
  isStoreError,
  type State,
  type StoredEntry,
  StoreError,
  type WorldRecords,
} from "../../engine/log/index.ts";
import type { Making } from "./batch.ts";
import type { Database, Query } from "./connection.ts";
import { HeldWorld } from "./held-world.ts";
import { loadWorld, Unreadable } from "./load-world.ts";
import {
  acquireOwnership,
  claimOverdue,
  findLastRemoved,
  findNodeUrl,
  listWorlds,
  locateWorld,
  type OwnerLocation,
  releaseAll,
  releaseOwnership,
} from "./ownership.ts";
import { pack } from "./packed-rows.ts";
import type { Registration } from "./registration.ts";
import type { WriteQueue } from "./write-queue.ts";

interface SharedStoreDeps {
  log: ActivityLog;
  /** Connections for all statements except heartbeats and batches, which have their own. */
  database: Database;
  registration: Registration;
  queue: WriteQueue;
  close(): Promise<void>;
}

/** The outcome of an attempt to open a world. */
export type Acquired =
  /** The world is now owned by this node, and its log has the retained entries. `state` holds the world and its named snapshots (`id@name`). */
  | { is: "here"; epoch: number; state: State; team: string | null }
  | Extract<OwnerLocation, { is: "elsewhere" | "unknown" }>
  /** A world that this version can't read, for the reason in `why`. `isNewer`: a newer version can. */
  | { is: "unreadable"; why: string; isNewer: boolean };

/** Each world has one owner at a time. An entry is in the queue to the database when `append` returns, and not if it throws a StoreError. */
export type SharedStore = Pick<SharedDatabase, keyof SharedDatabase>;

/** A snapshot is written when the rows since the last one have this many bytes, and this many times its size. */
const LONG = { bytes: 1 << 20, times: 8 };
/** The same when a world is released, because the next node will read it soon. */
const LONG_TO_READ = { bytes: 128 << 10, times: 1 };

/** Every method that asks the database rejects with a StoreError, which becomes a 503. */
export class SharedDatabase implements EntryStore, EntrySink {
  readonly #deps: SharedStoreDeps;
  readonly #releasing = new Map<string, Promise<void>>();
  readonly #acquiring = new Map<string, Promise<Acquired>>();
  readonly #counts = { taken: 0, released: 0 };
  #handedOver: Promise<void> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(deps: SharedStoreDeps) {
    this.#deps = deps;
    deps.log.sink = this;
  }

  /** Finds the team of the next new world. Undefined: the world is the operator's. */
  set findMaking(find: () => Making | undefined) {
    this.#deps.queue.findMaking = find;
  }

  /** The id of this registration. A node whose heartbeat has lapsed registers under a new one. */
  get node(): string {
    return this.#deps.registration.node;
  }

  /** Whether the last heartbeat found no other node. */
  get isAlone(): boolean {
    return this.#deps.registration.isAlone;
  }

  /** Reports the address of this node to the others, once the node listens. */
  announce(): Promise<void> {
    return this.#deps.registration.announce();
  }

  /** Whether the heartbeat is confirmed and the database can be reached. */
  get isUsable(): boolean {
    return this.#handedOver === undefined && this.#deps.registration.isConfirmed;
  }

  explainUnusable(): string | undefined {
    if (this.isUsable) return undefined;
    return "The database can't be reached, or has not confirmed lately that this node is alive.";
  }

  /** Throws before anything is queued if the lease has lapsed, because the memory may be out of date. */
  append(entry: StoredEntry, records?: WorldRecords): void {
    // A part belongs to a world that is stored with the entry that replaces it.
    if (entry.effect === "part") return;
    if (entry.kind !== "commit" && entry.kind !== "state") {
      if (this.isUsable) this.#deps.queue.addOutcome(entry);
      return;
    }
    if (!this.isUsable) throw this.#unusable();
    const held = this.#deps.queue.add(entry, records);
    if (!held.isLong(LONG.bytes, LONG.times)) return;
    held.isPacking = true;
    // Memory gets the change after this call. A snapshot without the change would lose it.
    queueMicrotask(() => void this.#writeSnapshot(held).catch(() => undefined));
  }

  /** Writes the whole world from memory. */
  async #writeSnapshot(held: HeldWorld): Promise<void> {
    held.isPacking = true;
    const { seq, rows } = held;
    try {
      for (const [id, records] of this.copyState(new Set([held.id])))
        if (id === held.id)
          this.#deps.queue.addCheckpoint({ do: "checkpoint", held, seq, rows, body: await pack(records) });
    } finally {
      held.isPacking = false;
    }
  }

  /** Returns undefined if everything is written and the lease holds, so that a response needs no promise. */
  waitUntilDurable(world?: string): Promise<void> | undefined {
    const pending = this.#deps.queue.waitUntilWritten(world);
    if (pending) return pending.then(() => undefined);
    if (!this.#deps.registration.isConfirmed)
      return this.#deps.registration
        .isRegistered()
        .then((is) => (is ? this.waitUntilDurable(world) : Promise.reject(this.#unusable())));
    if (world === undefined || this.#deps.queue.held.has(world)) return undefined;
    return Promise.reject(this.#deps.queue.explainNotHere(world));
  }

  /** Makes this node the owner if no living node is, and loads the world. Simultaneous requests for a world share one attempt. */
  acquire(world: string): Promise<Acquired> {
    const known = this.#acquiring.get(world);
    if (known) return known;
    const acquiring = this.#ask((query) => this.#acquire(query, world)).finally(() => this.#acquiring.delete(world));
    this.#acquiring.set(world, acquiring);
    return acquiring;
  }

  async #acquire(query: Query, world: string): Promise<Acquired> {
    // A world that this node releases is written first.
    await this.#releasing.get(world);
    if (this.#deps.queue.held.has(world)) throw new Error(`world ${world} is open here already`);
    const { node } = this;
    const owned = await acquireOwnership(query, node, world);
    // A world that this node creates with this id must continue the numbers of a removed one.
    if (owned.is === "unknown") this.#deps.log.continueAfter(await findLastRemoved(query));
    if (owned.is !== "mine") return owned;
    const { epoch, team, due, dropped, lastSeq } = owned;
    try {
      const { state, known, entries, firstPoint } = await loadWorld(query, world);
      // If the lease has lapsed since, the epoch is that of a former registration.
      if (!this.isUsable || this.node !== node) throw this.#unusable();
      this.#deps.log.loadWorld(world, entries, dropped > 0 ? { count: dropped, last: firstPoint } : undefined);
      this.#deps.log.continueAfter(Math.max(lastSeq, known.seq));
      this.#deps.queue.hold(new HeldWorld(world, { ...known, epoch, due }));
      this.#counts.taken += 1;
      return { is: "here", epoch, state, team };
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason;
      // A node of another version may be able to read the world.
      await releaseOwnership(query, { id: world, epoch });
      return { is: "unreadable", why: reason.message, isNewer: reason.isNewer };
    }
  }

  /** Writes what is queued for a world and gives it up. `isUnused`: the world was not used since its creation. */
  async release(world: string, isUnused = false): Promise<void> {
    const held = this.#deps.queue.held.get(world);
    if (!held || held.closing) return this.#releasing.get(world);
    held.closing = { due: this.#deps.queue.dueOf(world) };
    const releasing = this.#release(held, isUnused)
      // After a failure, this node still owns the world and may take it again.
      .catch(() => this.#deps.registration.doubt())
      .finally(() => {
        if (this.#deps.queue.held.get(world) === held) this.#deps.queue.held.delete(world);
        this.#releasing.delete(world);
      });
    this.#releasing.set(world, releasing);
    return releasing;
  }

  async #release(held: HeldWorld, isUnused: boolean): Promise<void> {
    // The snapshot is copied in this turn, because the caller removes the world from memory.
    if (held.isLong(LONG_TO_READ.bytes, LONG_TO_READ.times)) await this.#writeSnapshot(held);
    // Ownership ends last, so that the next owner reads all that this node has written.
    await this.#deps.queue.settle();
    await this.#deps.queue.waitUntilWritten(held.id);
    const { bytes } = held;
    await releaseOwnership(this.#deps.database.query, held, { bytes, lastSeq: this.#deps.log.lastSeq, isUnused });
    this.#counts.released += 1;
  }

  /** Looks without taking the world. */
  locate(world: string): Promise<OwnerLocation> {
    return this.#ask((query) => locateWorld(query, this.node, world, this.#deps.queue.held.has(world)));
  }

  /** Returns the address of a living node. */
  findNodeUrl(node: string): Promise<string | undefined> {
    return this.#ask((query) => findNodeUrl(query, node));
  }

  /** Returns worlds without a living owner in which something is due, the longest overdue first. Other nodes skip them for some seconds. */
  claimOverdue(limit: number): Promise<string[]> {
    return this.#ask((query) => claimOverdue(query, limit));
  }

  /** Returns the worlds of a team, those without a team (`null`), or all, in the order of their ids. */
  list(team?: string | null): Promise<ListedWorld[]> {
    return this.#ask((query) => listWorlds(query, team));
  }

  /** `then` is called before waiting requests fail: the memory of these worlds must not be used any more. `why` is undefined if they were never stored. */
  onLost(then: (worlds: readonly string[], why: string | undefined) => void): void {
    this.#deps.queue.onLost = then;
  }

  /** Sets the function that is called once per world and batch, and returns when the next thing is due in the world (ms since 1970) if its clock runs. */
  setDueFinder(find: (world: string) => number | undefined): void {
    this.#deps.queue.dueOf = find;
  }

  /** Ms since 1970 by the database's clock. */
  readDatabaseTime(): number {
    return this.#deps.registration.clock.now();
  }

  /** Figures for the metrics. */
  readFigures() {
    const { held, counts, queued } = this.#deps.queue;
    const leaseMarginSeconds = this.#deps.registration.marginMs / 1000;
    return { worlds: held.size, ...counts, ...this.#counts, leaseMarginSeconds, queued };
  }

  /** Releases every world and ends this registration. Nothing can be taken afterwards. */
  releaseAllWorlds(): Promise<void> {
    this.#handedOver ??= this.#releaseAllWorlds();
    return this.#handedOver;
  }

  async #releaseAllWorlds(): Promise<void> {
    await this.#deps.queue.settle();
    // Pending releases use the epochs of their worlds, so they end before all others are released.
    await Promise.all(this.#releasing.values());
    this.#deps.queue.held.clear();
    try {
      if (this.#deps.registration.isConfirmed) await releaseAll(this.#deps.database.query, this.node);
    } finally {
      await this.#deps.registration.end();
    }
  }

  async close(): Promise<void> {
    await this.releaseAllWorlds().catch(() => undefined);
    await this.#deps.close();
  }

  /** Asks the database if it can be used. A failure puts the lease in doubt. */
  async #ask<T>(ask: (query: Query) => Promise<T>): Promise<T> {
    if (!this.isUsable && !(await this.#deps.registration.isRegistered())) throw this.#unusable();
    try {
      return await ask(this.#deps.database.query);
    } catch (reason) {
      if (isStoreError(reason)) throw reason;
      this.#deps.registration.doubt();
      throw this.#deps.queue.toStoreError(reason);
    }
  }

  #unusable(): StoreError {
    if (this.#handedOver) return new StoreError("This node is stopping. Send the request again.");
    return this.#deps.queue.toStoreError(this.#deps.registration.whyNot);
  }
}
