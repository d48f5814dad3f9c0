// Records by id as layers of maps, the newest first. A copy shares all layers and gives both sides an empty one of their own, so it
// is made in constant time; a look-up asks a map or two, where a tree would compare texts a dozen times.
import { readKept, type Stored } from "./folded.ts";

/** A removed record hides what lies below. */
type Layer<R extends { id: string }> = Map<string, Stored<R> | null>;

/** So few are copied in no time, and a look-up then asks one map instead of two. */
const FEW = 500;

export class Layers<R extends { id: string }> {
  #own: Layer<R> = new Map();
  #shared: readonly Layer<R>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): R | undefined {
    let found = this.#own.get(id);
    for (let depth = 0; found === undefined && depth < this.#shared.length; depth++)
      found = this.#shared[depth]?.get(id);
    return found ? readKept(found) : undefined;
  }

  /** Puts records where there were none. */
  fill(records: Iterable<Stored<R>>): void {
    for (const record of records) this.#own.set(record.id, record);
    this.#size = this.#own.size;
  }

  /** Answers what stood there. */
  set(id: string, record: R | null): R | undefined {
    const old = this.get(id);
    if (record === null && this.#shared.length === 0) this.#own.delete(id);
    else this.#own.set(id, record);
    this.#size += (record === null ? 0 : 1) - (old === undefined ? 0 : 1);
    return old;
  }

  /** Each record once, in no order that means anything. */
  *stored(): Generator<Stored<R>> {
    const newer: Layer<R>[] = [];
    for (const layer of [this.#own, ...this.#shared]) {
      for (const [id, record] of layer) if (record !== null && !newer.some((above) => above.has(id))) yield record;
      if (layer.size > 0) newer.push(layer);
    }
  }

  copy(): Layers<R> {
    const twin = new Layers<R>();
    twin.#size = this.#size;
    if (this.#shared.length === 0 && this.#own.size <= FEW) {
      twin.#own = new Map(this.#own);
      return twin;
    }
    if (this.#own.size > 0) {
      this.#shared = merged([this.#own, ...this.#shared]);
      this.#own = new Map();
    }
    twin.#shared = this.#shared;
    return twin;
  }
}

/** Layers of like size become one, so that there are never more than a few, and a record is moved only a few times in its life. */
function merged<R extends { id: string }>([top, next, ...rest]: readonly Layer<R>[]): readonly Layer<R>[] {
  if (!top) return [];
  if (!next || top.size * 2 < next.size) return [top, ...(next ? [next] : []), ...rest];
  const both = new Map(next);
  for (const [id, record] of top) {
    if (record === null && rest.length === 0) both.delete(id);
    else both.set(id, record);
  }
  return merged([both, ...rest]);
}
