// A map whose keys are texts in order, as a B+ tree. Its clone shares all nodes until one of the two changes, so it costs next to nothing.
import type SortedBTree from "sorted-btree";
import sortedBTree from "sorted-btree";

export type SortedMap<V> = SortedBTree<string, V>;

// The CommonJS package arrives wrapped or bare, depending on who loads it.
const BTree = (sortedBTree as unknown as { default?: typeof sortedBTree }).default ?? sortedBTree;

/** By UTF-16 code units, as `<` does: a locale would make the order depend on the machine. */
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a === b ? 0 : 1);

export const createSortedMap = <V>(): SortedMap<V> => new BTree<string, V>(undefined, compareTexts);
