// One collection of records: by id, and by the keys of its indexes. Everything is a B+ tree, whose clone shares its nodes until one of the
// two changes, so a fork, a snapshot and a look into the past cost microseconds.
import { compareMaps, createSortedMap, type SortedMap } from "../../../platform/sorted-map.ts";
import { behindKey } from "../../domain/kernel/index-keys.ts";
import type { Walk } from "../../domain/kernel/transaction.ts";

/** The keys of a record in an index; a record without keys is not in it. */
export type Index<R> = (record: R) => readonly string[];
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

/** Ids in order of their key, then of the id: each entry is `<key><SEPARATOR><id>`. */
type Entries = SortedMap<string>;

/** Sorts before every character that a key or an id may have; see `behindKey`. */
const SEPARATOR = "\u0000";

const toEntry = (key: string, id: string): string => key + SEPARATOR + id;

export class Collection<R extends { id: string }> {
  readonly #indexes: Indexes<R>;
  readonly #records: SortedMap<R>;
  /**
   * An index is built by its first query. Most programs query few of them, and to keep all of them doubles the time of a create. A record
   * of a file without the fields that an index reads also fails that query and not the start.
   */
  readonly #entries = new Map<string, Entries>();

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    this.#records = original ? original.#records.clone() : createSortedMap<R>();
    if (original) for (const [name, entries] of original.#entries) this.#entries.set(name, entries.clone());
  }

  /** A copy that shares all data until one of the two changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  /** Each record that differs from another collection, as it is there and here. What a copy shares with its original takes no time. */
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

  /** Every record, in order of its id. */
  all(): Iterable<R> {
    return this.#records.values();
  }

  /** Puts a record, or removes it (`null`). Returns the previous record. */
  set(id: string, record: R | null): R | undefined {
    const previous = this.#records.get(id);
    if (record) this.#records.set(id, record);
    else this.#records.delete(id);
    for (const [name, entries] of this.#entries) {
      const index = this.#indexes[name] as Index<R>;
      replaceKeys(entries, id, previous ? index(previous) : [], record ? index(record) : []);
    }
    return previous;
  }

  /** Records in order of an index. A record with several keys in it is returned several times. */
  *walk(index: string, bounds: Walk = {}): Generator<R> {
    for (const id of this.ids(index, bounds)) {
      const record = this.#records.get(id);
      if (record) yield record;
    }
  }

  /** The ids of such a walk, without reading the records. */
  *ids(index: string, bounds: Walk = {}): Generator<string> {
    const entries = this.#find(index);
    const { from = "", until, past, descending } = bounds;
    const pastEntry = past && toEntry(past.key, past.id);
    if (descending) {
      // Both are upper bounds, exclusive: the lower one decides.
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

  /** The first record of such a walk. */
  first(index: string): R | undefined {
    const entry = this.#find(index).minKey();
    return entry === undefined ? undefined : this.#records.get(entry.slice(entry.lastIndexOf(SEPARATOR) + 1));
  }

  /** The records under one key, in order of their ids. */
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
    return this.#find(index).forRange(key + SEPARATOR, behindKey(key), false, visit);
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
