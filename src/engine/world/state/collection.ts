// One collection: records by id, and indexes over them, so that no query scans it. A copy is made in constant time and shares all data
// until one of the two changes: this makes a fork cheap. An index is built by its first query, and let go of when most of it has changed
// since its last one: most are seldom queried, and cost nothing. One with an `order` is there from the first record on, for good.
import type { Walk } from "../../domain/kernel/transaction.ts";
import { KeyIndex } from "./key-index.ts";
import { Layers } from "./layers.ts";
import { isWorthWaiting, MissingIndex } from "./missing-index.ts";
import {
  RecordSerializer,
  readCached,
  readMembers,
  readOnce,
  SerializedRecord,
  type Stored,
  type StoredRows,
  type TextAt,
  TextSearch,
} from "./serialized-record.ts";

export { readOnce, type Stored, type TextAt, textOf } from "./serialized-record.ts";

/** The keys of a record in an index; a record without keys is not in it. The keys depend on the members in `of` only. */
export interface Index<R> {
  of: readonly (keyof R & string)[];
  order?: "unsorted" | "sorted";
  keys(record: R): readonly string[];
}
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

/** What a view is of, for its indexes. */
interface Source<R extends { id: string }> {
  of: Collection<R>;
  /** How often that had changed. */
  changes: number;
  /** The ids that differ here. */
  touched: Set<string>;
}

/** An index that is being built in steps. */
interface Growing<R> {
  index: Index<R>;
  made: KeyIndex;
  /** The ids that changed since it was begun: their keys are right already. */
  touched: Set<string>;
}

export class Collection<R extends { id: string }> {
  #records: Layers<Stored<R>>;
  readonly #indexes: Indexes<R>;
  /** Indexes that are built, by name. Only these cost anything when a record changes. */
  readonly #made = new Map<string, KeyIndex>();
  /** Indexes that somebody waits for. */
  readonly #missing = new Map<string, MissingIndex>();
  readonly #growing = new Set<Growing<R>>();
  /** Its own: what is looked for in its records is not looked for in those of others. */
  #texts: RecordSerializer | undefined;
  #changes = 0;
  #source: Source<R> | undefined;

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    // Layers are shared until one side writes.
    this.#records = original ? original.#records.copy() : new Layers<Stored<R>>();
    if (original) for (const [name, made] of original.#made) this.#made.set(name, new KeyIndex(made));
    else this.#keep();
  }

  #keep(): void {
    for (const [name, { order }] of Object.entries(this.#indexes)) {
      // Its first query builds it.
      if (!order) continue;
      const made = new KeyIndex();
      if (order === "sorted") made.order();
      this.#made.set(name, made);
    }
  }

  /** A copy that shares all data until one of the two changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  /** A copy that is soon thrown away: an index that it asks for is built in the original, where the next one finds it. */
  view(): Collection<R> {
    const copy = this.copy();
    // With the state of now: an index built later would tell of another one.
    copy.#source = { of: this, changes: this.#changes, touched: new Set() };
    return copy;
  }

  /** Puts records into an empty collection. */
  fill(records: StoredRows<R>): void {
    this.#records = Layers.of(ownMapOf(records));
    // Also the ones made when it was empty: they know nothing of these records.
    this.#made.clear();
  }

