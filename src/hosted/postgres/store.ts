// The store of several nodes: which worlds this node owns, and what it asks the database about all worlds. A node reads
// a world when it takes the world. After that only this node changes it, and stores each entry of its log that changes
// something as a row.
import { type ListedWorld, type MetricsRegistry, registerReading } from "../../engine/app/index.ts";
import { type ActivityLog, type EntryStore, StoreError } from "../../engine/log/index.ts";
import { formatNodeId, type State } from "../../engine/world/index.ts";
import { connect, type Database, displayAddress, explainFailure, type Query, waitAtMost } from "./connection.ts";
import { loadWorld, Unreadable } from "./load-world.ts";
import { Registration, VALID_S } from "./registration.ts";
import { assertSameToken, findWarnings, waitForDatabase } from "./start-checks.ts";
import { migrate } from "./tables.ts";
import { TeamStore } from "./team-store.ts";
import { explainTakeover } from "./write-batch.ts";
import { WriteQueue } from "./write-queue.ts";

/**
 * A batch and a heartbeat have connections of their own, so that they never wait until worlds are opened. PostgreSQL's
 * default is 100.
 */
const MAX_CONNECTIONS = { writes: 2, others: 3 };
/** A node that stops waits at most this long for the database, which may be silent. */
const MAX_RELEASE_MS = 2000;
const MAX_CLOSE_MS = 1000;

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

type FoundOwner = { owner: string | null; epoch: string; due: number | null; url: string | null; alive: boolean };
const REMOVE_SILENT_NODE = "delete from nodes where id = $1 and until < clock_timestamp() returning id";

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
    await assertSameToken(database, address, options.credentialKey);
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
export class SharedStore implements EntryStore {
  readonly registration: Registration;
  readonly queue: WriteQueue;
  readonly #connections: Connections;
  readonly #log: ActivityLog;
  #stopped: Promise<true | undefined> | undefined;
  copyState: EntryStore["copyState"] = () => [];

  constructor(connections: Connections, { log, credentialKey, newId, url, version, warn }: NodeOptions) {
    const { database, address } = connections;
    this.#connections = connections;
    this.#log = log;
    this.registration = new Registration({
      node: formatNodeId(credentialKey, newId()),
      database,
      address,
      url,
      version,
      warn,
      onLapse: (reason) => this.queue.lose(this.queue.held.values(), reason),
    });
    this.queue = new WriteQueue(database, this.registration);
    this.queue.copyState = (only) => this.copyState(only);
    log.sink = this.queue;
  }

  /** Ms since 1970 by the database's clock. */
  readDatabaseTime(): number {
    return this.registration.readTime();
  }

  explainUnusable(): string | undefined {
    if (this.registration.isUsable) return undefined;
    return "The database can't be reached, or has not confirmed lately that this node is alive.";
  }

  /** Returns undefined if everything is written and the lease holds, so that a response needs no promise. */
  waitUntilDurable(world?: string): Promise<void> | undefined {
    const pending = this.queue.waitUntilWritten(world);
    if (pending) return pending.then(() => undefined);
    if (!this.registration.isConfirmed) return this.registration.confirm().then(() => this.waitUntilDurable(world));
    if (world === undefined || this.queue.held.has(world)) return undefined;
    // The world was lost before its opening had ended.
    const reason = explainTakeover([{ id: world }]);
    this.queue.onLost([world], reason.message);
    return Promise.reject(reason);
  }

  /**
   * Makes this node the owner if no living node is, and loads the world and its log. `state` also holds the named
   * snapshots of the world (`id@name`). The caller makes one attempt for a world at a time.
   */
  async acquire(world: string): Promise<{ is: "here"; state: State } | NotHere> {
    // A world that this node releases is written first.
    await this.queue.held.get(world)?.closing?.released;
    if (this.queue.held.has(world)) throw new Error(`world ${world} is open here already`);
    const { lapses } = this.registration;
    const owned = await this.#acquireOwnership(world);
    // A world that this node creates with this id must continue the numbers of a removed one.
    if (owned.is === "unknown") {
      const [removed] = await this.#query<{ last: number }>("select last_value::float8 as last from removed_numbers");
      this.#log.continueAfter(removed?.last ?? 0);
    }
    if (owned.is !== "mine") return owned;
    const { epoch, due, dropped, lastSeq } = owned;
    try {
      const { state, held, entries, firstPoint } = await loadWorld(this.#query, world);
      // If the lease has lapsed since, another node may have taken the world.
      if (!this.registration.isUsable || this.registration.lapses !== lapses) throw this.registration.createError();
      this.#log.loadWorld(world, entries, dropped > 0 ? { count: dropped, last: firstPoint } : undefined);
      this.#log.continueAfter(Math.max(lastSeq, held.seq));
      this.queue.held.set(world, Object.assign(held, { epoch, due }));
      this.queue.counts.taken += 1;
      return { is: "here", state };
    } catch (reason) {
      if (!(reason instanceof Unreadable)) throw reason;
      // A node of another version may be able to read the world.
      await this.#query("update worlds set owner = null where id = $1 and epoch = $2", [world, epoch]);
      return { is: "unreadable", why: reason.message };
    }
  }

  /** Writes what is queued for a world and gives it up. */
  async release(world: string): Promise<void> {
    // Ownership ends last, so that the next owner reads all that this node has written.
    const free = "update worlds set owner = null, used_at = now(), last_seq = greatest(last_seq, $3)";
    await this.queue.release(world, ({ epoch }) =>
      this.#connections.others.query(`${free} where id = $1 and epoch = $2`, [world, epoch, this.#log.lastSeq]),
    );
  }

  /**
   * Looks without taking the world. `here`: this node has it in memory, or is releasing it. `ours`: this node owns it,
   * and has lost it from memory. `free`: no living node owns it.
   */
  async locate(world: string) {
    // The database's clock decides which nodes are alive.
    const [found] = await this.#query<FoundOwner>(
      `select w.owner, w.epoch, (extract(epoch from w.next_due_at) * 1000)::float8 as due, n.url,
              coalesce(n.until > clock_timestamp(), false) as alive
       from worlds w left join nodes n on n.id = w.owner where w.id = $1`,
      [world],
    );
    if (!found) return { is: "unknown" } as const;
    if (found.owner === this.registration.node)
      return { is: this.queue.held.has(world) ? "here" : "ours", found } as const;
    return found.alive ? ({ is: "elsewhere", url: found.url ?? "" } as const) : ({ is: "free", found } as const);
  }

