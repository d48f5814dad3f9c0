// The data of the store: worlds of collections of rows, and the log records that change them. A row is never changed in place, so two
// worlds may hold the same one; row maps are shared after a clone until either world writes.
import type { Row, State } from "../../engine/log/entry.ts";
import type { RowChange } from "../../engine/world/state/commit.ts";

/** One record is one line of the log and one unit: it is there as a whole, or not at all. */
export type LogRecord =
  /** `grows`: by so many rows; files of earlier versions have no such member. */
  | { commit: string; changes: readonly RowChange[]; grows?: number }
  | { clone: string; as: string; changes?: readonly RowChange[] }
  | { load: string; rows: readonly RowChange[] }
  | { drop: string | readonly string[] };

/** The collections of one world, by name; their rows by id. */
type StoredWorld = Map<string, Map<string, Row>>;

/** The worlds while the log is replayed: each record is applied to them. */
export class WorldStates {
  readonly #worlds: Map<string, StoredWorld>;
  readonly #shared = new WeakSet<Map<string, Row>>();

  constructor(worlds: Map<string, StoredWorld>) {
    this.#worlds = worlds;
  }

  /** An unknown world is an empty one: a record that was accepted when written must not be rejected when read. */
  apply(record: LogRecord): void {
    if ("commit" in record) this.#change(this.#open(record.commit), record.changes);
    else if ("clone" in record) {
      this.#worlds.set(record.as, this.#copy(this.#open(record.clone)));
      this.#change(this.#open(record.as), record.changes ?? []);
    } else if ("drop" in record) for (const name of [record.drop].flat()) this.#worlds.delete(name);
    else {
      const world: StoredWorld = new Map();
      this.#change(world, record.rows);
      this.#worlds.set(record.load, world);
    }
  }

  get size(): number {
    return this.#worlds.size;
  }

  get state(): State {
    return stateOf(this.#worlds);
  }

  #open(name: string): StoredWorld {
    const found = this.#worlds.get(name) ?? new Map();
    this.#worlds.set(name, found);
    return found;
  }

  #copy(world: StoredWorld): StoredWorld {
    for (const rows of world.values()) this.#shared.add(rows);
    return new Map(world);
  }

  #change(world: StoredWorld, changes: Iterable<RowChange>): void {
    for (const [collection, id, row] of changes) {
      let rows = world.get(collection);
      if (!rows || this.#shared.has(rows)) {
        rows = new Map(rows);
        world.set(collection, rows);
      }
      if (row) rows.set(id, row);
      else rows.delete(id);
    }
  }
}

/** The worlds in order; can be iterated more than once. */
function stateOf(worlds: ReadonlyMap<string, StoredWorld>): State {
  return repeatable(worlds, (world) => repeatable(world, rowsOf));
}

const rowsOf = (byId: Map<string, Row>): Iterable<Row> => ({ [Symbol.iterator]: () => byId.values() });

function repeatable<V, W>(map: ReadonlyMap<string, V>, to: (value: V) => W): Iterable<readonly [string, W]> {
  return {
    *[Symbol.iterator]() {
      for (const [name, value] of map) yield [name, to(value)] as const;
    },
  };
}
