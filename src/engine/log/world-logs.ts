// Manages the log of each world: adds entries that report an outcome, lists them and shows them.
import { getCausedMessages } from "../domain/kernel/lookups.ts";
import type { Delivery, Message } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { type Cause, type CausingRequest, getCause, readCauseKind } from "../world/state/commit.ts";
import { type EntryDraft, readHeadText, type StoredEntry } from "./entry.ts";
import type { ActivityLog } from "./log.ts";
import { canHaveTwin, describeOutcome, hasEnded, isTwin } from "./outcome-phrases.ts";
import { encodeRedacted } from "./redact.ts";
import type { ClockMoved, EntryHead, ListedKind, LogEntry, LogFilter, LogView } from "./view.ts";
import { createMatcher, encodeMembers, readHead, showEntry } from "./view.ts";

interface WorldLogsDeps {
  log: ActivityLog;
  /** Milliseconds of real time. */
  wall(): number;
  /** The world whose run this one is part of. */
  findHead(world: string): string | undefined;
  /** Reads the current world; undefined if it can't be read. */
  read<T>(world: string, question: (tx: Transaction) => T): T | undefined;
  /** Remarks about a request, such as a field that is ignored. */
  notes(entry: LogEntry): readonly string[];
}

interface CommitOfRequest extends EntryDraft {
  readonly cause: Cause;
  readonly request?: CausingRequest;
}

/** The number of earlier requests that are searched for a twin. */
const MAX_SEARCHED_REQUESTS = 200;
const MAX_SEARCHED_ENTRIES = 1000;

const isListed = ({ kind }: StoredEntry): boolean => kind !== "commit" && kind !== "state";

export class WorldLogs {
  readonly log: ActivityLog;
  readonly #deps: WorldLogsDeps;
  /** World id → the test that is running. */
  readonly #marks = new Map<string, string>();
  /** The entry that was found last. */
  #latest: LogEntry | undefined;
  /** Without tests, thousands of deliveries need no search for their cause. */
  #hasTests = false;

  constructor(deps: WorldLogsDeps) {
    this.#deps = deps;
    this.log = deps.log;
  }

