// The steps that wait for the database. One batch is written at a time. When a batch fails, its worlds are lost,
// because only a new epoch shows what was written.
import {
  type EntrySink,
  type EntryStore,
  isQuotaError,
  isStoreError,
  type StoredEntry,
  StoreError,
} from "../../engine/log/index.ts";
import type { Collections } from "../../engine/world/index.ts";
import type { Database } from "./connection.ts";
import { HeldWorld, pack } from "./load-world.ts";
import type { Registration } from "./registration.ts";
import { type Dues, explainTakeover, isRow, type Making, type Step, writeBatch } from "./write-batch.ts";

const MAX_QUEUED_BYTES = 32 << 20;
/** The records of a world, roughly. */
const WORLD_BYTES = 200_000;
/** An outcome waits for a change of any world, but no longer than this. */
const OUTCOME_DELAY_MS = 200;
const OUTCOME = /"failed":(true|false),.*?"took":[\d.]+,"method":"(\w+)"/;
const ORIGIN = /"replaced":\{"from":"([^"\\]+)"\}/;

/** The steps of one statement, or of one transaction. */
class Batch {
  readonly steps: Step[] = [];
  bytes = 0;
  isUnderWay = false;
  end!: () => void;
  /** Resolves when the batch is written or has failed. */
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  /** The worlds that are lost if the batch fails. */
  readonly changed = new Map<string, HeldWorld>();

  /**
   * Rows share a statement, and new worlds that are created together a transaction. Other steps have a transaction of
   * their own.
   */
  accepts(step: Step): boolean {
    const [first] = this.steps;
    if (this.isUnderWay || !first) return !this.isUnderWay;
    if (isRow(first) || isRow(step)) return isRow(first) && isRow(step);
    return first.made !== undefined && first.made === step.made;
  }

  /** Rejects if one of these worlds is lost. Those of a batch under way may be written nevertheless. */
  async waitUntilWritten(worlds: Iterable<HeldWorld>): Promise<void> {
    await this.ended;
    for (const { lost } of worlds) if (lost) throw lost;
  }
}

