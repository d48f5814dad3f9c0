// The steps that wait for the database. One batch is written at a time. When a batch fails, its worlds are lost,
// because only a new epoch shows what was written.
import { isQuotaError, isStoreError, type StoredEntry, StoreError, type WorldRecords } from "../../engine/log/index.ts";
import { type Database, explainFailure } from "./connection.ts";
import { pack } from "./load-world.ts";
import type { Registration } from "./registration.ts";
import { type Dues, explainTakeover, HeldWorld, isChange, type Making, type Step, writeBatch } from "./write-batch.ts";

const MAX_QUEUED_BYTES = 32 << 20;
/** The records of a world, roughly. */
const WORLD_BYTES = 200_000;
/** An outcome waits for a change of any world, but no longer than this. */
const OUTCOME_DELAY_MS = 200;
const OUTCOME = /"failed":(true|false),.*?"took":[\d.]+,"method":"(\w+)"/;
const ORIGIN = /"replaced":\{"from":"([^"\\]+)"\}/;

/** The steps of one statement, or of one transaction. */
class Batch {
  steps: Step[] = [];
  bytes = 0;
  isUnderWay = false;
  end!: () => void;
  /** Resolves when the batch is written or has failed. */
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  /** The worlds that are lost if the batch fails. */
  readonly changed = new Map<string, HeldWorld>();
  readonly #failures = new Map<HeldWorld, Error>();

  /**
   * Rows share a statement, and new worlds that are created together a transaction. Other steps have a transaction of
   * their own.
   */
  accepts(step: Step): boolean {
    const [first] = this.steps;
    if (this.isUnderWay || !first) return !this.isUnderWay;
    if (first.do === "row" || step.do === "row") return first.do === step.do;
    return first.do === "begin" && step.do === "begin" && first.made !== undefined && first.made === step.made;
  }

  add(step: Step, bytes: number): void {
    this.steps.push(step);
    this.bytes += bytes;
    if (isChange(step)) this.changed.set(step.held.id, step.held);
  }

  /**
   * Fails the steps of these worlds and of their copies, and adds the copies to `lost`. Steps that are under way may
   * succeed nevertheless.
   */
  lose(lost: Set<HeldWorld>, reason: Error): void {
    for (const step of this.steps) if (step.do === "begin" && step.origin && lost.has(step.origin)) lost.add(step.held);
    for (const held of lost) {
      if (this.changed.get(held.id) !== held) continue;
      this.changed.delete(held.id);
      this.#failures.set(held, reason);
    }
    if (!this.isUnderWay) this.steps = this.steps.filter(({ held }) => !lost.has(held));
  }

  /** Rejects if the world is lost, or any if none is named. */
  async waitUntilWritten(held?: HeldWorld): Promise<void> {
    await this.ended;
    const [failure] = held ? [this.#failures.get(held)] : this.#failures.values();
    if (failure) throw failure;
  }
}

/** `address`: for messages. */
interface WriteQueueDeps {
  database: Database;
  registration: Registration;
  address: string;
}

/** `add` is synchronous, so that memory and queue never differ. */
export class WriteQueue {
  readonly held = new Map<string, HeldWorld>();
  readonly counts = { commits: 0, batches: 0, records: 0, lost: 0 };
  /**
   * Is called before waiting requests fail: the memory of these worlds must not be used any more. `why` is undefined if
   * they were never stored.
   */
  onLost: (worlds: readonly string[], why: string | undefined) => void = () => undefined;
  /** Returns when the next thing is due in the world (ms since 1970) if its clock runs. */
  findDue: (world: string) => number | undefined = () => undefined;
  /** Finds the team of the next new world. Undefined: the world is the operator's. */
  findMaking: () => Making | undefined = () => undefined;
  readonly #deps: WriteQueueDeps;
  /** The first may be under way. */
  readonly #batches: Batch[] = [];
  #bytes = 0;
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: WriteQueueDeps) {
    this.#deps = deps;
  }

  get queued(): number {
    return this.#batches.reduce((sum, { steps }) => sum + steps.length, 0);
  }

  /** Accepts entries of a world that this node has taken. */
  hold(world: HeldWorld): void {
    this.held.set(world.id, world);
  }

