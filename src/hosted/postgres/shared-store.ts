// The store of several nodes: which worlds this one has taken, and what it asks of the database about all. A world is read from the database
// when it is taken; from then on this node alone changes it, and each entry of its log that changes something becomes a row.

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
import type { Database } from "./connection.ts";
import { HeldWorld } from "./held-world.ts";
import { loadWorld, Unreadable } from "./load-world.ts";
import {
  acquireOwnership,
  addressOfNode,
  listed,
  type OwnerLocation,
  overdue,
  releaseAll,
  releaseOwnership,
  whereIs,
} from "./ownership.ts";
import { pack } from "./packed-rows.ts";
import type { Registration } from "./registration.ts";
import type { ListedWorld, Making, StoreFigures } from "./shared-worlds.ts";
import type { WriteQueue } from "./write-queue.ts";

interface SharedStoreDeps {
  log: ActivityLog;
  /** For everything but heartbeats and batches, which wait for nothing else. */
  database: Database;
  registration: Registration;
  queue: WriteQueue;
  close(): Promise<void>;
}

/** What became of the attempt to open a world. */
export type Acquired =
  /** This node owns it now, and its log has the retained entries. `state` holds the world and its named snapshots (`id@name`). */
  | { is: "here"; epoch: number; state: State; team: string | null }
  | Extract<OwnerLocation, { is: "elsewhere" | "unknown" }>
  /** It is there, and this version can't read it: one sentence. A newer version can, where one has written it. */
  | { is: "unreadable"; why: string; isNewer: boolean };

/**
 * A store that several nodes use at once: each world has one owner at a time, and only its owner reads and writes it. An entry is in the queue
 * to the database when `append` returns; when it throws a StoreError, nothing of it is.
 */
export type SharedStore = Pick<SharedDatabase, keyof SharedDatabase>;

/** A snapshot is worth its cost when the rows since the last one have this many bytes, and this many times its size. */
const LONG = { bytes: 1 << 20, times: 8 };
/** The same when a world is released, and the next node will read it soon. */
const LONG_TO_READ = { bytes: 128 << 10, times: 1 };

