// Provides a map whose keys are sorted texts, as a B+ tree. A clone shares all nodes until one of the two changes, so it is
// cheap.
import type SortedBTree from "sorted-btree";
import sortedBTree from "sorted-btree";
import compareTrees from "sorted-btree/extended/diffAgainst.js";

export type SortedMap<V> = SortedBTree<string, V>;

// CommonJS modules are wrapped or bare, depending on the loader.
const diffAgainst = (compareTrees as unknown as { default?: typeof compareTrees }).default ?? compareTrees;
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;

/** Compares UTF-16 code units, as `<` does: a locale would make the order depend on the machine. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

export const createSortedMap = <V>(): SortedMap<V> => new BTree<string, V>(undefined, compareTexts);

/**
 * Calls `use` with each key whose value is not the same object in both maps. Nodes that a clone shares with its
 * original are skipped.
 */
export function compareMaps<V>(
  before: SortedMap<V>,
  after: SortedMap<V>,
  use: (key: string, before: V | undefined, after: V | undefined) => void,
): void {
  diffAgainst(
    before,
    after,
    (key, value) => use(key, value, undefined),
    (key, value) => use(key, undefined, value),
    (key, was, is) => use(key, was, is),
  );
}
