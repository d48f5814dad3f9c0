// Records by id as layers of maps, the newest first. A copy shares all layers and gives both sides an empty one of their own, so it
// is made in constant time; a look-up asks a map or two, where a tree would compare texts a dozen times.

/** A removed record hides what lies below. */
type Layer<R> = Map<string, R | null>;

export class Layers<R> {
  #own: Layer<R> = new Map();
  #shared: readonly Layer<R>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): R | undefined {
    const own = this.#own.get(id);
    if (own !== undefined) return own ?? undefined;
    for (const layer of this.#shared) {
      const found = layer.get(id);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
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
  *values(): Generator<R> {
    const layers = [this.#own, ...this.#shared];
    for (const [depth, layer] of layers.entries()) {
      for (const [id, record] of layer) {
        if (record !== null && !layers.slice(0, depth).some((newer) => newer.has(id))) yield record;
      }
    }
  }

  copy(): Layers<R> {
    if (this.#own.size > 0) {
      this.#shared = merged([this.#own, ...this.#shared]);
      this.#own = new Map();
    }
    const twin = new Layers<R>();
    twin.#shared = this.#shared;
    twin.#size = this.#size;
    return twin;
  }
}

/** Layers of like size become one, so that there are never more than a few, and a record is moved only a few times in its life. */
function merged<R>([top, next, ...rest]: readonly Layer<R>[]): readonly Layer<R>[] {
  if (!top) return [];
  if (!next || top.size * 2 < next.size) return [top, ...(next ? [next] : []), ...rest];
  const both = new Map(next);
  for (const [id, record] of top) {
    if (record === null && rest.length === 0) both.delete(id);
    else both.set(id, record);
  }
  return merged([both, ...rest]);
}