/** Every method that asks the database rejects with a StoreError, which is answered 503. */
export class SharedDatabase implements EntryStore, EntrySink {
  readonly #parts: SharedStoreDeps;
  // A world that is being given up is taken again only after it was written.
  readonly #releasing = new Map<string, Promise<void>>();
  readonly #taking = new Map<string, Promise<Acquired>>();
  readonly #counts = { taken: 0, released: 0 };
  #handedOver: Promise<void> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(parts: SharedStoreDeps) {
    this.#parts = parts;
    parts.log.sink = this;
  }

  /** The team of the next new world; undefined: the operator's. */
  set findMaking(find: () => Making | undefined) {
    this.#parts.queue.findMaking = find;
  }

  /** The id of this registration; a node whose heartbeat has lapsed registers under a new one. */
  get node(): string {
    return this.#parts.registration.node;
  }

  /** There was no other node when this one was last confirmed. */
  get isAlone(): boolean {
    return this.#parts.registration.isAlone;
  }

  /** Reports the address of this node to the others; it is not known before the node listens. */
  announce(): Promise<void> {
    return this.#parts.registration.announce();
  }

  /** The heartbeat is confirmed, by this machine's monotonic clock, and the database can be reached. */
  get isUsable(): boolean {
    return this.#handedOver === undefined && this.#parts.registration.isConfirmed;
  }

  whyUnusable(): string | undefined {
    if (this.isUsable) return undefined;
    return "The database can't be reached, or has not confirmed lately that this node is alive.";
  }

  /** Throws before anything is queued where the lease has lapsed: the memory may be out of date. */
  append(entry: StoredEntry, records?: WorldRecords): void {
    // A part belongs to a world that is stored with the entry that replaces it.
    if (entry.effect === "part") return;
    const { queue } = this.#parts;
    if (entry.kind !== "commit" && entry.kind !== "state") {
      if (this.isUsable) queue.addOutcome(entry);
      return;
    }
    if (!this.isUsable) throw this.#whyNot();
    const held = queue.add(entry, records);
    if (!held.isLong(LONG.bytes, LONG.times)) return;
    held.isPacking = true;
    // Once memory has the change too: a snapshot without it would lose it.
    queueMicrotask(() => void this.#writeSnapshot(held).catch(() => undefined));
  }

  /** From memory, as the world is now. */
  async #writeSnapshot(held: HeldWorld): Promise<void> {
    held.isPacking = true;
    const { seq, rows } = held;
    try {
      for (const [id, records] of this.copyState(new Set([held.id])))
        if (id === held.id)
          this.#parts.queue.addCheckpoint({ do: "checkpoint", held, seq, rows, body: await pack(records) });
    } finally {
      held.isPacking = false;
    }
  }

  /** Undefined where everything is written and the lease holds: then an answer needs no promise at all. */
  durable(world?: string): Promise<void> | undefined {
    const { queue, registration } = this.#parts;
    const pending = queue.durable(world);
    if (pending) return pending.then(() => undefined);
    if (!registration.isConfirmed)
      return registration.known().then((is) => (is ? this.durable(world) : this.#reject()));
    if (world === undefined || queue.held.has(world)) return undefined;
    // Whoever waits for a world that this node has lost learns it here at the latest.
    return Promise.reject(queue.explainNotHere(world));
  }

  /** Makes this node the owner where no living node is, and loads the world. Requests for one world at the same time share one attempt. */
  acquire(world: string): Promise<Acquired> {
    const taking =
      this.#taking.get(world) ??
      this.#requested(() => this.#acquire(world)).finally(() => {
        this.#taking.delete(world);
      });
    this.#taking.set(world, taking);
    return taking;
  }

  async #acquire(world: string): Promise<Acquired> {
    const { queue, registration, database, log } = this.#parts;
    await this.#releasing.get(world);
    if (queue.held.has(world)) throw new Error(`world ${world} is open here already`);
    const { node } = registration;
    const owned = await acquireOwnership(database.query, node, world);
    if (owned.is !== "mine") return owned;
    const { epoch, team, due, dropped, lastSeq } = owned;
    try {
      const { state, known, entries, firstPoint } = await loadWorld(database.query, world);
      // The lease lapsed while it was read: the epoch is that of a node that is no more.
      if (!this.isUsable || registration.node !== node) throw this.#whyNot();
      log.loadWorld(world, entries, dropped > 0 ? { count: dropped, last: firstPoint } : undefined);
      log.continueAfter(Math.max(lastSeq, known.seq));
      queue.hold(new HeldWorld(world, { ...known, epoch, due }));
      this.#counts.taken += 1;
      return { is: "here", epoch, state, team };
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason;
      // A node that can read it must be able to take it at once.
      await releaseOwnership(database.query, { id: world, epoch });
      return { is: "unreadable", why: reason.message, isNewer: reason.isNewer };
    }
  }

  /**
   * Writes what is queued of a world and gives it up; the next node that is asked takes it. `isUnused`: nobody has used it since it was made.
   * A second call waits for the first.
   */
  async release(world: string, isUnused = false): Promise<void> {
    const held = this.#parts.queue.held.get(world);
    if (!held || held.closing) return this.#releasing.get(world);
    held.closing = { due: this.#parts.queue.dueOf(world) };
    const releasing = this.#release(held, isUnused)
      // A world that could not be given up stays this node's, which may take it again; nothing is lost.
      .catch(() => this.#parts.registration.doubt())
      .finally(() => {
        if (this.#parts.queue.held.get(world) === held) this.#parts.queue.held.delete(world);
        this.#releasing.delete(world);
      });
    this.#releasing.set(world, releasing);
    return releasing;
  }

  async #release(held: HeldWorld, isUnused: boolean): Promise<void> {
    const { database, queue, log } = this.#parts;
    // In this turn: the caller takes the world out of memory.
    if (held.isLong(LONG_TO_READ.bytes, LONG_TO_READ.times)) await this.#writeSnapshot(held);
    // Ownership goes last: whoever takes the world next reads everything that this node has written.
    await queue.settle();
    await queue.durable(held.id);
    await releaseOwnership(database.query, held, { bytes: held.bytes, lastSeq: log.lastSeq, isUnused });
    this.#counts.released += 1;
  }

  /** Looks without taking the world. */
  where(world: string): Promise<OwnerLocation> {
    const { database, registration, queue } = this.#parts;
    return this.#requested(() => whereIs(database.query, registration.node, world, queue.held.has(world)));
  }

  /** The address of a living node; undefined where there is none of that id. */
  addressOf(node: string): Promise<string | undefined> {
    return this.#requested(() => addressOfNode(this.#parts.database.query, node));
  }

  /**
   * Worlds without a living owner in which something is due by the database's clock, the longest overdue first. No other node is told of
   * them for some seconds, so that one opens them.
   */
  overdue(most: number): Promise<string[]> {
    return this.#requested(() => overdue(this.#parts.database.query, most));
  }

  /** In the order of ids; of one team, of none (`null`), or all. */
  list(wanted: { team?: string | null; after?: string; limit: number }): Promise<ListedWorld[]> {
    return this.#requested(() => listed(this.#parts.database.query, wanted));
  }

  /**
   * `then` is called before anybody who waits is answered: what this node has in memory of these worlds may differ from what is stored, and
   * must not be used any more. Without a reason they never were, as whoever made them is told.
   */
  onLost(then: (worlds: readonly string[], why: string | undefined) => void): void {
    this.#parts.queue.onLost = then;
  }

  /** `then` is asked once a world and batch: when the next thing is due in it (ms since 1970), where its clock runs. */
  dueOf(then: (world: string) => number | undefined): void {
    this.#parts.queue.dueOf = then;
  }

  /** Ms since 1970 by the database's clock. */
  databaseNow(): number {
    return this.#parts.registration.clock.now();
  }

  figures(): StoreFigures {
    const { queue, registration } = this.#parts;
    const { size: worlds } = queue.held;
    return { worlds, ...queue.counts, ...this.#counts, leaseMarginMs: registration.marginMs, queued: queue.queued };
  }

  /** Releases every world and ends this registration: nothing can be taken afterwards. */
  handOver(): Promise<void> {
    this.#handedOver ??= this.#handOver();
    return this.#handedOver;
  }

  async #handOver(): Promise<void> {
    const { queue, registration, database } = this.#parts;
    await queue.settle();
    // Each of them gives its world up by its own epoch.
    await Promise.all(this.#releasing.values());
    queue.held.clear();
    try {
      if (registration.isConfirmed) await releaseAll(database.query, registration.node);
    } finally {
      await registration.end();
    }
  }

  async close(): Promise<void> {
    await this.handOver().catch(() => undefined);
    await this.#parts.close();
  }

  /**
   * A question to the database, which is not asked while it can't answer. One that fails puts the whole lease in doubt.
   */
  async #requested<T>(question: () => Promise<T>): Promise<T> {
    if (!this.isUsable && !(await this.#parts.registration.known())) throw this.#whyNot();
    try {
      return await question();
    } catch (reason) {
      if (isStoreError(reason)) throw reason;
      this.#parts.registration.doubt();
      throw this.#parts.queue.unavailable(reason);
    }
  }

  #reject(): never {
    throw this.#whyNot();
  }

  #whyNot(): StoreError {
    if (this.#handedOver) return new StoreError("This node is stopping. Send the request again.");
    return this.#parts.queue.unavailable(this.#parts.registration.whyNot);
  }
}
