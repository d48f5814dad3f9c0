// Values by id as layers of maps, the newest first. A copy shares all layers and gives both sides an empty one of their own, so it
// takes constant time; a look-up reads one map or two, where a tree would compare texts a dozen times.

/** `null`: removed, so that the value in a layer below is not found. */
type Layer<V> = Map<string, V | null>;

/** Up to this size a map is copied at once, so that a look-up reads one map instead of two. */
const FEW = 500;

export class Layers<V extends object | string> {
  #own: Layer<V> = new Map();
  #shared: readonly Layer<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(id: string): V | undefined {
    let found = this.#own.get(id);
    for (let depth = 0; found === undefined && depth < this.#shared.length; depth++)
      found = this.#shared[depth]?.get(id);
    return found ?? undefined;
  }

  /** Returns the previous value. */
  set(id: string, value: V | null): V | undefined {
    const old = this.get(id);
    if (value === null && this.#shared.length === 0) this.#own.delete(id);
    else this.#own.set(id, value);
    this.#size += (value === null ? 0 : 1) - (old === undefined ? 0 : 1);
    return old;
  }

  /** Each once, in no particular order. */
  ids(): Iterable<string> {
    return this.#only()?.keys() ?? column(0, newestOf(this.#layers()));
  }

  /** Each once, in no particular order. */
  values(): Iterable<V> {
    return this.#only()?.values() ?? column(1, newestOf(this.#layers()));
  }

  #layers(): readonly Layer<V>[] {
    return [this.#own, ...this.#shared];
  }

  /** The one layer that holds anything, where it is the lowest, in which nothing is marked as removed: it needs no step of ours for each value. */
  #only(): ReadonlyMap<string, V> | undefined {
    const layers = this.#layers();
    const lowest = layers.at(-1);
    return layers.every((layer) => layer === lowest || layer.size === 0) ? (lowest as Map<string, V>) : undefined;
  }

  copy(): Layers<V> {
    const twin = new Layers<V>();
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

function* newestOf<V>(layers: readonly Layer<V>[]): Generator<[id: string, value: V]> {
  for (const [depth, layer] of layers.entries()) {
    const newer = layers.slice(0, depth).filter(({ size }) => size > 0);
    for (const [id, value] of layer) if (value !== null && !newer.some((above) => above.has(id))) yield [id, value];
  }
}

function* column<V, At extends 0 | 1>(at: At, entries: Iterable<[string, V]>): Generator<[string, V][At]> {
  for (const entry of entries) yield entry[at];
}

/** More values than these are moved only where there would be too many layers: it holds up everybody. */
const [MANY, MOST_LAYERS] = [5_000, 8];

/** Merges layers of similar size, so that there are never more than a few and each value is moved only a few times. */
function merged<V>(layers: readonly Layer<V>[]): readonly Layer<V>[] {
  const [top, next, ...rest] = layers;
  if (!top || !next || top.size * 2 < next.size) return layers;
  if (top.size + next.size > MANY && layers.length < MOST_LAYERS) return layers;
  const both = new Map(next);
  for (const [id, value] of top) {
    if (value === null && rest.length === 0) both.delete(id);
    else both.set(id, value);
  }
  return merged([both, ...rest]);
}
