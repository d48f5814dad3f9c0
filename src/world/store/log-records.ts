// Everything the store keeps, as data: worlds of collections of records, and the lines that change them. A record is never
// changed in place, so two worlds may hold the same one; row maps are shared after a clone until either world writes.
import type { Row, Stored } from "../state/serialized-record.ts";

export type { Row } from "../state/serialized-record.ts";
/** Everything, in order. */
export type StateDump = Iterable<readonly [world: string, Iterable<readonly [collection: string, Iterable<Stored>]>]>;
/** A record put, or taken away (`null`). */
export type Change = readonly [collection: string, id: string, row: Row | null];
/** One commit is one line is one unit: it is there as a whole, or not at all. */
export type LogRecord =
  | { commit: string; changes: readonly Change[] }
  | { clone: string; as: string; changes?: readonly Change[] }
  | { load: string; rows: readonly Change[] }
  | { drop: string | readonly string[] };

/** The collections of one world, by name; their records by id. */
export type StoredWorld = Map<string, Map<string, Stored>>;

/** The worlds while they are read: lines are applied to them, then they are handed over. */
export class Worlds {
  readonly #worlds: Map<string, StoredWorld>;
  readonly #shared = new WeakSet<Map<string, Stored>>();

  /** These are the ones that lines are applied to. */
  constructor(worlds: Map<string, StoredWorld>) {
    this.#worlds = worlds;
  }

  /** A world that nobody has named yet is an empty one: what was accepted when written must not be refused when read. */
  apply(line: LogRecord): void {
    if ("commit" in line) this.#change(this.#open(line.commit), line.changes);
    else if ("clone" in line) {
      this.#worlds.set(line.as, this.#copy(this.#open(line.clone)));
      this.#change(this.#open(line.as), line.changes ?? []);
    } else if ("drop" in line) for (const name of [line.drop].flat()) this.#worlds.delete(name);
    else {
      const world: StoredWorld = new Map();
      this.#change(world, line.rows);
      this.#worlds.set(line.load, world);
    }
  }

  get size(): number {
    return this.#worlds.size;
  }

  get state(): StateDump {
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

  #change(world: StoredWorld, changes: readonly Change[]): void {
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

/** Worlds as they are handed out: in order, and as often as one likes. */
export function stateOf(worlds: ReadonlyMap<string, StoredWorld>): StateDump {
  return again(worlds, (world) => again(world, (rows) => ({ [Symbol.iterator]: () => rows.values() })));
}

function again<V, W>(map: ReadonlyMap<string, V>, to: (value: V) => W): Iterable<readonly [string, W]> {
  return {
    *[Symbol.iterator]() {
      for (const [name, value] of map) yield [name, to(value)] as const;
    },
  };
}

/** Whether a value read from disk is a line; what is inside was checked when it was written, and its checksum says it still is. */
export function isLogRecord(value: unknown): value is LogRecord {
  if (typeof value !== "object" || value === null) return false;
  if ("commit" in value) return "changes" in value && Array.isArray(value.changes);
  if ("load" in value) return "rows" in value && Array.isArray(value.rows);
  return "drop" in value || ("clone" in value && "as" in value);
}
