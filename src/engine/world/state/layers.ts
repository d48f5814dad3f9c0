// Values by id as layers of maps, the newest first. A copy shares all layers and gives both sides an empty one of their own, so it
// takes constant time; a look-up reads one map or two, where a tree would compare texts a dozen times.

interface Layer<V> {
  /** `null`: removed, so that the value in a layer below is not found. */
  values: Map<string, V | null>;
  /** Which of these ids may lie in a layer below too: all the others need not be looked for there. */
  hides: Set<string>;
}

const emptyLayer = <V>(): Layer<V> => ({ values: new Map(), hides: new Set() });

/** Less than this part of all values may lie above the others. */
const MUCH = 8;

/** How many values are moved between two turns of others. */
const AT_ONCE = 500;

/** Up to this size a map is copied at once, so that a look-up reads one map instead of two. */
const FEW = 500;

/** So many values go back into the layer below in about ten milliseconds. */
const MOST_RETURNED = 20_000;

export class Layers<V extends object | string> {
  #own = emptyLayer<V>();
  #shared: readonly Layer<V>[] = [];
  /** The layer below this one's own, while it is shared with nobody but the reader of a frozen state. */
  #lent: Layer<V> | undefined;
  #size = 0;

  /** Takes the map over: nobody else may change it from now on. */
  static of<V extends object | string>(values: Map<string, V>): Layers<V> {
    const made = new Layers<V>();
    made.#own = { values, hides: new Set() };
    made.#size = values.size;
    return made;
  }

  get size(): number {
    return this.#size;
  }

  get(id: string): V | undefined {
    let found = this.#own.values.get(id);
    for (let depth = 0; found === undefined && depth < this.#shared.length; depth++)
      found = this.#shared[depth]?.values.get(id);
    return found ?? undefined;
  }

  /** Returns the previous value. */
  set(id: string, value: V | null): V | undefined {
    const old = this.get(id);
    this.replace(id, old, value);
    return old;
  }

  /** For who has looked the old value up already: in a large map that costs more than the rest. */
  replace(id: string, old: V | undefined, value: V | null): void {
    if (this.#shared.length > 0 && old !== undefined && !this.#own.values.has(id)) this.#own.hides.add(id);
    if (value === null && this.#shared.length === 0) this.#own.values.delete(id);
    else this.#own.values.set(id, value);
    this.#size += (value === null ? 0 : 1) - (old === undefined ? 0 : 1);
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
    return layers.every((layer) => layer === lowest || layer.values.size === 0)
      ? (lowest?.values as Map<string, V>)
      : undefined;
  }

  /**
   * Makes one layer of all, in steps, where those above the lowest are a large part: every look-up and walk is faster then, and what they
   * hide is let go of. Nothing may be set meanwhile.
   */
  *settle(): Generator<void> {
    const layers = this.#layers();
    const above = layers.slice(0, -1).reduce((sum, { values }) => sum + values.size, 0);
    if (above <= FEW || above * MUCH < this.#size) return;
    const values = new Map<string, V | null>();
    for (const [id, value] of newestOf(layers)) if (values.set(id, value).size % AT_ONCE === 0) yield;
    this.#own = { values, hides: new Set() };
    this.#shared = [];
  }

  /**
   * The values as they are now, for one who reads them once. Only he shares the layer, so what is set meanwhile goes into it when he has
   * read them, and a look-up reads one map again: in a large one, an id that is not there takes longer to look for than to add.
   */
  frozen(): Iterable<V> {
    const hasOwn = this.#own.values.size > 0;
    const values = this.copy().values();
    const lent = hasOwn ? this.#shared[0] : undefined;
    this.#lent = lent;
    return once(values, () => this.#takeBack(lent));
  }

  #takeBack(lent: Layer<V> | undefined): void {
    if (!lent || lent !== this.#lent || lent !== this.#shared[0] || this.#own.values.size > MOST_RETURNED) return;
    const [{ values, hides }, below] = [this.#own, this.#shared.slice(1)];
    for (const [id, value] of values) {
      if (value === null && below.length === 0) lent.values.delete(id);
      else lent.values.set(id, value);
    }
    if (below.length > 0) for (const id of hides) lent.hides.add(id);
    this.#own = lent;
    this.#shared = below;
    this.#lent = undefined;
  }

  copy(): Layers<V> {
    this.#lent = undefined;
    const twin = new Layers<V>();
    twin.#size = this.#size;
    if (this.#shared.length === 0 && this.#own.values.size <= FEW) {
      twin.#own = { values: new Map(this.#own.values), hides: new Set() };
      return twin;
    }
    if (this.#own.values.size > 0) {
      this.#shared = merged([this.#own, ...this.#shared]);
      this.#own = emptyLayer();
    }
    twin.#shared = this.#shared;
    return twin;
  }
}

function* once<V>(values: Iterable<V>, end: () => void): Generator<V> {
  try {
    for (const value of values) yield value;
  } finally {
    end();
  }
}

function* newestOf<V>(layers: readonly Layer<V>[]): Generator<[id: string, value: V]> {
  for (const [depth, { values }] of layers.entries()) {
    const above = layers.slice(0, depth).filter(({ hides }) => hides.size > 0);
    for (const [id, value] of values)
      if (value !== null && !above.some(({ hides }) => hides.has(id))) yield [id, value];
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
  if (!top || !next || top.values.size * 2 < next.values.size) return layers;
  if (top.values.size + next.values.size > MANY && layers.length < MOST_LAYERS) return layers;
  const isLowest = rest.length === 0;
  const both: Layer<V> = {
    values: new Map(next.values),
    hides: new Set(isLowest ? [] : [...next.hides, ...top.hides]),
  };
  for (const [id, value] of top.values) {
    if (value === null && isLowest) both.values.delete(id);
    else both.values.set(id, value);
  }
  return merged([both, ...rest]);
}
