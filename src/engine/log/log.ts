// Keeps the latest entries of all worlds in memory, in the order in which they happened, up to a limit in bytes.
import { findFirstIndex } from "../../platform/first-index.ts";
import type { Collections } from "../world/state/schema.ts";
import { type EntryDraft, encodeEntry, isOfWorld, type StoredEntry } from "./entry.ts";

/** Stores entries in a data file or a database. A sandbox in memory has none. */
export interface EntrySink {
  /**
   * Throws a StoreError when an entry that changes something can't be stored. `records`: a copy of all records of a
   * world that the entry replaces.
   */
  append(entry: StoredEntry, records?: Collections): void;
}

/** The number of entries of a world that are no longer retained, and the last of them. */
interface DroppedEntries {
  readonly count: number;
  readonly last: number;
}

/** Positions in the log of a world. They remain known when the entries are dropped. */
interface WorldMarks {
  /** The entry with which its past begins. Undefined if it was dropped before the sandbox was started. */
  readonly beginning?: Omit<StoredEntry, "text">;
  /** The entry after which its log is listed. */
  readonly logStart: number;
  /** The entries that were dropped since its past began. */
  readonly dropped: DroppedEntries;
}

const NO_MARKS: WorldMarks = { logStart: 0, dropped: { count: 0, last: 0 } };

/** A full log is shrunk to this share of its limit, because each time all entries move in their array. */
const SHRUNK_SHARE = 0.98;

export class ActivityLog {
  readonly #maxBytes: number;
  #entries: StoredEntry[] = [];
  #bytes = 0;
  #lastSeq = 0;
  readonly #marks = new Map<string, WorldMarks>();
  #lastDropped = 0;
  readonly #listeners = new Set<(entry: StoredEntry) => void>();
  sink: EntrySink | undefined;

  /** `maxBytes` limits memory. The file may hold twice as much before it is compacted. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The entries after this one are retained. */
  get firstPoint(): number {
    // Entries of a world that another node had may be older than those that were dropped.
    return Math.max(this.#lastDropped, (this.#entries[0]?.seq ?? this.#lastSeq + 1) - 1);
  }

  /**
   * Stores the entry before readers see it, so its number is never reused for another entry. `more`: see `encodeEntry`;
   * `records`: see `EntrySink`.
   */
  append(draft: EntryDraft, more?: string, records?: Collections): StoredEntry {
    const entry = encodeEntry(this.#lastSeq + 1, draft, undefined, more);
    this.sink?.append(entry, records);
    this.load(entry);
    for (const listener of this.#listeners) listener(entry);
    return entry;
  }

  /**
   * Stores a part of a bulk change, or of a world that others are copied from. Readers of the log don't need it, so it
   * is not kept in memory. A sandbox in memory skips it.
   */
  appendPart(draft: EntryDraft): void {
    if (!this.sink) return;
    const entry = encodeEntry(this.#lastSeq + 1, draft, "part");
    this.sink.append(entry);
    this.#lastSeq = entry.seq;
  }

  /** Adds an entry that is stored already. */
  load(entry: StoredEntry): void {
    this.#lastSeq = Math.max(this.#lastSeq, entry.seq);
    this.#entries.push(entry);
    this.#note(entry);
    this.#shrink();
  }

  /**
   * Replaces the entries of a world and of its named snapshots by the stored ones, which another node has appended.
   * `dropped`: the entries that are no longer stored.
   */
  loadWorld(world: string, entries: readonly StoredEntry[], dropped?: DroppedEntries): void {
    this.forget(world);
    this.#entries = [...this.#entries, ...entries].sort((one, other) => one.seq - other.seq);
    for (const entry of entries) this.#note(entry);
    const marks = this.findMarks(world);
    if (dropped && dropped.last >= (marks.beginning?.seq ?? 0)) this.#marks.set(world, { ...marks, dropped });
    this.continueAfter(Math.max(entries.at(-1)?.seq ?? 0, dropped?.last ?? 0));
    this.#shrink();
  }

  #note(entry: StoredEntry): void {
    this.#bytes += entry.text.length;
    if (entry.effect !== "replace") return;
    const { text: _, ...beginning } = entry;
    // Populating a world begins its past again, but its log continues.
    const logStart = entry.id === "populate" ? this.findMarks(entry.world).logStart : entry.seq;
    this.#marks.set(entry.world, { beginning, logStart, dropped: NO_MARKS.dropped });
  }

  #shrink(): void {
    if (this.#bytes <= this.#maxBytes) return;
    let count = 0;
    // The latest entry stays, however long it is, because users look at it most.
    for (; this.#bytes > this.#maxBytes * SHRUNK_SHARE && count < this.#entries.length - 1; count++)
      this.#drop(this.#entries[count] as StoredEntry);
    this.#entries.splice(0, count);
  }

  #drop({ text, world, seq }: StoredEntry): void {
    this.#bytes -= text.length;
    this.#lastDropped = Math.max(this.#lastDropped, seq);
    const marks = this.findMarks(world);
    if (seq <= (marks.beginning?.seq ?? 0)) return;
    this.#marks.set(world, { ...marks, dropped: { count: marks.dropped.count + 1, last: seq } });
  }

  findMarks(world: string): WorldMarks {
    return this.#marks.get(world) ?? NO_MARKS;
  }

  /** Continues the numbers of a snapshot, or of a world that another node had. */
  continueAfter(seq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, seq);
  }

  /** The entry with which the past of a world begins, or the last one that was dropped. */
  findFirstPoint(world: string): number {
    const { beginning, dropped } = this.findMarks(world);
    // The dropped entries may all belong to other worlds.
    return dropped.last || (beginning?.seq ?? this.firstPoint);
  }

  /** Returns the entries after `seq`, oldest first. */
  listAfter(
    seq: number,
    { world, limit = Number.POSITIVE_INFINITY }: { world?: string | undefined; limit?: number } = {},
  ): StoredEntry[] {
    const first = this.#findIndex(seq + 1);
    if (world === undefined) return this.#entries.slice(first, first + limit);
    const found: StoredEntry[] = [];
    for (let index = first; index < this.#entries.length && found.length < limit; index++)
      if (this.#entries[index]?.world === world) found.push(this.#entries[index] as StoredEntry);
    return found;
  }

  /**
   * Yields the entries before `seq`, newest first. Reading 50,000 takes a few milliseconds, so there is no index to
   * maintain.
   */
  *walkBefore(seq = Number.POSITIVE_INFINITY): Generator<StoredEntry> {
    for (let index = this.#findIndex(seq) - 1; index >= 0; index--) yield this.#entries[index] as StoredEntry;
  }

  /** Finds the first entry that is not before `seq`, by bisection, since numbers rise with the index. */
  #findIndex(seq: number): number {
    return findFirstIndex(this.#entries.length, (at) => (this.#entries[at] as StoredEntry).seq < seq);
  }

  /** Removes the entries of a world, which another node continues, and of its snapshots. */
  forget(world: string): void {
    this.#entries = this.#entries.filter((entry) => !isOfWorld(entry.world, world));
    this.#bytes = this.#entries.reduce((sum, { text }) => sum + text.length, 0);
    for (const id of this.#marks.keys()) if (isOfWorld(id, world)) this.#marks.delete(id);
  }

  /** Calls `listener` with each entry that is appended from now on. Returns the function that stops it. */
  listen(listener: (entry: StoredEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
