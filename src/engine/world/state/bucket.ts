// The ids under one key of an index, in order: mostly one, often a few, seldom thousands. Each size has a compact, fast representation.
import { SortedTexts } from "./sorted-texts.ts";

/** One id, a sorted list of a few, or a tree of many. */
export type Bucket = string | readonly string[] | SortedTexts;

/** A list is copied with every change, so it stays short. */
const SHORT = 16;

/** The bucket with one id added. A tree that no copy shares (`own`) is changed in place; every other bucket is copied. */
export function withId(bucket: Bucket | undefined, id: string, own: boolean): Bucket {
  if (bucket === undefined) return id;
  if (bucket instanceof SortedTexts) {
    // A copy of a tree shares its nodes, so it costs nothing to speak of.
    const tree = own ? bucket : new SortedTexts(bucket);
    tree.add(id);
    return tree;
  }
  const ids = typeof bucket === "string" ? [bucket] : bucket;
  // In order, and an id that is there already stays once.
  if (ids.length < SHORT) return [...ids.filter((each) => each < id), id, ...ids.filter((each) => each > id)];
  const tree = new SortedTexts();
  for (const each of [...ids, id]) tree.add(each);
  return tree;
}

/** The bucket with one id removed; undefined when it is empty. */
export function withoutId(bucket: Bucket | undefined, id: string, own: boolean): Bucket | undefined {
  if (bucket instanceof SortedTexts) {
    const tree = own ? bucket : new SortedTexts(bucket);
    tree.delete(id);
    return tree.size > 0 ? tree : undefined;
  }
  if (bucket === undefined || typeof bucket === "string") return bucket === id ? undefined : bucket;
  const left = bucket.filter((each) => each !== id);
  // Of one id a text is left, of none nothing.
  return left.length > 1 ? left : left[0];
}

export function sizeOf(bucket: Bucket): number {
  if (typeof bucket === "string") return 1;
  return bucket instanceof SortedTexts ? bucket.size : bucket.length;
}

/** The least of them. */
export function firstOf(bucket: Bucket): string | undefined {
  if (typeof bucket === "string") return bucket;
  return bucket instanceof SortedTexts ? bucket.first : bucket[0];
}

/** All ids, in ascending order. */
export function idsOf(bucket: Bucket): readonly string[] {
  return bucket instanceof SortedTexts ? [...bucket.up("")] : listed(bucket);
}

/** The ids after `past` in ascending order, or all. */
export function* idsUp(bucket: Bucket, past: string | undefined): Generator<string> {
  // A tree begins at `past` itself, which is left out here.
  for (const id of bucket instanceof SortedTexts ? bucket.up(past ?? "") : listed(bucket)) {
    if (past === undefined || id > past) yield id;
  }
}

/** The ids before `past` in descending order, or all. */
export function* idsDown(bucket: Bucket, past: string | undefined): Generator<string> {
  for (const id of bucket instanceof SortedTexts ? bucket.down(past) : listed(bucket).toReversed()) {
    if (past === undefined || id < past) yield id;
  }
}

function listed(bucket: string | readonly string[]): readonly string[] {
  return typeof bucket === "string" ? [bucket] : bucket;
}