  /** Throws a StoreError, before anything is changed, if too much waits or the world is not held here. */
  add(entry: StoredEntry, records?: WorldRecords): HeldWorld {
    if (this.#bytes > MAX_QUEUED_BYTES) throw this.toStoreError(new Error("it is too slow for its requests"));
    const step = this.#toStep(entry, records);
    this.#push(step, entry.text.length + (records ? WORLD_BYTES : 0));
    this.#start();
    return step.held;
  }

  /** `records`: a copy of the whole world as it is now. */
  addCheckpoint(held: HeldWorld, records: WorldRecords): void {
    held.rows = 0;
    this.#push({ do: "checkpoint", held, seq: held.seq, records }, WORLD_BYTES);
    this.#start();
  }

  /** No request waits for an outcome. Those of successful requests that only read are not stored. */
  addOutcome(entry: StoredEntry): void {
    const held = this.held.get(entry.world);
    if (!held || held.closing || this.#bytes > MAX_QUEUED_BYTES) return;
    const [, failed, method] = OUTCOME.exec(entry.text) ?? [];
    if (failed === "false" && (method === "GET" || method === "HEAD")) return;
    held.rows += entry.text.length;
    const kind = entry.kind === "request" && failed === "true" ? "rejected" : "outcome";
    this.#push({ do: "row", held, entry, kind, previous: held.seq }, entry.text.length);
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
    return { do: "row", held, entry, kind: "change", previous };
  }

  /** The earlier rows of the world are not needed any more. */
  #toBeginning(id: string, entry: StoredEntry, records: WorldRecords): Step {
    const isNew = !this.held.has(id);
    if (isNew) this.held.set(id, new HeldWorld(id));
    const held = this.#findHeld(id);
    held.seq = entry.seq;
    held.rows = 0;
    const made = isNew ? (this.findMaking() ?? { team: null }) : undefined;
    const origin = isNew && entry.id === "fork" ? this.held.get(ORIGIN.exec(entry.text)?.[1] ?? "") : undefined;
    return { do: "begin", held, entry, name: "", records, made, origin };
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
    batch.add(step, bytes);
    this.#bytes += bytes;
  }

  /** Resolves when the changes of this world, or of all, are written. Returns undefined if they are. */
  waitUntilWritten(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) {
      const batch = this.#batches.findLast(({ changed }) => changed.has(world));
      return batch?.waitUntilWritten(batch.changed.get(world));
    }
    const batches = this.#batches.filter(({ changed }) => changed.size > 0);
    return batches.length > 0 ? Promise.all(batches.map((batch) => batch.waitUntilWritten())) : undefined;
  }

  /** Resolves when all that waits now is written or has failed. */
  async settle(): Promise<void> {
    this.#start();
    await this.#batches.at(-1)?.ended;
  }

  /** Creates the 503 of a database that fails. */
  toStoreError(reason: unknown): StoreError {
    return new StoreError(
      `The database ${this.#deps.address} can't be used: ${explainFailure(reason)}. Send the request again in a moment.`,
      { cause: reason },
    );
  }

  /**
   * Removes these worlds and their copies from memory. What waits for them is rejected afterwards. A world that was
   * lost before and taken again is not lost with the steps of its former ownership.
   */
  lose(worlds: Iterable<HeldWorld>, reason: Error): void {
    const lost = new Set(worlds);
    for (const batch of this.#batches) batch.lose(lost, reason);
    const ids = Array.from(lost).flatMap((world) => (this.held.get(world.id) === world ? [world.id] : []));
    for (const id of ids) this.held.delete(id);
    if (ids.length === 0) return;
    const wasStored = !isQuotaError(reason);
    if (wasStored) this.counts.lost += ids.length;
    this.onLost(ids, wasStored ? reason.message : undefined);
  }

  /** Reports a world that was lost before its opening had ended. */
  explainNotHere(world: string): StoreError {
    const reason = explainTakeover([{ id: world }]);
    this.onLost([world], reason.message);
    return reason;
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

  async #write({ steps }: Batch): Promise<void> {
    if (steps.length === 0) return;
    const dues = this.#findDues(new Set(steps.map(({ held }) => held)));
    // A node in doubt writes nothing before the database has confirmed it.
    const { database, registration } = this.#deps;
    if (!registration.isConfirmed && !(await registration.isRegistered())) throw new Error("it does not respond");
    // Compression precedes the transaction, so that no row is locked during it.
    for (const step of steps) if ("records" in step) step.body = await pack(step.records);
    const lost = await writeBatch(database, registration, steps, dues);
    for (const [held, due] of dues) held.due = due;
    this.counts.batches += 1;
    this.counts.records += steps.length;
    this.counts.commits += steps.filter((step) => step.do === "row" && step.kind === "change").length;
    if (lost.length > 0) this.lose(lost, explainTakeover(lost));
  }

  #fail({ changed }: Batch, reason: unknown): void {
    // A transaction that throws its own error was rolled back. Any other statement may have succeeded, and only a new
    // epoch shows it.
    const isRolledBack = isStoreError(reason) || isQuotaError(reason);
    this.lose(changed.values(), isRolledBack ? reason : this.toStoreError(reason));
    if (!isRolledBack) this.#deps.registration.doubt();
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
