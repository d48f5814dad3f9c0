// One index of a collection: the ids under each key. A query for one key is a look-up; the keys are sorted by the first walk, and stay
// sorted from then on.
import type { Walk } from "../../domain/kernel/transaction.ts";
import { type Bucket, firstOf, idsDown, idsOf, idsUp, sizeOf, withId, withoutId } from "./bucket.ts";
import { Layers } from "./layers.ts";
import { SortedTexts } from "./sorted-texts.ts";

export class KeyIndex {
  readonly #buckets: Layers<Bucket>;
  /** The trees made since the last copy: no copy shares them. */
  #own = new WeakSet<SortedTexts>();
  /** Undefined until the first walk: an index that is only looked up needs no order. */
  #keys: SortedTexts | undefined;
  /** The first key, until it is not known any more: what is due first is asked for after every commit. */
  #first: string | undefined;
  /** How many ids came and went since somebody asked; its collection counts from 0 then. */
  unread = 0;

  constructor(original?: KeyIndex) {
    this.#buckets = original ? original.#buckets.copy() : new Layers<Bucket>();
    if (!original) return;
    // From now on the copy shares them, so neither may change one in place.
    original.#own = new WeakSet();
    if (original.#keys) this.#keys = new SortedTexts(original.#keys);
  }

  add(key: string, id: string): void {
    this.unread++;
    const bucket = this.#buckets.get(key);
    this.#put(key, bucket, withId(bucket, id, this.#isOwn(bucket)));
    // A key is in the order once, however many ids it has.
    if (bucket !== undefined) return;
    this.#keys?.add(key);
    if (this.#first !== undefined && key < this.#first) this.#first = undefined;
  }

  delete(key: string, id: string): void {
    this.unread++;
    const bucket = this.#buckets.get(key);
    const less = withoutId(bucket, id, this.#isOwn(bucket));
    this.#put(key, bucket, less);
    if (less !== undefined) return;
    this.#keys?.delete(key);
    if (key === this.#first) this.#first = undefined;
  }

  #isOwn(bucket: Bucket | undefined): boolean {
    return bucket instanceof SortedTexts && this.#own.has(bucket);
  }

  #put(key: string, before: Bucket | undefined, after: Bucket | undefined): void {
    if (after === before) return;
    this.#buckets.replace(key, before, after ?? null);
    if (after instanceof SortedTexts) this.#own.add(after);
  }

  count(key: string): number {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? 0 : sizeOf(bucket);
  }

  /** Ids under one key, ascending. */
  under(key: string): readonly string[] {
    const bucket = this.#buckets.get(key);
    return bucket === undefined ? [] : idsOf(bucket);
  }

  /** The first id of a walk. */
  get first(): string | undefined {
    this.#first ??= this.#inOrder().first;
    return this.#first === undefined ? undefined : firstOf(this.#bucket(this.#first));
  }

  walk(bounds: Walk): Generator<string> {
    return bounds.descending ? this.#down(bounds) : this.#up(bounds);
  }

  *#up({ from = "", until, past }: Walk): Generator<string> {
    for (const key of this.#inOrder().up(past && past.key > from ? past.key : from)) {
      if (until !== undefined && key >= until) return;
      yield* idsUp(this.#bucket(key), key === past?.key ? past.id : undefined);
    }
  }

  *#down({ from = "", until, past }: Walk): Generator<string> {
    // Both are upper ends; the lower of the two decides.
    const start = past && (until === undefined || past.key < until) ? past.key : until;
    for (const key of this.#inOrder().down(start)) {
      if (key < from) return;
      // The tree may begin at `until` itself, which is not part of the walk.
      if (until !== undefined && key >= until) continue;
      yield* idsDown(this.#bucket(key), key === past?.key ? past.id : undefined);
    }
  }

  /** Sorts the keys, so that copies find them sorted. */
  order(): void {
    this.#inOrder();
  }

  /** See `Layers`. */
  settle(): Generator<void> {
    return this.#buckets.settle();
  }

  #bucket(key: string): Bucket {
    return this.#buckets.get(key) ?? [];
  }

  #inOrder(): SortedTexts {
    if (this.#keys) return this.#keys;
    this.#keys = new SortedTexts();
    for (const key of Array.from(this.#buckets.ids()).sort()) this.#keys.add(key);
    return this.#keys;
  }
}
