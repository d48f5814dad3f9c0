// One collection: records by id and ordered indexes over them, so that no question scans it. Layers and persistent B-trees: a copy
// is made in constant time and shares everything until one of the two changes (this is what makes a fork cheap). An index is made
// when it is first asked, and kept up from then on: most are never asked, and cost nothing.
import sortedBTree from "sorted-btree";
import type { Walk } from "../domain/desk.ts";
import { Folded, readOnce, type Stored } from "./folded.ts";
import { Layers } from "./layers.ts";

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;
type Tree = InstanceType<typeof sortedBTree<string, undefined>>;

/** The keys under which a record stands; none leaves it out. They follow from these members, so while those stay, so do the keys. */
export interface Index<R> {
  of: readonly (keyof R & string)[];
  keys(record: R): readonly string[];
}
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

/** Ends a key inside an index entry; sorts below every character that a key may hold. */
const END = "\u0000";

const byText = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

export class Collection<R extends { id: string }> {
  readonly #records: Layers<R>;
  readonly #indexes: Indexes<R>;
  readonly #trees = new Map<string, Tree>();

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    this.#records = original ? original.#records.copy() : new Layers<R>();
    if (original) for (const [name, tree] of original.#trees) this.#trees.set(name, tree.clone());
  }

  /** A copy that shares everything until either changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  /** Puts records into a collection that has none. */
  fill(records: Iterable<Stored<R>>): void {
    this.#records.fill(records);
    this.#trees.clear();
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  *all(): Generator<R> {
    for (const stored of this.#records.stored()) yield readOnce(stored);
  }

  /** As they are kept, unread. */
  stored(): Iterable<Stored<R>> {
    return this.#records.stored();
  }

  /** Puts a record, or takes it away (`null`); answers what stood there. */
  set(id: string, record: R | null): R | undefined {
    const old = this.#records.set(id, record);
    for (const [name, tree] of this.#trees) {
      const index = this.#indexes[name] as Index<R>;
      if (old && record && index.of.every((member) => old[member] === record[member])) continue;
      reindex(tree, id, old ? index.keys(old) : [], record ? index.keys(record) : []);
    }
    return old;
  }

  *walk(index: string, bounds: Walk = {}): Generator<R> {
    const tree = this.#tree(index);
    for (const entry of bounds.descending ? down(tree, bounds) : up(tree, bounds)) {
      const record = this.#records.get(entry.slice(entry.indexOf(END) + 1));
      if (record) yield record;
    }
  }

  where(index: string, key: string): R[] {
    return [...this.walk(index, { from: key + END, until: key + "\u0001" })];
  }

  #tree(name: string): Tree {
    const known = this.#trees.get(name);
    if (known) return known;
    const index = this.#indexes[name];
    if (!index) throw new Error(`no index called ${name}`);
    const tree = new BTree<string, undefined>(undefined, byText);
    for (const entry of entriesOf(index, this.#records.stored()).sort()) tree.set(entry, undefined);
    this.#trees.set(name, tree);
    return tree;
  }
}

function entriesOf<R extends { id: string }>({ of, keys }: Index<R>, records: Iterable<Stored<R>>): string[] {
  const entries: string[] = [];
  for (const stored of records) {
    const record = stored instanceof Folded ? stored.readOnly(of) : stored;
    for (const key of keys(record)) entries.push(key + END + stored.id);
  }
  return entries;
}

function reindex(tree: Tree, id: string, before: readonly string[], after: readonly string[]): void {
  if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
  for (const key of before) if (!after.includes(key)) tree.delete(key + END + id);
  for (const key of after) if (!before.includes(key)) tree.set(key + END + id, undefined);
}

function* up(tree: Tree, { from = "", until, past }: Walk): Generator<string> {
  const behind = past ? past.key + END + past.id : undefined;
  const start = behind !== undefined && behind > from ? behind : from;
  for (const entry of tree.keys(start)) {
    if (until !== undefined && entry >= until) return;
    if (entry !== behind) yield entry;
  }
}

function* down(tree: Tree, { from = "", until, past }: Walk): Generator<string> {
  const behind = past ? past.key + END + past.id : undefined;
  const start = behind !== undefined && (until === undefined || behind < until) ? behind : until;
  for (const [entry] of tree.entriesReversed(start)) {
    if (entry < from) return;
    if (entry !== behind && (until === undefined || entry < until)) yield entry;
  }
}
