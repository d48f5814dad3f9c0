// The entries that wait for the database. One batch is written at a time, and entries that are added during a write go into the next. When a batch
// fails, its worlds are lost, because only a new epoch shows what was written.

import { isQuotaError, type StoredEntry, StoreError, type WorldRecords } from "../../engine/log/index.ts";
import { Batch, type Checkpoint, isOutcome, type Making, type Step } from "./batch.ts";
import { type Database, explainFailure } from "./connection.ts";
import { HeldWorld } from "./held-world.ts";
import { pack } from "./packed-rows.ts";
import type { Registration } from "./registration.ts";
import { type Dues, writeBatch } from "./write-batch.ts";

const MAX_QUEUED_BYTES = 32 << 20;
/** The records of a world, roughly. */
const WORLD_BYTES = 200_000;
/** An outcome waits for a change of any world, but no longer than this. */
const OUTCOME_DELAY_MS = 200;
/** The limit per world. */
const MAX_CAUSES = 1000;
/** The limit of remembered losses. A forgotten loss may be reported twice. */
const MAX_REPORTED = 10_000;
const STATUS = /"status":(\d+),"failed":/;
const ORIGIN = /"replaced":\{"from":"([^"\\]+)"\}/;

interface WriteQueueDeps {
  database: Database;
  registration: Registration;
  address: string;
}