  /** `details` and `body` are JSON without secrets. */
  add(head: EntryHead, details: string, body?: string): void {
    const { world, kind, id, at, ...more } = head;
    const test = this.#findTest(head);
    if (test !== null) this.#hasTests = true;
    const members = encodeMembers({ ...more, test, run: this.#deps.findHead(world) }, details, body);
    this.log.append({ world, kind: kind as StoredEntry["kind"], id, at, wall: this.#deps.wall() }, members);
  }

  /** Adds a move of the clock. A tick of a running clock has no cause. */
  addMove({ id, world, ...move }: ClockMoved): void {
    const facts = move.receipt.flatMap((line) => line.facts);
    const caused_by = move.by === "tick" ? undefined : move.by.id;
    this.add({ kind: "clock", id, world, at: move.to, failed: false, caused_by, facts }, JSON.stringify(move));
  }

  /**
   * Adds the last attempt of a delivery. `isHeld`: whether the clock of the world is held; `armed`: the fault that hit
   * the attempt.
   */
  addAttempt(
    world: string,
    delivery: Delivery,
    message: Message,
    { isHeld, armed }: { isHeld: boolean; armed: object | undefined },
  ): void {
    const { id, message_id, subscription_id, url, state, next_attempt_at, attempts } = delivery;
    // A delivery without attempts has the time of its message.
    const { at = message.created_at, outcome, answer = null, error = null, duration_ms, fault } = attempts.at(-1) ?? {};
    const awaitsClock = isHeld && next_attempt_at !== undefined && next_attempt_at > at;
    const caused_by = getCause(message);
    const head: EntryHead = { kind: "delivery", id, world, at, failed: outcome !== "ACCEPTED", caused_by, facts: [] };
    const details = {
      message_id,
      delivery_id: id,
      subscription_id,
      url,
      webhook_kind: message.kind,
      state,
      next_attempt_at,
      awaits_clock: awaitsClock || undefined,
      attempt: { at, number: attempts.length, outcome, status: answer?.status ?? null, error, duration_ms },
      cause: { kind: readCauseKind(caused_by), id: caused_by },
      faults: fault ? [{ ...fault, fault: armed }] : [],
    };
    this.add(head, encodeRedacted(details), message.body);
  }

  /** Adds a change of a world itself. `change` names what happened; `detail` is shown and searched. */
  addWorldChange(head: Pick<EntryHead, "id" | "world" | "at">, change: string, detail: object): void {
    this.add({ ...head, kind: "world", failed: false, facts: [] }, encodeRedacted({ change, detail }));
  }

  /**
   * Adds the missing entry of each request and act of these worlds that changed something: the process ended before it
   * recorded the response. Call it before the first request.
   */
  addUnfinished(worlds: ReadonlySet<string>): void {
    for (const entry of this.#findUnfinished(worlds)) {
      const { facts = [], cause, request } = JSON.parse(readHeadText(entry)) as CommitOfRequest;
      if (!request) continue;
      const { operation, client_id, ...rest } = request;
      const { world, at } = entry;
      // An act has no status, and it succeeded.
      const outcome = cause.kind === "act" ? { failed: false } : { status: null, failed: true };
      const head = { ...cause, world, at, operation, ...outcome, client_id, test: null, facts } as EntryHead;
      this.add(head, JSON.stringify({ took: 0, ...rest, params: {}, headers: {}, unfinished: true }));
    }
  }

  /** Finds the first commit of each request and act without an entry. */
  #findUnfinished(worlds: ReadonlySet<string>): Iterable<StoredEntry> {
    const commits = new Map<string, StoredEntry>();
    for (const entry of this.log.listAfter(0)) {
      const { seq, world, kind, id } = entry;
      const key = `${world} ${id}`;
      if (!worlds.has(world) || seq <= this.log.findMarks(world).logStart) continue;
      if (kind === "request" || kind === "act") commits.delete(key);
      else if (kind === "commit" && /^(req|act)-/.test(id) && !commits.has(key)) commits.set(key, entry);
    }
    return commits.values();
  }

  /** Finds the test of an entry. Entries belong to the test of their cause, even if another test is running now. */
  #findTest({ test, caused_by, world }: EntryHead): string | null {
    if (test !== undefined) return test;
    const cause = this.#hasTests && caused_by !== undefined ? this.find(world, caused_by) : undefined;
    return cause?.test ?? this.#marks.get(world) ?? null;
  }

  /** Lists the newest entries that match, at most `limit`, oldest first. */
  list(world: string, filter: LogFilter, limit = Number.POSITIVE_INFINITY): LogEntry[] {
    const { since = 0, before, run } = filter;
    const first = Math.max(since, this.log.findMarks(world).logStart);
    const match = createMatcher(filter);
    const found: LogEntry[] = [];
    for (const stored of this.log.walkBefore(before)) {
      if (stored.seq <= first || found.length >= limit) break;
      if (!isListed(stored) || (stored.world !== world && !run)) continue;
      const entry = match(stored);
      if (entry && (entry.world === world || entry.run === world)) found.push(entry);
    }
    return found.reverse();
  }

  /** Finds the latest entry with this id. A delivery has one for each attempt. */
  find(world: string, id: string): LogEntry | undefined {
    const { logStart } = this.log.findMarks(world);
    for (const entry of this.log.walkBefore()) {
      if (entry.seq <= logStart) break;
      if (entry.id !== id || entry.world !== world || !isListed(entry)) continue;
      // The entry is cached, because an explanation reads the same one several times and it may have thousands of facts.
      if (entry.text !== this.#latest?.text) this.#latest = readHead(entry);
      return this.#latest;
    }
    return undefined;
  }

  /** Lists the requests that have a fact of this record, oldest first. */
  listRequestsAbout(world: string, record: string): LogEntry[] {
    const about = this.list(world, { kinds: ["request"], touches: record });
    return about.filter(({ facts }) => facts.some(({ id }) => id === record));
  }

  /** Finds the earlier request of the same client that this one repeated. */
  findTwin(entry: LogEntry): LogEntry | undefined {
    if (!canHaveTwin(entry)) return undefined;
    const { world, seq, operation, client_id } = entry;
    const filter = { kinds: ["request"], operation, client_id, before: seq } as LogFilter;
    const isInForce = (other: LogEntry) => {
      const between = this.list(world, { since: other.seq, before: seq }, MAX_SEARCHED_ENTRIES);
      return !between.some((later) => hasEnded(other, later));
    };
    const earlier = this.list(world, filter, MAX_SEARCHED_REQUESTS);
    return earlier.findLast((other) => isTwin(entry, other) && isInForce(other));
  }

  show(entry: LogEntry, view: LogView): object {
    const { world, id, facts } = entry;
    const { read, notes } = this.#deps;
    // Only entries with facts can have caused messages.
    const messages = facts.length === 0 ? [] : (read(world, (tx) => getCausedMessages(tx, id)) ?? []);
    const members = showEntry(entry, { isFull: view === "full", messages, notes });
    return view === "told" ? { ...members, ...this.#tell(entry) } : members;
  }

  /** Shows an entry in full, and with its outcome in words. */
  showFully(entry: LogEntry): object {
    return { ...this.show(entry, "full"), ...this.#tell(entry) };
  }

  #tell(entry: LogEntry): object {
    if (entry.kind === "delivery") return {};
    const phrases = this.#deps.read(entry.world, (tx) => describeOutcome(entry, tx, this.findTwin(entry)));
    return { told: phrases ?? [] };
  }

  /**
   * Calls `listener`, which must not throw, with each entry that is added from now on. Returns the function that stops
   * it.
   */
  listen(listener: (entry: LogEntry) => void): () => void {
    return this.log.listen((entry) => {
      if (isListed(entry)) listener(readHead(entry));
    });
  }

  /** Counts the entries of a kind by world id. */
  count(kind: ListedKind): Map<string, number> {
    const counts = new Map<string, number>();
    for (const entry of this.log.walkBefore())
      if (entry.kind === kind && entry.seq > this.log.findMarks(entry.world).logStart)
        counts.set(entry.world, (counts.get(entry.world) ?? 0) + 1);
    return counts;
  }

  /**
   * Counts the entries that are missing from the log of these worlds. Entries of all kinds count, since they share one
   * limit.
   */
  findDropped(worlds: readonly string[]): { count: number; since: number } {
    const count = worlds.reduce((sum, world) => sum + this.log.findMarks(world).dropped.count, 0);
    return { count, since: count === 0 ? 0 : this.log.firstPoint };
  }

  /** Sets the test that is running in a world. */
  mark(world: string, test: string | null): void {
    if (test === null) this.#marks.delete(world);
    else this.#marks.set(world, test);
  }

  forget(world: string): void {
    this.#latest = undefined;
    this.#marks.delete(world);
  }
}