  /** Puts one record into a collection that is filled, as text. */
  hold(record: R, read?: TextAt): SerializedRecord<R> {
    const stored = this.#serializer().serialize(record, read);
    this.#records.set(record.id, stored);
    for (const [name, made] of this.#made)
      replaceIn(made, this.#indexes[name] as Index<R>, record.id, [undefined, record]);
    return stored;
  }

  /** Without parsing it. */
  has(id: string): boolean {
    return this.#records.get(id) !== undefined;
  }

  /** Stores a record as text from now on: for a large world, of which few records are read. */
  serialize(id: string): void {
    const stored = this.#records.get(id);
    if (stored && !(stored instanceof SerializedRecord)) this.#records.set(id, this.#serializer().serialize(stored));
  }

  #serializer(): RecordSerializer {
    this.#texts ??= new RecordSerializer();
    return this.#texts;
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    const stored = this.#records.get(id);
    return stored && readCached(stored);
  }

  /** Every record, parsed for this reader only; for one pass over a large world. */
  *all(): Generator<R> {
    for (const stored of this.stored()) yield readOnce(stored);
  }

  /** All records in the form in which they are stored, for `textOf`: none is parsed. */
  stored(): Iterable<Stored<R>> {
    return this.#records.values();
  }

  /** The same as they are now, for one who reads them once, later: no index is copied, and then no look-up has two maps to read. */
  frozen(): Iterable<Stored<R>> {
    return this.#records.frozen();
  }

  /** Puts a record, or removes it (`null`). Returns the previous record. */
  set(id: string, record: R | null): R | undefined {
    const stored = this.#records.set(id, record);
    // Read before the indexes change, since old keys follow from the old record.
    const old = stored && readCached(stored);
    // Views that were taken before can borrow no index any more.
    this.#changes++;
    this.#source?.touched.add(id);
    for (const [name, made] of this.#made) {
      const index = this.#indexes[name] as Index<R>;
      replaceIn(made, index, id, [old, record]);
      if (!index.order && isForgotten(made, this.size)) this.#made.delete(name);
    }
    for (const growing of this.#growing) touch(growing, id, [old, record]);
    return old;
  }

  /** Records in order of an index. */
  *walk(index: string, bounds: Walk = {}): Generator<R> {
    for (const id of this.ids(index, bounds)) {
      const record = this.get(id);
      if (record) yield record;
    }
  }

  /** The ids of such a walk, without looking at the records; one with several keys comes several times. */
  ids(index: string, bounds: Walk = {}): Iterable<string> {
    return this.#index(index, true).walk(bounds);
  }

  first(index: string): R | undefined {
    const { first } = this.#index(index, true);
    return first === undefined ? undefined : this.get(first);
  }

  /** The records under one key, in order of their ids. */
  where(index: string, key: string): R[] {
    return this.#index(index)
      .under(key)
      .map((id) => this.get(id) as R);
  }

  /** The record under a key, without building an index for the one question: the texts are searched instead. */
  find(name: string, key: string): R | undefined {
    const index = this.#indexes[name];
    if (!index || this.#made.has(name)) return this.where(name, key)[0];
    const search = new TextSearch(JSON.stringify(key));
    for (const stored of this.stored()) {
      // The text of the record must have the key somewhere, or it is not worth parsing.
      if (stored instanceof SerializedRecord && !stored.has(search)) continue;
      if (index.keys(readOnce(stored)).includes(key)) return this.get(stored.id);
    }
    return undefined;
  }

  count(index: string, key: string): number {
    return this.#index(index).count(key);
  }

  #index(name: string, inOrder = false): KeyIndex {
    const index = this.#indexes[name];
    if (!index) throw new Error(`no index called ${name}`);
    const made = this.#made.get(name) ?? this.#lent(name, index, inOrder) ?? this.#built(name, index);
    this.#made.set(name, made);
    made.unread = 0;
    if (inOrder) made.order();
    return made;
  }

  /** The index of the original, with what differs here; undefined where that has changed since. */
  #lent(name: string, index: Index<R>, inOrder: boolean): KeyIndex | undefined {
    if (!this.#source || this.#source.of.#changes !== this.#source.changes) return undefined;
    const { of, touched } = this.#source;
    const made = new KeyIndex(of.#index(name, inOrder));
    // What the copy has written is not in the index of the original.
    for (const id of touched) replaceIn(made, index, id, [of.get(id), this.get(id)]);
    return made;
  }

  /** See `Layers`. */
  *settle(): Generator<void> {
    yield* this.#records.settle();
    for (const made of this.#made.values()) yield* made.settle();
  }

  #built(name: string, index: Index<R>): KeyIndex {
    if (isWorthWaiting(this.size)) throw this.#missingIndex(name, index);
    // Who can't wait does what is left of one that is under way.
    for (const _ of this.#missing.get(name)?.steps ?? []);
    const grown = this.#made.get(name);
    if (grown) return grown;
    const made = new KeyIndex();
    for (const stored of this.stored()) addTo(made, index, stored);
    return made;
  }

  #missingIndex(name: string, index: Index<R>): MissingIndex {
    const known = this.#missing.get(name) ?? new MissingIndex(name, this.#grown(name, index));
    // All who need it wait for the same one.
    this.#missing.set(name, known);
    return known;
  }

  /** Sorted from the first key on, since to sort all of them at the end is one long step. */
  *#grown(name: string, index: Index<R>): Generator<void> {
    const growing: Growing<R> = { index, made: new KeyIndex(), touched: new Set() };
    growing.made.order();
    this.#growing.add(growing);
    try {
      for (const stored of this.stored()) {
        // One that was changed meanwhile has its keys already.
        if (!growing.touched.has(stored.id)) addTo(growing.made, index, stored);
        yield;
      }
      this.#made.set(name, growing.made);
    } finally {
      this.#growing.delete(growing);
      this.#missing.delete(name);
    }
  }
}

/** Fewer changes than this cost less than to build the index again. */
const FEW = 1_000;

/** Whether to build it again would cost no more than it has cost since somebody asked. */
const isForgotten = ({ unread }: KeyIndex, records: number): boolean => unread > FEW && unread > records / 2;

/** Maps that are the records of a collection by now: two worlds of a file may have one in common. */
const taken = new WeakSet<object>();

function ownMapOf<R extends { id: string }>(records: StoredRows<R>): Map<string, Stored<R>> {
  const { byId } = records;
  if (!byId || taken.has(byId)) return new Map(Array.from(records, (record) => [record.id, record]));
  taken.add(byId);
  return byId;
}

function addTo<R extends { id: string }>(made: KeyIndex, index: Index<R>, stored: Stored<R>): void {
  // Only the members that the index reads, from the text.
  const record = readMembers(stored, index.of);
  for (const key of index.keys(record)) made.add(key, stored.id);
}

/** Whether the record was read before it changed is not known: its old keys go and its new ones come, were they there or not. */
function touch<R extends { id: string }>(
  { index, made, touched }: Growing<R>,
  id: string,
  [old, record]: readonly [old: R | undefined, record: R | null],
): void {
  touched.add(id);
  if (old) for (const key of index.keys(old)) made.delete(key, id);
  if (record) for (const key of index.keys(record)) made.add(key, id);
}

function replaceIn<R extends { id: string }>(
  made: KeyIndex,
  index: Index<R>,
  id: string,
  [old, record]: readonly [old: R | undefined, record: R | null | undefined],
): void {
  // Most changes leave most indexes alone.
  if (old && record && index.of.every((member) => old[member] === record[member])) return;
  const before = old ? index.keys(old) : [];
  const after = record ? index.keys(record) : [];
  for (const key of before) if (!after.includes(key)) made.delete(key, id);
  for (const key of after) if (!before.includes(key)) made.add(key, id);
}
