// Texts in order, as a persistent B-tree: a copy is made in constant time and shares all nodes until one of the two changes.
import sortedBTree from "sorted-btree";

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;

/** By UTF-16 code units, as `<` does: a locale would make the order depend on the machine. */
const byText = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

/** A set of texts. Adding, removing and stepping cost the logarithm of its size. */
export class SortedTexts {
  readonly #tree: InstanceType<typeof sortedBTree<string, undefined>>;

  constructor(original?: SortedTexts) {
    this.#tree = original ? original.#tree.clone() : new BTree<string, undefined>(undefined, byText);
  }

  get size(): number {
    return this.#tree.size;
  }

  get first(): string | undefined {
    return this.#tree.minKey();
  }

  add(text: string): void {
    this.#tree.set(text, undefined);
  }

  delete(text: string): void {
    this.#tree.delete(text);
  }

  /** Ascending, from this text on. */
  up(from: string): Iterable<string> {
    return this.#tree.keys(from);
  }

  /** Descending, from this text or the last. */
  *down(from: string | undefined): Generator<string> {
    for (const [text] of this.#tree.entriesReversed(from)) yield text;
  }
}
