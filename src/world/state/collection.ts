// One collection: records by id, and indexes over them, so that no query scans it. A copy is made in constant time and shares all data
// until one of the two changes: this makes a fork cheap. An index is built by its first query and updated from then on: most are never
// queried, and cost nothing.
import type { Walk } from "../../domain/kernel/transaction.ts";
import { KeyIndex } from "./key-index.ts";
import { Layers } from "./layers.ts";
import { type RecordSerializer, readCached, readOnce, SerializedRecord, type Stored } from "./serialized-record.ts";

export { readOnce, textOf } from "./serialized-record.ts";

/** The keys of a record in an index; a record without keys is not in it. The keys depend on the members in `of` only. */
export interface Index<R> {
  of: readonly (keyof R & string)[];
  keys(record: R): readonly string[];
}
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

export class Collection<R extends { id: string }> {
  readonly #records: Layers<Stored<R>>;
  readonly #indexes: Indexes<R>;
  readonly #made = new Map<string, KeyIndex>();

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    this.#records = original ? original.#records.copy() : new Layers<Stored<R>>();
    if (original) for (const [name, made] of original.#made) this.#made.set(name, new KeyIndex(made));
  }

  /** A copy that shares all data until one of the two changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  /** Puts records into an empty collection. */
  fill(records: Iterable<Stored<R>>): void {
    for (const record of records) this.#records.set(record.id, record);
    this.#made.clear();
  }

  /** Stores a record as text from now on: for a large world, of which few records are read. */
  serialize(id: string, serializer: RecordSerializer): void {
    const stored = this.#records.get(id);
    if (stored && !(stored instanceof SerializedRecord)) this.#records.set(id, serializer.serialize(stored));
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    const stored = this.#records.get(id);
    return stored && readCached(stored);
  }

  *all(): Generator<R> {
    for (const stored of this.stored()) yield readOnce(stored);
  }

  /** All records in the form in which they are stored, for `textOf`: none is parsed. */
  stored(): Iterable<Stored<R>> {
    return this.#records.values();
  }

  /** Puts a record, or removes it (`null`). Returns the previous record. */
  set(id: string, record: R | null): R | undefined {
    const stored = this.#records.set(id, record);
    const old = stored && readCached(stored);
    for (const [name, made] of this.#made) {
      const index = this.#indexes[name] as Index<R>;
      if (old && record && index.of.every((member) => old[member] === record[member])) continue;
      const before = old ? index.keys(old) : [];
      const after = record ? index.keys(record) : [];
      for (const key of before) if (!after.includes(key)) made.delete(key, id);
      for (const key of after) if (!before.includes(key)) made.add(key, id);
    }
    return old;
  }

  /** Records in order of an index. */
  *walk(index: string, bounds: Walk = {}): Generator<R> {
    for (const id of this.#index(index).walk(bounds)) {
      const record = this.get(id);
      if (record) yield record;
    }
  }

  first(index: string): R | undefined {
    const { first } = this.#index(index);
    return first === undefined ? undefined : this.get(first);
  }

  where(index: string, key: string): R[] {
    return Array.from(this.#index(index).under(key), (id) => this.get(id) as R);
  }

  count(index: string, key: string): number {
    return this.#index(index).count(key);
  }

  #index(name: string): KeyIndex {
    const known = this.#made.get(name);
    if (known) return known;
    const index = this.#indexes[name];
    if (!index) throw new Error(`no index called ${name}`);
    const made = new KeyIndex();
    for (const stored of this.stored()) {
      const record = stored instanceof SerializedRecord ? stored.readOnly(index.of) : stored;
      for (const key of index.keys(record)) made.add(key, stored.id);
    }
    this.#made.set(name, made);
    return made;
  }
}
