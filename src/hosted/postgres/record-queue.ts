// The records that wait to be written, and who waits for them. One batch is written at a time, with all that was queued meanwhile in the next.
// When a batch fails, in whatever way, its worlds are lost: what was written of it is known only under a new epoch.

import { isQuotaError, StoreError } from "../../engine/log/store-error.ts";
import { Batch, type BatchEntry } from "./batch.ts";
import { type Database, whyFailed } from "./connection.ts";
import type { HeldWorld } from "./held-world.ts";
import type { LogRecord } from "./log-records.ts";
import { placed, takenOver } from "./number-record.ts";
import { prepared } from "./prepare.ts";
import type { Registration } from "./registration.ts";
import type { Making } from "./shared-worlds.ts";
import type { Templates } from "./templates.ts";
import { type Dues, writeBatch } from "./write-batch.ts";

/** Bytes: waiting for the database must not fill the memory. */
const MOST_QUEUED = 32 << 20;

/** Ids; forgetting them costs a second report of the same loss, and nothing else. */
const MOST_REPORTED = 10_000;

interface RecordQueueDeps {
  database: Database;
  registration: Registration;
  templates: Templates;
  address: string;
}

/** What a commit waits for. `add` is synchronous, so memory and queue never differ. */
export class RecordQueue {
  readonly held = new Map<string, HeldWorld>();
  readonly making = new Map<string, Making>();
  readonly counts = { commits: 0, batches: 0, records: 0, lost: 0 };
  onLost: (worlds: readonly string[], why: string | undefined) => void = () => undefined;
  dueOf: (world: string) => number | undefined = () => undefined;
  readonly #parts: RecordQueueDeps;
  /** Lost, and not taken since. */
  readonly #reported = new Set<string>();
  #filling = new Batch();
  #writing: Batch | undefined;
  #isWriting = false;

  constructor(parts: RecordQueueDeps) {
    this.#parts = parts;
  }

  get queued(): number {
    return this.#filling.entries.length + (this.#writing?.entries.length ?? 0);
  }

  /** This node has taken the world: from now on its records are accepted. */
  hold(world: HeldWorld): void {
    this.#reported.delete(world.id);
    this.held.set(world.id, world);
  }

  /** Throws a StoreError where too much waits, before anything is changed. */
  add(record: LogRecord): void {
    if (this.#filling.bytes > MOST_QUEUED) throw this.unavailable(new Error("it is too slow for what is asked of it"));
    for (const { entry, bytes } of placed(record, this)) this.#filling.add(entry, bytes);
    if (!this.#isWriting) void this.#write();
  }

  /** Resolves when the records of this world, or all, are written; undefined when they are. */
  durable(world?: string): Promise<unknown> | undefined {
    return this.#filling.durable(world) ?? this.#writing?.durable(world);
  }

  /** The 503 of a database that fails; it has the address without the password, and why. */
  unavailable(reason: unknown): StoreError {
    return new StoreError(
      `The database ${this.#parts.address} can't be used: ${whyFailed(reason)}. Send the request again in a moment.`,
      { cause: reason },
    );
  }

  /**
   * Whoever uses the memory of these worlds is told before anybody who waits for them is answered. One that was lost before, and has been
   * taken again since, is not lost with what its former ownership still had under way.
   */
  lose(worlds: Iterable<HeldWorld>, reason: Error): void {
    // Before it is filtered: afterwards the batch no longer says whose records it had.
    const batches = [this.#writing, this.#filling].map((batch) => ({ batch, has: new Set(batch?.worlds) }));
    const gone = this.#filling.without(new Set(worlds));
    const ids = Array.from(gone).flatMap((each) => (this.held.get(each.id) === each ? [each.id] : []));
    for (const id of ids) this.held.delete(id);
    const wasThere = !isQuotaError(reason);
    if (wasThere) this.counts.lost += ids.length;
    // Memory first, answers second: nobody may read what was lost after a client has learnt of it.
    if (ids.length > 0) this.#tell(ids, wasThere ? reason.message : undefined);
    for (const each of gone) for (const { batch, has } of batches) if (has.has(each)) batch?.fail(each.id, reason);
  }

  /** It may have been lost before whoever took it had it in memory: they are told then. */
  notHere(world: string): StoreError {
    const reason = takenOver([world]);
    if (!this.#reported.has(world)) this.onLost([world], reason.message);
    return reason;
  }

  #tell(worlds: readonly string[], why: string | undefined): void {
    if (this.#reported.size > MOST_REPORTED) this.#reported.clear();
    for (const world of worlds) this.#reported.add(world);
    this.onLost(worlds, why);
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    // What the same turn of the event loop adds goes into the same transaction.
    await Promise.resolve();
    while (this.#filling.entries.length > 0) {
      const batch = this.#filling;
      this.#writing = batch;
      this.#filling = new Batch();
      await this.#writeOne(batch).catch((reason) => {
        // Whether the statement was carried out is not known; only a new epoch tells.
        this.lose(batch.worlds, this.unavailable(reason));
        this.#parts.templates.forget();
        this.#parts.registration.doubt();
      });
      this.#writing = undefined;
    }
    this.#isWriting = false;
  }

  async #writeOne(batch: Batch): Promise<void> {
    const { database, registration, templates } = this.#parts;
    const { entries } = batch;
    const dues = this.#dues(batch.worlds);
    // A node in doubt writes nothing before the database has confirmed it.
    if (!registration.isConfirmed && !(await registration.known())) throw new Error("it does not answer");
    const bodies = await prepared(database, entries, templates);
    const { lost, rejected } = await writeBatch(database, registration, entries, { bodies, dues });
    // Before anybody is answered, since a failover check compares with it.
    for (const { held, seq } of entries) held.written = Math.max(held.written, seq);
    for (const [held, due] of dues) held.due = due;
    this.#count(entries);
    if (lost.size > 0) this.lose(lost, takenOver([...lost].map(({ id }) => id)));
    // A team without room: its new worlds are taken out of memory, and the creator is answered 409.
    for (const [held, reason] of rejected) this.lose([held], reason);
    // Before the answers, so that who asks whether something waits is told the truth.
    this.#writing = undefined;
    batch.end();
  }

  /** Only what has changed is written. */
  #dues(worlds: Iterable<HeldWorld>): Dues {
    const dues = new Map<HeldWorld, number | undefined>();
    for (const world of worlds) {
      if (this.held.get(world.id) !== world) continue;
      // One that is being released is out of memory.
      const due = world.closing ? world.closing.due : this.dueOf(world.id);
      if (due !== world.due) dues.set(world, due);
    }
    return dues;
  }

  #count(entries: readonly BatchEntry[]): void {
    this.counts.batches += 1;
    this.counts.records += entries.length;
    this.counts.commits += entries.filter((entry) => entry.do === "commit").length;
  }
}
