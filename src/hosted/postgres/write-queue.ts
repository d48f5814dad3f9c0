// The entries that wait to be written. One batch is written at a time, and all that is added while it is written goes into the next. When a
// batch fails, its worlds are lost: what was written of it is known only under a new epoch.

import { isQuotaError, type StoredEntry, StoreError, type WorldRecords } from "../../engine/log/index.ts";
import { Batch, type Checkpoint, isOutcome, type Step } from "./batch.ts";
import { type Database, whyFailed } from "./connection.ts";
import { HeldWorld } from "./held-world.ts";
import { pack } from "./packed-rows.ts";
import type { Registration } from "./registration.ts";
import type { Making } from "./shared-worlds.ts";
import { type Dues, writeBatch } from "./write-batch.ts";

/** Bytes: waiting for the database must not fill the memory. */
const MOST_QUEUED = 32 << 20;
/** Bytes of the records of a world, roughly. */
const WORLD_BYTES = 200_000;
/** Entries that report how something ended wait for a change of any world, but no longer than this. */
const OUTCOMES_MS = 200;
/** Of one world. */
const MOST_CAUSES = 1000;
/** Ids; forgetting them costs a second report of the same loss, and nothing else. */
const MOST_REPORTED = 10_000;
const STATUS = /"status":(\d+),"failed":/;
const ORIGIN = /"replaced":\{"from":"([^"\\]+)"\}/;

interface WriteQueueDeps {
  database: Database;
  registration: Registration;
  address: string;
}

/** `add` is synchronous, so memory and queue never differ. */
export class WriteQueue {
  readonly held = new Map<string, HeldWorld>();
  readonly counts = { commits: 0, batches: 0, records: 0, lost: 0 };
  onLost: (worlds: readonly string[], why: string | undefined) => void = () => undefined;
  dueOf: (world: string) => number | undefined = () => undefined;
  findMaking: () => Making | undefined = () => undefined;
  readonly #deps: WriteQueueDeps;
  /** Lost, and not taken since. */
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

  /** This node has taken the world: from now on its entries are accepted. */
  hold(world: HeldWorld): void {
    this.#reported.delete(world.id);
    this.held.set(world.id, world);
  }

  /** Throws a StoreError where too much waits, or where the world is not held here, before anything is changed. */
  add(entry: StoredEntry, records?: WorldRecords): HeldWorld {
    if (this.#filling.bytes > MOST_QUEUED) throw this.unavailable(new Error("it is too slow for what is asked of it"));
    const step = this.#toStep(entry, records);
    this.#filling.add(step, entry.text.length + (records ? WORLD_BYTES : 0));
    this.#start();
    return step.held;
  }

  addCheckpoint(checkpoint: Checkpoint): void {
    const { held, seq } = checkpoint;
    // The world may have begun again while it was compressed.
    if (this.held.get(held.id) !== held || seq < held.began) return;
    this.#filling.add(checkpoint, checkpoint.body.length);
    this.#start();
  }

  /** No request waits for it. Only the outcomes of changes and of rejected requests are stored. */
  addOutcome(entry: StoredEntry): void {
    const held = this.held.get(entry.world);
    if (!held || held.closing || this.#filling.bytes > MOST_QUEUED) return;
    const isChange = entry.kind !== "request" || held.causes.delete(entry.id);
    if (!isChange && !(Number(STATUS.exec(entry.text)?.[1]) >= 400)) return;
    const kind = isChange ? "outcome" : "rejected";
    held.rows += entry.text.length;
    this.#filling.add({ do: "row", held, entry, kind, previous: held.seq }, entry.text.length);
    this.#timer ??= setTimeout(() => this.#start(), OUTCOMES_MS).unref();
  }

  #toStep(entry: StoredEntry, records: WorldRecords | undefined): Step {
    const [id = "", name = ""] = entry.world.split(/@(.*)/s, 2);
    if (entry.effect === "replace" && name === "" && records) return this.#toBeginning(id, entry, records);
    const held = this.#findHeld(id);
    if (entry.effect === "replace" && !records) {
      if (name === "") this.held.delete(id);
      return { do: "remove", held, name };
    }
    if (name !== "" && records) return { do: "begin", held, entry, name, records };
    const previous = held.seq;
    held.seq = entry.seq;
    held.rows += entry.text.length;
    if (held.causes.size > MOST_CAUSES) held.causes.clear();
    held.causes.add(entry.id);
    return { do: "row", held, entry, kind: "change", previous };
  }

  /** The rows from before are needed no longer. */
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
    // What is being released takes no more: its last entry is on its way, and the world is given up after it.
    if (found && !found.closing) return found;
    throw new StoreError(`World ${id} is not open on this node any more. Send the request again.`);
  }

