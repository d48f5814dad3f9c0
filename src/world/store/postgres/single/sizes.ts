// How long the commits of each world are since its checkpoint: roughly, by their number of records.
import type { LogRecord } from "../../log-records.ts";
import type { Loaded } from "./load-worlds.ts";

/** Bytes of a record. */
const RECORD = 500;
/** Commits of a world make a checkpoint worth while when they are longer than this, and so many times as long as the last one. */
const LONG = 4 << 20;
const TIMES = 20;

export class Sizes {
  readonly #sizes: Loaded["sizes"];

  constructor(sizes: Loaded["sizes"] = new Map()) {
    this.#sizes = sizes;
  }

  /** A record was written. */
  note(record: LogRecord): void {
    if ("drop" in record) for (const world of [record.drop].flat()) this.#sizes.delete(world);
    else if ("load" in record) this.wrote(record.load, RECORD * record.rows.length);
    else if ("clone" in record)
      this.#sizes.set(record.as, { commits: 0, checkpoint: 0, ...this.#sizes.get(record.clone) });
    else {
      const size = this.#sizes.get(record.commit) ?? { commits: 0, checkpoint: 0 };
      this.#sizes.set(record.commit, { ...size, commits: size.commits + RECORD * record.changes.length });
    }
  }

  /** A checkpoint was written. */
  wrote(world: string, bytes: number): void {
    this.#sizes.set(world, { commits: 0, checkpoint: bytes });
  }

  /** The worlds whose commits are long, or all that have some. */
  long(all: boolean): string[] {
    const isLong = (commits: number, checkpoint: number) => commits > (all ? 0 : Math.max(LONG, TIMES * checkpoint));
    return [...this.#sizes]
      .filter(([, { commits, checkpoint }]) => isLong(commits, checkpoint))
      .map(([world]) => world);
  }
}