  /**
   * A takeover is an update under the epoch that was read, so it fails if another node was faster, and it waits for an
   * insert of the former owner. Repeats while other nodes change the row: the next round sees that they have taken the
   * world or given it up.
   */
  async #acquireOwnership(world: string) {
    for (;;) {
      const location = await this.locate(world);
      if (location.is === "unknown" || location.is === "elsewhere") return location;
      const { owner, epoch, url, due } = location.found;
      // The row of a silent node is removed first, so its next heartbeat fails. One may have arrived since.
      const isSilent = location.is === "free" && url !== null;
      if (isSilent && (await this.#query(REMOVE_SILENT_NODE, [owner])).length === 0) continue;
      const [owned] = await this.#query<{ epoch: number; dropped: number; lastSeq: number }>(
        // If two nodes read the same epoch, only one gets a row.
        `update worlds set owner = $2, epoch = nextval('epochs'), used_at = now()
         where id = $1 and epoch = $3 and owner is not distinct from $4
         returning epoch::float8 as epoch, dropped::float8 as dropped, last_seq::float8 as "lastSeq"`,
        [world, this.registration.node, epoch, owner],
      );
      if (owned) return { is: "mine", ...owned, due: due ?? undefined } as const;
    }
  }

  /** Returns the address of a living node. */
  async findNodeUrl(node: string): Promise<string | undefined> {
    const living = "select url from nodes where id = $1 and until > clock_timestamp()";
    const [found] = await this.#query<{ url: string }>(living, [node]);
    return found?.url;
  }

  /**
   * Returns worlds in which something is due and which no living node has in memory, the longest overdue first. Hides
   * them from other nodes for the validity of a heartbeat. Nodes skip locked rows.
   */
  async claimOverdue(limit: number): Promise<string[]> {
    const rows = await this.#query<{ id: string }>(
      `with due as materialized (
         select w.id, w.next_due_at from worlds w left join nodes n on n.id = w.owner
         where w.next_due_at <= clock_timestamp()
           and (coalesce(n.until < clock_timestamp(), true) or (w.owner = $2 and w.id <> all($3::text[])))
         order by w.next_due_at limit $1 for no key update of w skip locked
       ), put_off as (
         update worlds w set next_due_at = clock_timestamp() + make_interval(secs => ${VALID_S}) from due where w.id = due.id
       ) select id from due order by next_due_at`,
      [limit, this.registration.node, [...this.queue.held.keys()]],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the worlds of a team, those without a team (`null`), or all, in the order of their ids. */
  list(team?: string | null): Promise<ListedWorld[]> {
    return this.#query(
      `select id, recipe, to_char(used_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as used_at
       from worlds where $1 or team is not distinct from $2 order by id`,
      [team === undefined, team ?? null],
    );
  }

  /** Figures for the metrics. */
  readFigures() {
    const { held, counts, queued } = this.queue;
    return { ...counts, worlds: held.size, leaseMarginSeconds: this.registration.marginMs / 1000, queued };
  }

  registerMetrics(registry: MetricsRegistry): void {
    for (const [figure, type, name, help] of FIGURES)
      registerReading(registry, { type, name, help, read: () => [{ value: this.readFigures()[figure] }] });
  }

  /**
   * Releases every world and ends this registration. Nothing can be taken afterwards. Resolves to undefined if the
   * database is silent.
   */
  releaseAllWorlds(): Promise<true | undefined> {
    this.#stopped ??= waitAtMost(MAX_RELEASE_MS, this.#releaseAllWorlds());
    return this.#stopped;
  }

  async #releaseAllWorlds(): Promise<true> {
    this.registration.isStopping = true;
    await this.queue.settle();
    // Pending releases use the epochs of their worlds, so they end before all others are released.
    await Promise.all(Array.from(this.queue.held.values(), ({ closing }) => closing?.released));
    this.queue.held.clear();
    // The worlds of a node without a row are free.
    await this.registration.end();
    return true;
  }

  async close(): Promise<void> {
    await this.releaseAllWorlds().catch(() => undefined);
    const { database, others } = this.#connections;
    await waitAtMost(MAX_CLOSE_MS, Promise.all([database.close(), others.close()]));
  }

  /** Asks the database if it can be used. A failure puts the lease in doubt. */
  readonly #query: Query = async (sql, values) => {
    if (!this.registration.isUsable) await this.registration.confirm();
    if (this.registration.isStopping) throw this.registration.createError();
    try {
      return await this.#connections.others.query(sql, values);
    } catch (reason) {
      this.registration.doubt();
      throw this.registration.createError(reason);
    }
  };
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