/** `add` is synchronous, so that memory and queue never differ. */
export class WriteQueue {
  readonly held = new Map<string, HeldWorld>();
  readonly counts = { commits: 0, batches: 0, records: 0, lost: 0 };
  onLost: (worlds: readonly string[], why: string | undefined) => void = () => undefined;
  dueOf: (world: string) => number | undefined = () => undefined;
  findMaking: () => Making | undefined = () => undefined;
  readonly #deps: WriteQueueDeps;
  /** Worlds that were lost, and not taken since. */
  readonly #reported = new Set<string>();
  #filling = new Batch();
  #writing: Batch | undefined;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: WriteQueueDeps) {
    this.#deps = deps;
  }

  get queued(): number {
    return this.#filling.steps.length + (this.#writing?.steps.length ?? 0);
  }

  /** Accepts entries of a world that this node has taken. */
  hold(world: HeldWorld): void {
    this.#reported.delete(world.id);
    this.held.set(world.id, world);
  }

  /** Throws a StoreError, before anything is changed, if too much waits or the world is not held here. */
  add(entry: StoredEntry, records?: WorldRecords): HeldWorld {
    if (this.#filling.bytes > MAX_QUEUED_BYTES) throw this.toStoreError(new Error("it is too slow for its requests"));
    const step = this.#toStep(entry, records);
    this.#filling.add(step, entry.text.length + (records ? WORLD_BYTES : 0));
    this.#start();
    return step.held;
  }

  addCheckpoint(checkpoint: Checkpoint): void {
    const { held, seq } = checkpoint;
    // The world may have begun again during the compression.
    if (this.held.get(held.id) !== held || seq < held.began) return;
    this.#filling.add(checkpoint, checkpoint.body.length);
    this.#start();
  }

  /** No request waits for an outcome. Only outcomes of changes and of rejected requests are stored. */
  addOutcome(entry: StoredEntry): void {
    const held = this.held.get(entry.world);
    if (!held || held.closing || this.#filling.bytes > MAX_QUEUED_BYTES) return;
    const isChange = entry.kind !== "request" || held.causes.delete(entry.id);
    if (!isChange && !(Number(STATUS.exec(entry.text)?.[1]) >= 400)) return;
    const kind = isChange ? "outcome" : "rejected";
    held.rows += entry.text.length;
    this.#filling.add({ do: "row", held, entry, kind, previous: held.seq }, entry.text.length);
    this.#timer ??= setTimeout(() => this.#start(), OUTCOME_DELAY_MS).unref();
  }

  #toStep(entry: StoredEntry, records: WorldRecords | undefined): Step {
    const [id = "", name = ""] = entry.world.split(/@(.*)/s, 2);
    if (entry.effect === "replace" && name === "" && records) return this.#toBeginning(id, entry, records);
    const held = this.#findHeld(id);
    if (entry.effect === "replace" && !records) {
      if (name === "") this.held.delete(id);
      return { do: "remove", held, name, seq: entry.seq };
    }
    if (name !== "" && records) return { do: "begin", held, entry, name, records };
    const previous = held.seq;
    held.seq = entry.seq;
    held.rows += entry.text.length;
    if (held.causes.size > MAX_CAUSES) held.causes.clear();
    held.causes.add(entry.id);
    return { do: "row", held, entry, kind: "change", previous };
  }

  /** The earlier rows of the world are not needed any more. */
  #toBeginning(id: string, entry: StoredEntry, records: WorldRecords): Step {
    const isNew = !this.held.has(id);
    if (isNew) this.held.set(id, new HeldWorld(id));
    const held = this.#findHeld(id);
    held.seq = entry.seq;
    held.began = entry.seq;
    held.rows = 0;
    const made = isNew ? (this.findMaking() ?? { team: null }) : undefined;
    const origin = isNew && entry.id === "fork" ? ORIGIN.exec(entry.text)?.[1] : undefined;
    return { do: "begin", held, entry, name: "", records, made, origin };
  }

  #findHeld(id: string): HeldWorld {
    const found = this.held.get(id);
    // A world that is being released accepts no entry.
    if (found && !found.closing) return found;
    throw new StoreError(`World ${id} is not open on this node any more. Send the request again.`);
  }

  /** Resolves when the changes of this world, or of all, are written. Returns undefined if they are. */
  waitUntilWritten(world?: string): Promise<unknown> | undefined {
    return this.#filling.waitUntilWritten(world) ?? this.#writing?.waitUntilWritten(world);
  }

  /** Resolves when all that waits now is written or has failed. */
  async settle(): Promise<void> {
    const batches = [this.#writing, this.#filling].filter((batch) => batch !== undefined && batch.steps.length > 0);
    this.#start();
    await Promise.all(batches.map((batch) => batch?.ended.promise));
  }

  /** Creates the 503 of a database that fails. */
  toStoreError(reason: unknown): StoreError {
    return new StoreError(
      `The database ${this.#deps.address} can't be used: ${explainFailure(reason)}. Send the request again in a moment.`,
      { cause: reason },
    );
  }

  /**
   * Removes these worlds and their copies, first from memory, then rejects what waits for them. A world that was lost before and taken again is
   * not lost with the steps of its former ownership.
   */
  lose(worlds: Iterable<HeldWorld>, reason: Error): void {
    // The worlds are read before the removal, after which a batch no longer has their steps.
    const batches = [this.#writing, this.#filling].map((batch) => ({ batch, worlds: new Set(batch?.worlds) }));
    const lost = this.#filling.remove(worlds);
    const ids = Array.from(lost).flatMap((world) => (this.held.get(world.id) === world ? [world.id] : []));
    for (const id of ids) this.held.delete(id);
    const wasStored = !isQuotaError(reason);
    if (wasStored) this.counts.lost += ids.length;
    // The worlds leave memory first, because no request may read lost changes after a client got the error.
    if (ids.length > 0) this.#report(ids, wasStored ? reason.message : undefined);
    for (const world of lost)
      for (const { batch, worlds: all } of batches) if (all.has(world)) batch?.reject(world.id, reason);
  }

  /** Reports a world that was lost before its opening had ended. */
  explainNotHere(world: string): StoreError {
    const reason = explainTakeover([world]);
    if (!this.#reported.has(world)) this.onLost([world], reason.message);
    return reason;
  }

  #report(worlds: readonly string[], why: string | undefined): void {
    if (this.#reported.size > MAX_REPORTED) this.#reported.clear();
    for (const world of worlds) this.#reported.add(world);
    this.onLost(worlds, why);
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    // Steps of the same turn of the event loop share a transaction.
    await Promise.resolve();
    while (this.#filling.steps.length > 0) {
      const batch = this.#filling;
      this.#writing = batch;
      this.#filling = new Batch();
      await this.#writeBatch(batch).catch((reason) => {
        // The statement may have succeeded, and only a new epoch shows it.
        this.lose(batch.changedWorlds, this.toStoreError(reason));
        this.#deps.registration.doubt();
      });
      this.#writing = undefined;
      batch.ended.resolve();
    }
    this.#isWriting = false;
  }

  async #writeBatch(batch: Batch): Promise<void> {
    const { database, registration } = this.#deps;
    const dues = this.#findDues(batch.worlds);
    // A node in doubt writes nothing before the database has confirmed it.
    if (!registration.isConfirmed && !(await registration.isRegistered())) throw new Error("it does not respond");
    // Compression precedes the transaction, so that no row is locked during it.
    for (const step of batch.steps) if ("records" in step) step.body = await pack(step.records);
    const leftOut = await writeBatch(database, registration, batch.steps, dues);
    // `written` changes before any response, because the check after a failover compares with it.
    for (const step of batch.steps)
      if ("entry" in step && !isOutcome(step)) step.held.written = Math.max(step.held.written, step.entry.seq);
    for (const [held, due] of dues) held.due = due;
    this.counts.batches += 1;
    this.counts.records += batch.steps.length;
    this.counts.commits += batch.steps.filter((step) => step.do === "row" && step.kind === "change").length;
    const lost = [...leftOut.keys()].filter((held) => !leftOut.get(held));
    if (lost.length > 0) this.lose(lost, explainTakeover(lost.map(({ id }) => id)));
    // New worlds of a team without room leave memory, and their creator gets a 409.
    for (const [held, reason] of leftOut) if (reason) this.lose([held], reason);
    // The batch stops being pending before the responses are sent.
    this.#writing = undefined;
    batch.resolve();
  }

  /** Finds the due times that have changed. */
  #findDues(worlds: Iterable<HeldWorld>): Dues {
    const dues = new Map<HeldWorld, number | undefined>();
    for (const world of worlds) {
      if (this.held.get(world.id) !== world) continue;
      // A world that is being released is not in memory.
      const due = world.closing ? world.closing.due : this.dueOf(world.id);
      if (due !== world.due) dues.set(world, due);
    }
    return dues;
  }
}

/** Creates the error for a client whose change was not written, and may be repeated. */
export const explainTakeover = (worlds: readonly string[]): StoreError =>
  new StoreError(
    `Another node has taken over ${worlds.length === 1 ? `world ${worlds[0]}` : `${worlds.length} worlds`} before this was written. Send the request again.`,
  );