  /** Resolves when the changes of this world, or of all, are written; undefined when they are. */
  durable(world?: string): Promise<unknown> | undefined {
    return this.#filling.durable(world) ?? this.#writing?.durable(world);
  }

  /** Resolves when all that waits now is written, or has failed. */
  async settle(): Promise<void> {
    const batches = [this.#writing, this.#filling].filter((batch) => batch !== undefined && batch.steps.length > 0);
    this.#start();
    await Promise.all(batches.map((batch) => batch?.ended.promise));
  }

  /** The 503 of a database that fails; it has the address without the password, and why. */
  unavailable(reason: unknown): StoreError {
    return new StoreError(
      `The database ${this.#deps.address} can't be used: ${whyFailed(reason)}. Send the request again in a moment.`,
      { cause: reason },
    );
  }

  /**
   * Whoever uses the memory of these worlds is told before anybody who waits for them is answered. One that was lost before, and has been
   * taken again since, is not lost with what its former ownership still had under way.
   */
  lose(worlds: Iterable<HeldWorld>, reason: Error): void {
    // Before it is filtered: afterwards the batch no longer says whose entries it had.
    const batches = [this.#writing, this.#filling].map((batch) => ({ batch, has: new Set(batch?.worlds) }));
    const gone = this.#filling.remove(worlds);
    const ids = Array.from(gone).flatMap((each) => (this.held.get(each.id) === each ? [each.id] : []));
    for (const id of ids) this.held.delete(id);
    const wasThere = !isQuotaError(reason);
    if (wasThere) this.counts.lost += ids.length;
    // Memory first, responses second: no request may read lost changes after a client was told of the loss.
    if (ids.length > 0) this.#report(ids, wasThere ? reason.message : undefined);
    for (const each of gone) for (const { batch, has } of batches) if (has.has(each)) batch?.reject(each.id, reason);
  }

  /** It may have been lost before whoever took it had it in memory: they are told then. */
  explainNotHere(world: string): StoreError {
    const reason = explainTakeover([world]);
    if (!this.#reported.has(world)) this.onLost([world], reason.message);
    return reason;
  }

  #report(worlds: readonly string[], why: string | undefined): void {
    if (this.#reported.size > MOST_REPORTED) this.#reported.clear();
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
    // What the same turn of the event loop adds goes into the same transaction.
    await Promise.resolve();
    while (this.#filling.steps.length > 0) {
      const batch = this.#filling;
      this.#writing = batch;
      this.#filling = new Batch();
      await this.#writeBatch(batch).catch((reason) => {
        // Whether the statement was carried out is not known; only a new epoch tells.
        this.lose(batch.changedWorlds, this.unavailable(reason));
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
    if (!registration.isConfirmed && !(await registration.known())) throw new Error("it does not answer");
    // Before the transaction: no row is locked while a world is compressed.
    for (const step of batch.steps) if ("records" in step) step.body = await pack(step.records);
    const leftOut = await writeBatch(database, registration, batch.steps, dues);
    // Before any response, since a failover check compares with it.
    for (const step of batch.steps)
      if ("entry" in step && !isOutcome(step)) step.held.written = Math.max(step.held.written, step.entry.seq);
    for (const [held, due] of dues) held.due = due;
    this.#count(batch.steps);
    const lost = [...leftOut.keys()].filter((held) => !leftOut.get(held));
    if (lost.length > 0) this.lose(lost, explainTakeover(lost.map(({ id }) => id)));
    // A team without room: its new worlds are taken out of memory, and the creator is answered 409.
    for (const [held, reason] of leftOut) if (reason) this.lose([held], reason);
    // Before the answers, so that who asks whether something waits is told the truth.
    this.#writing = undefined;
    batch.resolve();
  }

  /** Only what has changed is written. */
  #findDues(worlds: Iterable<HeldWorld>): Dues {
    const dues = new Map<HeldWorld, number | undefined>();
    for (const world of worlds) {
      if (this.held.get(world.id) !== world) continue;
      // One that is being released is out of memory.
      const due = world.closing ? world.closing.due : this.dueOf(world.id);
      if (due !== world.due) dues.set(world, due);
    }
    return dues;
  }

  #count(steps: readonly Step[]): void {
    this.counts.batches += 1;
    this.counts.records += steps.length;
    this.counts.commits += steps.filter((step) => step.do === "row" && step.kind === "change").length;
  }
}

/** What a client whose change was not written is answered. Repeating it is safe for that reason. */
export const explainTakeover = (worlds: readonly string[]): StoreError =>
  new StoreError(
    `Another node has taken over ${worlds.length === 1 ? `world ${worlds[0]}` : `${worlds.length} worlds`} before this was written. Send the request again.`,
  );
