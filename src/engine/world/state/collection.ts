// Stores the records of one collection by id and by the keys of its indexes. The data is in B+ trees. A clone shares
// nodes with its original until one of the two changes, so forks, snapshots and views of the past take microseconds.
import { compareMaps, createSortedMap, type SortedMap } from "../../../platform/sorted-map.ts";
import { toKeyEnd } from "../../domain/kernel/index-keys.ts";
import type { Walk } from "../../domain/kernel/transaction.ts";

/** Returns the keys of a record in an index. A record without keys is not in the index. */
export type Index<R> = (record: R) => readonly string[];
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

/** Ids sorted by key, then by id: each entry is `<key><SEPARATOR><id>`. */
type Entries = SortedMap<string>;

/** Sorts before every character that a key or an id may have; see `toKeyEnd`. */
const SEPARATOR = "\u0000";

const toEntry = (key: string, id: string): string => key + SEPARATOR + id;

export class Collection<R extends { id: string }> {
  readonly #indexes: Indexes<R>;
  readonly #records: SortedMap<R>;
  /**
   * The first query builds an index, because most programs query few of them and maintaining all would double the time
   * of a create. If a record from a file lacks a field that an index reads, that query fails and not the start.
   */
  readonly #entries = new Map<string, Entries>();
  /** The transactions of a world set it, to undo and to store what they write. A copy has none. */
  onWrite: ((id: string, before: R | null, after: R | null) => void) | undefined;

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    this.#records = original ? original.#records.clone() : createSortedMap<R>();
    if (original) for (const [name, entries] of original.#entries) this.#entries.set(name, entries.clone());
  }

  /** Returns a copy that shares all data until one of the two changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  /**
   * Lists the records that differ from another collection. Data that a copy shares with its original is skipped at no
   * cost.
   */
  compareTo(original: Collection<R>): { id: string; before: R | null; after: R | null }[] {
    const changes: { id: string; before: R | null; after: R | null }[] = [];
    compareMaps(original.#records, this.#records, (id, before, after) =>
      changes.push({ id, before: before ?? null, after: after ?? null }),
    );
    return changes;
  }

  get size(): number {
    return this.#records.size;
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  /** Returns all records, sorted by id. */
  all(): Iterable<R> {
    return this.#records.values();
  }

  put(record: R): void {
    this.set(record.id, record);
  }

  remove(id: string): void {
    this.set(id, null);
  }

  /** Puts a record, or removes it (`null`). */
  set(id: string, record: R | null): void {
    // Loading a world needs no previous records.
    const previous = this.onWrite || this.#entries.size > 0 ? this.#records.get(id) : undefined;
    if (record) this.#records.set(id, record);
    else this.#records.delete(id);
    for (const [name, entries] of this.#entries) {
      const index = this.#indexes[name] as Index<R>;
      replaceKeys(entries, id, previous ? index(previous) : [], record ? index(record) : []);
    }
    this.onWrite?.(id, previous ?? null, record);
  }

  /** Yields records in order of an index. A record with several keys in the index is returned several times. */
  *walk(index: string, bounds: Walk = {}): Generator<R> {
    for (const id of this.ids(index, bounds)) {
      const record = this.#records.get(id);
      if (record) yield record;
    }
  }

  /** Yields the ids of such a walk, without reading the records. */
  *ids(index: string, bounds: Walk = {}): Generator<string> {
    const entries = this.#find(index);
    const { from = "", until, past, descending } = bounds;
    const pastEntry = past && toEntry(past.key, past.id);
    if (descending) {
      // Both upper bounds are exclusive, so the lower one decides.
      const upper = pastEntry !== undefined && (until === undefined || pastEntry < until) ? pastEntry : until;
      for (const [entry, id] of entries.entriesReversed(upper, undefined, true)) {
        if (entry < from) return;
        yield id;
      }
      return;
    }
    const lower = pastEntry !== undefined && pastEntry > from ? pastEntry : from;
    for (const [entry, id] of entries.entries(lower)) {
      if (until !== undefined && entry >= until) return;
      if (entry !== pastEntry) yield id;
    }
  }

  /** Returns the first record of such a walk. */
  first(index: string): R | undefined {
    const entry = this.#find(index).minKey();
    return entry === undefined ? undefined : this.#records.get(entry.slice(entry.lastIndexOf(SEPARATOR) + 1));
  }

  /** Lists the records under one key, sorted by id. */
  where(index: string, key: string): R[] {
    const found: R[] = [];
    this.#forKey(index, key, (_entry, id) => void found.push(this.#records.get(id) as R));
    return found;
  }

  count(index: string, key: string): number {
    return this.#forKey(index, key);
  }

  /** Visits the entries under one key; returns how many there are. */
  #forKey(index: string, key: string, visit?: (entry: string, id: string) => void): number {
    return this.#find(index).forRange(key + SEPARATOR, toKeyEnd(key), false, visit);
  }

  #find(name: string): Entries {
    const known = this.#entries.get(name);
    if (known) return known;
    const index = this.#indexes[name];
    if (!index) throw new Error(`no index called ${name}`);
    const entries: Entries = createSortedMap();
    for (const record of this.#records.values()) replaceKeys(entries, record.id, [], index(record));
    this.#entries.set(name, entries);
    return entries;
  }
}

function replaceKeys(entries: Entries, id: string, before: readonly string[], after: readonly string[]): void {
  for (const key of before) if (!after.includes(key)) entries.delete(toEntry(key, id));
  for (const key of after) if (!before.includes(key)) entries.set(toEntry(key, id), id);
}