/** `append` is synchronous, so that memory and queue never differ. */
export class WriteQueue implements EntrySink {
  readonly held = new Map<string, HeldWorld>();
  readonly counts = { taken: 0, released: 0, lost: 0, commits: 0, batches: 0, records: 0 };
  /**
   * Is called before waiting requests fail: the memory of these worlds must not be used any more. `why` is undefined if
   * they were never stored.
   */
  onLost: (worlds: readonly string[], why: string | undefined) => void = () => undefined;
  /** Returns when the next thing is due in the world (ms since 1970) if its clock runs. */
  findDue: (world: string) => number | undefined = () => undefined;
  /** Finds the team of the next new world. Undefined: the world is the operator's. */
  findMaking: () => Making | undefined = () => undefined;
  copyState: EntryStore["copyState"] = () => [];
  readonly #database: Database;
  readonly #registration: Registration;
  /** The first may be under way. */
  readonly #batches: Batch[] = [];
  #bytes = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, registration: Registration) {
    this.#database = database;
    this.#registration = registration;
  }

  get queued(): number {
    return this.#batches.reduce((sum, { steps }) => sum + steps.length, 0);
  }

  /**
   * Throws a StoreError, before anything is changed, if the lease has lapsed, because the memory may be out of date, if
   * too much waits, or if the world is not held here.
   */
  append(entry: StoredEntry, records?: Collections): void {
    // A part belongs to a world that is stored with the entry that replaces it.
    if (entry.effect === "part") return;
    const isChange = entry.kind === "commit" || entry.kind === "state";
    if (!isChange) return void this.#addOutcome(entry);
    if (!this.#registration.isUsable) throw this.#registration.createError();
    if (this.#bytes > MAX_QUEUED_BYTES)
      throw this.#registration.createError(new Error("it is too slow for its requests"));
    const step = this.#toStep(entry, records);
    this.#push(step, entry.text.length + (records ? WORLD_BYTES : 0));
    this.#start();
  }

  /** Writes the whole world from memory. */
  #addCheckpoint(held: HeldWorld): void {
    if (!held.isLong || this.held.get(held.id) !== held) return;
    const [, records] = Array.from(this.copyState(new Set([held.id]))).find(([id]) => id === held.id) ?? [];
    if (!records) return;
    held.rows = 0;
    this.#push({ kind: "checkpoint", held, seq: held.seq, name: "", records }, WORLD_BYTES);
    this.#start();
  }

  /** No request waits for an outcome. Those of successful requests that only read are not stored. */
  #addOutcome(entry: StoredEntry): void {
    const held = this.held.get(entry.world);
    if (!held || held.closing || this.#bytes > MAX_QUEUED_BYTES || !this.#registration.isUsable) return;
    const [, failed, method] = OUTCOME.exec(entry.text) ?? [];
    if (failed === "false" && (method === "GET" || method === "HEAD")) return;
    held.rows += entry.text.length;
    const kind = entry.kind === "request" && failed === "true" ? "rejected" : "outcome";
    this.#push({ kind, held, seq: entry.seq, text: entry.text, previous: held.seq }, entry.text.length);
    this.#timer ??= setTimeout(() => this.#start(), OUTCOME_DELAY_MS).unref();
  }

  #toStep(entry: StoredEntry, records: Collections | undefined): Step {
    const { seq, text } = entry;
    const [id = "", name = ""] = entry.world.split(/@(.*)/s, 2);
    if (entry.effect === "replace" && name === "" && records) return this.#toBeginning(id, entry, records);
    const held = this.#findHeld(id);
    if (entry.effect === "replace") {
      if (records) return { kind: "begin", held, seq, text, name, records };
      if (name === "") this.held.delete(id);
      return { kind: "remove", held, seq, name };
    }
    const previous = held.seq;
    held.seq = seq;
    held.rows += text.length;
    return { kind: "change", held, seq, text, previous };
  }

  /** The earlier rows of the world are not needed any more, but those of a populated world. */
  #toBeginning(id: string, { id: cause, seq, text }: StoredEntry, records: Collections): Step {
    const isNew = !this.held.has(id);
    if (isNew) this.held.set(id, new HeldWorld(id));
    const held = this.#findHeld(id);
    held.seq = seq;
    held.rows = 0;
    const made = isNew ? (this.findMaking() ?? { team: null }) : undefined;
    const origin = isNew && cause === "fork" ? this.held.get(ORIGIN.exec(text)?.[1] ?? "") : undefined;
    return { kind: "begin", held, seq, text, name: "", records, made, origin, keepsLog: cause === "populate" };
  }

  #findHeld(id: string): HeldWorld {
    const found = this.held.get(id);
    // A world that is being released accepts no entry.
    if (found && !found.closing) return found;
    throw new StoreError(`World ${id} is not open on this node any more. Send the request again.`);
  }

  #push(step: Step, bytes: number): void {
    let batch = this.#batches.at(-1);
    if (!batch?.accepts(step)) {
      batch = new Batch();
      this.#batches.push(batch);
    }
    batch.steps.push(step);
    batch.bytes += bytes;
    this.#bytes += bytes;
    // Memory gets a change after this call. A snapshot without the change would lose it.
    if (step.held.isLong) queueMicrotask(() => this.#addCheckpoint(step.held));
    // No request waits for the other kinds.
    if (["change", "begin", "remove"].includes(step.kind)) batch.changed.set(step.held.id, step.held);
  }

  /** Resolves when the changes of this world, or of all, are written. Returns undefined if they are. */
  waitUntilWritten(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) {
      // A world that was lost and taken again does not wait for its former changes.
      const isPending = (held: HeldWorld | undefined) => held !== undefined && held.lost === undefined;
      const batch = this.#batches.findLast(({ changed }) => isPending(changed.get(world)));
      return batch?.waitUntilWritten([batch.changed.get(world) as HeldWorld]);
    }
    const batches = this.#batches.filter(({ changed }) => changed.size > 0);
    if (batches.length === 0) return undefined;
    return Promise.all(batches.map((batch) => batch.waitUntilWritten(batch.changed.values())));
  }

  /** Writes what waits now, and then calls `free`. After a failure, this node still owns the world. */
  async release(world: string, free: (held: HeldWorld) => Promise<unknown>): Promise<void> {
    const held = this.held.get(world);
    if (held) held.closing ??= { due: this.findDue(world), released: this.#release(held, free) };
    await held?.closing?.released;
  }

  async #release(held: HeldWorld, free: (held: HeldWorld) => Promise<unknown>): Promise<void> {
    await this.settle();
    try {
      await free(held);
      this.counts.released += 1;
    } catch {
      this.#registration.doubt();
    }
    if (this.held.get(held.id) === held) this.held.delete(held.id);
  }

  /** Resolves when all that waits now is written or has failed. */
  async settle(): Promise<void> {
    this.#start();
    await this.#batches.at(-1)?.ended;
  }

  /**
   * Removes these worlds and their copies from memory. What waits for them is rejected afterwards. A world that was
   * lost before and taken again is not lost with the steps of its former ownership.
   */
  lose(worlds: Iterable<HeldWorld>, reason: Error): void {
    const lost = new Set(worlds);
    // A copy of a lost world would begin with changes that were not acknowledged.
    for (const { held, origin } of this.#batches.flatMap(({ steps }) => steps))
      if (origin && lost.has(origin)) lost.add(held);
    const ids: string[] = [];
    for (const world of lost) {
      world.lost ??= reason;
      if (this.held.get(world.id) !== world) continue;
      this.held.delete(world.id);
      ids.push(world.id);
    }
    if (ids.length === 0) return;
    const wasStored = !isQuotaError(reason);
    if (wasStored) this.counts.lost += ids.length;
    this.onLost(ids, wasStored ? reason.message : undefined);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isWriting) void this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    // Rows of the same turn of the event loop share a statement.
    await Promise.resolve();
    for (let batch = this.#batches[0]; batch; batch = this.#batches[0]) {
      batch.isUnderWay = true;
      await this.#write(batch).catch((reason) => this.#fail(batch, reason));
      this.#batches.shift();
      this.#bytes -= batch.bytes;
      batch.end();
    }
    this.#isWriting = false;
  }

  async #write(batch: Batch): Promise<void> {
    // A node in doubt writes nothing before the database has confirmed it.
    await this.#registration.confirm();
    // Compression precedes the transaction, so that no row is locked during it.
    for (const step of batch.steps) if (step.records) step.body = await pack(step.records);
    const steps = batch.steps.filter(({ held }) => !held.lost);
    if (steps.length === 0) return;
    const dues = this.#findDues(new Set(steps.map(({ held }) => held)));
    const lost = await writeBatch(this.#database, this.#registration, steps, dues);
    for (const [held, due] of dues) held.due = due;
    this.counts.batches += 1;
    this.counts.records += steps.length;
    this.counts.commits += steps.filter(({ kind }) => kind === "change").length;
    if (lost.length > 0) this.lose(lost, explainTakeover(lost));
  }

  #fail({ changed }: Batch, reason: unknown): void {
    // A transaction that throws its own error was rolled back. Any other statement may have succeeded, and only a new
    // epoch shows it.
    const isRolledBack = isStoreError(reason) || isQuotaError(reason);
    this.lose(changed.values(), isRolledBack ? reason : this.#registration.createError(reason));
    if (!isRolledBack) this.#registration.doubt();
  }

  /** Finds the due times that have changed. */
  #findDues(worlds: Iterable<HeldWorld>): Dues {
    const dues = new Map<HeldWorld, number | undefined>();
    for (const world of worlds) {
      if (this.held.get(world.id) !== world) continue;
      // A world that is being released is not in memory.
      const due = world.closing ? world.closing.due : this.findDue(world.id);
      if (due !== world.due) dues.set(world, due);
    }
    return dues;
  }
}
