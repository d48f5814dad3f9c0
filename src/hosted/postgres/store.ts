// The store of several nodes: which worlds this node owns, and what it asks the database about all worlds. A node reads
// a world when it takes the world. After that only this node changes it, and stores each entry of its log that changes
// something as a row.
import { type ListedWorld, type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
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
import { formatNodeId } from "../../engine/world/index.ts";
import { connect, type Database, displayAddress, explainFailure, type Query } from "./connection.ts";
import { loadWorld, Unreadable } from "./load-world.ts";
import {
  acquireOwnership,
  claimOverdue,
  findLastRemoved,
  findNodeUrl,
  listWorlds,
  locateWorld,
  type OwnerLocation,
  releaseOwnership,
} from "./ownership.ts";
import { Registration } from "./registration.ts";
import { assertSameToken, findWarnings, waitForDatabase } from "./start-checks.ts";
import { migrate } from "./tables.ts";
import { TeamStore } from "./team-store.ts";
import { HeldWorld } from "./write-batch.ts";
import { WriteQueue } from "./write-queue.ts";

/**
 * A batch and a heartbeat have connections of their own, so that they never wait until worlds are opened. PostgreSQL's
 * default is 100.
 */
const MAX_CONNECTIONS = { writes: 2, others: 3 };
/** Rows of dead nodes, unused templates and past minutes do no harm. */
const CLEAN_MS = 10 * 60_000;

interface NodeOptions {
  /** The log that its entries are appended to. */
  log: ActivityLog;
  /** Creates the id of a registration, a UUID. */
  newId(): string;
  /** All nodes derive the same key from their control token. */
  credentialKey: string;
  /** Returns the address at which the other nodes reach this one. */
  url(): string;
  version: string;
  warn(sentence: string): void;
}

/** `others`: connections for all statements except heartbeats and batches. `address`: for messages. */
interface Connections {
  database: Database;
  others: Database;
  address: string;
}

/** Why this node can't open a world. "unreadable": this version can't read it, for the reason in `why`. */
export type NotHere = { is: "elsewhere"; url: string } | { is: "unknown" } | { is: "unreadable"; why: string };

/**
 * This node owns the world, and its log has the retained entries. `state` holds the world and its named snapshots
 * (`id@name`).
 */
type Acquired = { is: "here"; state: State } | NotHere;

/** A snapshot is written when the rows since the last one have this many bytes, and this many times its size. */
const LONG = { bytes: 1 << 20, times: 8 };
/** The same when a world is released, because the next node will read it soon. */
const LONG_TO_READ = { bytes: 128 << 10, times: 1 };

/**
 * Throws a StoreError with the address, without its password, and what to do. Nothing stays open then. `waitFor`:
 * seconds to wait for the database. `wall` reads the clock of the machine.
 */
export async function openDatabase(
  url: string,
  { waitFor, wall, ...options }: NodeOptions & { waitFor: number; wall(): number },
): Promise<{ store: SharedStore; teams: TeamStore; warnings: string[] }> {
  const address = displayAddress(url);
  let store: SharedStore | undefined;
  const reportBroken = () => store?.registration.doubt();
  const database = await connect(url, MAX_CONNECTIONS.writes, reportBroken);
  const others = await connect(url, MAX_CONNECTIONS.others, reportBroken);
  try {
    await waitForDatabase(database, address, waitFor);
    await migrate(database);
    const warnings = await findWarnings(database, url, wall);
    store = new SharedStore({ database, others, address }, options);
    await store.registration.start();
    // The check follows the registration, so that of two nodes that start at once, at least one finds the other.
    await assertSameToken(database, address, store.registration.node, options.credentialKey);
    return { store, teams: new TeamStore(others), warnings };
  } catch (reason) {
    await store?.close();
    await Promise.allSettled([database.close(), others.close()]);
    if (reason instanceof StoreError) throw reason;
    throw new StoreError(`The database ${address} can't be used: ${explainFailure(reason)}.`, { cause: reason });
  }
}

/**
 * Each world has one owner at a time. An entry is in the queue to the database when `append` returns, and not if it
 * throws a StoreError. Every method that asks the database rejects with a StoreError, which becomes a 503.
 */
export class SharedStore implements EntryStore, EntrySink {
  readonly registration: Registration;
  readonly queue: WriteQueue;
  readonly #connections: Connections;
  readonly #log: ActivityLog;
  readonly #releasing = new Map<string, Promise<void>>();
  readonly #counts = { taken: 0, released: 0 };
  readonly #cleaning: NodeJS.Timeout;
  #handedOver: Promise<void> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(connections: Connections, { log, credentialKey, newId, url, version, warn }: NodeOptions) {
    const { database, address } = connections;
    this.#connections = connections;
    this.#log = log;
    this.registration = new Registration({
      database,
      url,
      version,
      newId: () => formatNodeId(credentialKey, newId()),
      lapsed: (why) =>
        this.queue.lose(this.queue.held.values(), new StoreError(`This node gave up its worlds: ${why}.`)),
      failed: (reason) =>
        warn(
          `The database ${address} can't be used: ${explainFailure(reason)}. Requests are answered 503 until it can.`,
        ),
      recovered: () => warn(`The database ${address} can be used again.`),
    });
    this.queue = new WriteQueue({ database, address, registration: this.registration });
    this.#cleaning = setInterval(() => void clean(connections.others.query).catch(() => undefined), CLEAN_MS).unref();
    log.sink = this;
  }

  /** Ms since 1970 by the database's clock. */
  readDatabaseTime(): number {
    return this.registration.clock.now();
  }

  /** Whether the heartbeat is confirmed and the database can be reached. */
  get isUsable(): boolean {
    return this.#handedOver === undefined && this.registration.isConfirmed;
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
      if (this.isUsable) this.queue.addOutcome(entry);
      return;
    }
    if (!this.isUsable) throw this.#explainRejection();
    const held = this.queue.add(entry, records);
    // Memory gets the change after this call. A snapshot without the change would lose it.
    if (held.isLong(LONG.bytes, LONG.times)) queueMicrotask(() => this.#addCheckpoint(held, LONG));
  }

  /** Writes the whole world from memory, if it is worth the cost. */
  #addCheckpoint(held: HeldWorld, { bytes, times }: typeof LONG): void {
    if (!held.isLong(bytes, times) || this.queue.held.get(held.id) !== held) return;
    for (const [id, records] of this.copyState(new Set([held.id])))
      if (id === held.id) this.queue.addCheckpoint(held, records);
  }

  /** Returns undefined if everything is written and the lease holds, so that a response needs no promise. */
  waitUntilDurable(world?: string): Promise<void> | undefined {
    const pending = this.queue.waitUntilWritten(world);
    if (pending) return pending.then(() => undefined);
    if (!this.registration.isConfirmed)
      return this.registration
        .isRegistered()
        .then((is) => (is ? this.waitUntilDurable(world) : Promise.reject(this.#explainRejection())));
    if (world === undefined || this.queue.held.has(world)) return undefined;
    return Promise.reject(this.queue.explainNotHere(world));
  }

  /** Makes this node the owner if no living node is, and loads the world. The caller makes one attempt for a world at a time. */
  acquire(world: string): Promise<Acquired> {
    return this.#ask((query) => this.#acquire(query, world));
  }

  async #acquire(query: Query, world: string): Promise<Acquired> {
    // A world that this node releases is written first.
    await this.#releasing.get(world);
    if (this.queue.held.has(world)) throw new Error(`world ${world} is open here already`);
    const { node } = this.registration;
    const owned = await acquireOwnership(query, node, world);
    // A world that this node creates with this id must continue the numbers of a removed one.
    if (owned.is === "unknown") this.#log.continueAfter(await findLastRemoved(query));
    if (owned.is !== "mine") return owned;
    const { epoch, due, dropped, lastSeq } = owned;
    try {
      const { state, known, entries, firstPoint } = await loadWorld(query, world);
      // If the lease has lapsed since, the epoch is that of a former registration.
      if (!this.isUsable || this.registration.node !== node) throw this.#explainRejection();
      this.#log.loadWorld(world, entries, dropped > 0 ? { count: dropped, last: firstPoint } : undefined);
      this.#log.continueAfter(Math.max(lastSeq, known.seq));
      this.queue.hold(new HeldWorld(world, { ...known, epoch, due }));
      this.#counts.taken += 1;
      return { is: "here", state };
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason;
      // A node of another version may be able to read the world.
      await releaseOwnership(query, { id: world, epoch });
      return { is: "unreadable", why: reason.message };
    }
  }

  /** Writes what is queued for a world and gives it up. */
  async release(world: string): Promise<void> {
    const held = this.queue.held.get(world);
    if (!held || held.closing) return this.#releasing.get(world);
    held.closing = { due: this.queue.findDue(world) };
    const releasing = this.#release(held)
      // After a failure, this node still owns the world and may take it again.
      .catch(() => this.registration.doubt())
      .finally(() => {
        if (this.queue.held.get(world) === held) this.queue.held.delete(world);
        this.#releasing.delete(world);
      });
    this.#releasing.set(world, releasing);
    return releasing;
  }

  async #release(held: HeldWorld): Promise<void> {
    // The snapshot is copied in this turn, because the caller removes the world from memory.
    this.#addCheckpoint(held, LONG_TO_READ);
    // Ownership ends last, so that the next owner reads all that this node has written.
    await this.queue.settle();
    await releaseOwnership(this.#connections.others.query, held, this.#log.lastSeq);
    this.#counts.released += 1;
  }

  /** Looks without taking the world. */
  locate(world: string): Promise<OwnerLocation> {
    return this.#ask((query) => locateWorld(query, this.registration.node, world, this.queue.held.has(world)));
  }

  /** Returns the address of a living node. */
  findNodeUrl(node: string): Promise<string | undefined> {
    return this.#ask((query) => findNodeUrl(query, node));
  }

  /**
   * Returns worlds without a living owner in which something is due, the longest overdue first. Other nodes skip them
   * for some seconds.
   */
  claimOverdue(limit: number): Promise<string[]> {
    return this.#ask((query) => claimOverdue(query, limit));
  }

  /** Returns the worlds of a team, those without a team (`null`), or all, in the order of their ids. */
  list(team?: string | null): Promise<ListedWorld[]> {
    return this.#ask((query) => listWorlds(query, team));
  }

  /** Figures for the metrics. */
  readFigures() {
    const { held, counts, queued } = this.queue;
    const leaseMarginSeconds = this.registration.marginMs / 1000;
    return { worlds: held.size, ...counts, ...this.#counts, leaseMarginSeconds, queued };
  }

  registerMetrics(registry: MetricsRegistry): void {
    for (const [figure, type, name, help] of FIGURES)
      registerReading(registry, { type, name, help, read: () => [{ value: this.readFigures()[figure] }] });
  }

  /** Releases every world and ends this registration. Nothing can be taken afterwards. */
  releaseAllWorlds(): Promise<void> {
    this.#handedOver ??= this.#releaseAllWorlds();
    return this.#handedOver;
  }

  async #releaseAllWorlds(): Promise<void> {
    await this.queue.settle();
    // Pending releases use the epochs of their worlds, so they end before all others are released.
    await Promise.all(this.#releasing.values());
    this.queue.held.clear();
    // The worlds of a node without a row are free.
    await this.registration.end();
  }

  async close(): Promise<void> {
    await this.releaseAllWorlds().catch(() => undefined);
    clearInterval(this.#cleaning);
    await Promise.all([this.#connections.database.close(), this.#connections.others.close()]);
  }

  /** Asks the database if it can be used. A failure puts the lease in doubt. */
  async #ask<T>(ask: (query: Query) => Promise<T>): Promise<T> {
    if (!this.isUsable && !(await this.registration.isRegistered())) throw this.#explainRejection();
    try {
      return await ask(this.#connections.others.query);
    } catch (reason) {
      if (isStoreError(reason)) throw reason;
      this.registration.doubt();
      throw this.queue.toStoreError(reason);
    }
  }

  #explainRejection(): StoreError {
    if (this.#handedOver) return new StoreError("This node is stopping. Send the request again.");
    return this.queue.toStoreError(this.registration.reason);
  }
}

type Figure = keyof ReturnType<SharedStore["readFigures"]>;
const FIGURES: readonly (readonly [Figure, type: "counter" | "gauge", name: string, help: string])[] = [
  ["worlds", "gauge", "sandbox_owned_worlds", "Worlds that this node owns."],
  ["taken", "counter", "sandbox_worlds_taken_total", "Worlds that this node became the owner of."],
  ["released", "counter", "sandbox_worlds_released_total", "Worlds that this node gave back."],
  ["lost", "counter", "sandbox_worlds_lost_total", "Worlds that this node lost to a failure."],
  ["commits", "counter", "sandbox_commits_total", "Changes of worlds that were written to the database."],
  ["batches", "counter", "sandbox_commit_batches_total", "Transactions that wrote changes."],
  ["records", "counter", "sandbox_commit_records_total", "Records in them: changes, new worlds, snapshots."],
  ["queued", "gauge", "sandbox_commit_queue_records", "Records that wait for the database."],
  ["leaseMarginSeconds", "gauge", "sandbox_lease_margin_seconds", "How long it may answer without the database."],
];

async function clean(query: Query): Promise<void> {
  await query("delete from nodes where until < clock_timestamp() - interval '1 hour'");
  await query("delete from used where minute < now() - interval '1 hour'");
  // Nodes of version 0.2.0 create templates, and may be about to use a young one.
  await query(
    `delete from templates t where t.created_at < now() - interval '1 hour'
     and not exists (select 1 from snapshots s where s.template = t.hash)`,
  );
}
