// One collection: records by id and ordered indexes over them, so that no question scans it. Layers and persistent B-trees: a copy
// is made in constant time and shares everything until one of the two changes (this is what makes a fork cheap).
import sortedBTree from "sorted-btree";
import type { Walk } from "../domain/desk.ts";
import { Layers } from "./layers.ts";

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;
type Tree<V> = InstanceType<typeof sortedBTree<string, V>>;

/** The keys under which a record stands; none leaves it out. They follow from these members, so while those stay, so do the keys. */
export interface Index<R> {
  of: readonly (keyof R)[];
  keys(record: R): readonly string[];
}
export type Indexes<R> = Readonly<Record<string, Index<R>>>;

/** Ends a key inside an index entry; sorts below every character that a key may hold. */
const END = "\u0000";

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export class Collection<R extends { id: string }> {
  readonly #records: Layers<R>;
  readonly #indexes: Indexes<R>;
  readonly #trees: Map<string, Tree<string>>;

  constructor(indexes: Indexes<R>, original?: Collection<R>) {
    this.#indexes = indexes;
    this.#records = original ? original.#records.copy() : new Layers<R>();
    this.#trees = new Map();
    for (const name of Object.keys(indexes)) {
      const shared = original ? original.#trees.get(name) : undefined;
      this.#trees.set(name, shared ? shared.clone() : new BTree<string, string>(undefined, byText));
    }
  }

  /** A copy that shares everything until either changes. */
  copy(): Collection<R> {
    return new Collection(this.#indexes, this);
  }

  get size(): number {
    return this.#records.size;
  }

  get(id: string): R | undefined {
    return this.#records.get(id);
  }

  all(): Iterable<R> {
    return this.#records.values();
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
    const tree = this.#trees.get(index);
    if (!tree) throw new Error(`no index called ${index}`);
    for (const [, id] of bounds.descending ? down(tree, bounds) : up(tree, bounds)) {
      const record = this.#records.get(id);
      if (record) yield record;
    }
  }

  where(index: string, key: string): R[] {
    return [...this.walk(index, { from: key + END, until: key + "\u0001" })];
  }
}

function reindex(tree: Tree<string>, id: string, before: readonly string[], after: readonly string[]): void {
  if (before.length === 1 && after.length === 1 && before[0] === after[0]) return;
  for (const key of before) if (!after.includes(key)) tree.delete(key + END + id);
  for (const key of after) if (!before.includes(key)) tree.set(key + END + id, id);
}

function* up(tree: Tree<string>, { from = "", until, past }: Walk): Generator<[string, string]> {
  const behind = past ? past.key + END + past.id : undefined;
  const start = behind !== undefined && behind > from ? behind : from;
  for (const entry of tree.entries(start)) {
    if (until !== undefined && entry[0] >= until) return;
    if (entry[0] !== behind) yield [entry[0], entry[1]];
  }
}

function* down(tree: Tree<string>, { from = "", until, past }: Walk): Generator<[string, string]> {
  const behind = past ? past.key + END + past.id : undefined;
  const start = behind !== undefined && (until === undefined || behind < until) ? behind : until;
  for (const entry of tree.entriesReversed(start)) {
    if (entry[0] < from) return;
    if (entry[0] !== behind && (until === undefined || entry[0] < until)) yield [entry[0], entry[1]];
  }
}
