// A map whose keys are texts in order, as a B+ tree. Its clone shares all nodes until one of the two changes, so it costs next to nothing.
import type SortedBTree from "sorted-btree";
import sortedBTree from "sorted-btree";
import compareTrees from "sorted-btree/extended/diffAgainst.js";

export type SortedMap<V> = SortedBTree<string, V>;

// The CommonJS modules arrive wrapped or bare, depending on who loads it.
const diffAgainst = (compareTrees as unknown as { default?: typeof compareTrees }).default ?? compareTrees;
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;

/** By UTF-16 code units, as `<` does: a locale would make the order depend on the machine. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

export const createSortedMap = <V>(): SortedMap<V> => new BTree<string, V>(undefined, compareTexts);

/** Calls `use` with each key whose value is not the same object in both maps. What a clone shares with its original is skipped. */
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
