// The unit of writing: records that one transaction writes. What is added while one batch is written goes into the next. Whoever waits,
// waits for one world: that another one of the batch is lost is nothing to them.

import type { RowChange } from "../../engine/world/state/commit.ts";
import type { HeldWorld } from "./held-world.ts";
import type { Making } from "./shared-worlds.ts";

/** A record with its position. `made`: the world is new, and gets its row with this record. */
export type BatchEntry = { held: HeldWorld; seq: number } & (
  | { do: "commit"; text: string }
  | { do: "load"; rows: readonly RowChange[]; made?: Making }
  | { do: "clone"; from: HeldWorld; fromSeq: number; made: Making }
  | { do: "save"; name: string; changes: readonly RowChange[] }
  | { do: "forget"; name: string }
  | { do: "drop" }
);

export class Batch {
  #entries: BatchEntry[] = [];
  readonly #waiting = new Map<string, Waiting>();
  #bytes = 0;

  /** `bytes` is a rough size, for the bound on what waits; the database counts its own. */
  add(entry: BatchEntry, bytes: number): void {
    this.#entries.push(entry);
    this.#bytes += bytes;
    if (!this.#waiting.has(entry.held.id)) this.#waiting.set(entry.held.id, new Waiting());
  }

  get entries(): readonly BatchEntry[] {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get worlds(): Set<HeldWorld> {
    return new Set(this.#entries.map(({ held }) => held));
  }

  /**
   * Resolves when the records of this world, or all, are written; undefined when there are none. Rejects with the
   * reason when the world was lost.
   */
  durable(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) return this.#waiting.get(world)?.done;
    const all = Array.from(this.#waiting.values(), ({ done }) => done);
    return all.length > 0 ? Promise.all(all) : undefined;
  }

  /** Leaves out what these worlds have in it, and what was copied from them; answers which worlds that are. */
  without(lost: ReadonlySet<HeldWorld>): Set<HeldWorld> {
    const gone = new Set(lost);
    for (const entry of this.#entries) if (entry.do === "clone" && gone.has(entry.from)) gone.add(entry.held);
    this.#entries = this.#entries.filter(({ held }) => !gone.has(held));
    return gone;
  }

  /** The batch is written: everybody is answered at once. */
  end(): void {
    for (const { end } of this.#waiting.values()) end();
  }

  fail(world: string, reason: Error): void {
    this.#waiting.get(world)?.fail(reason);
    this.#waiting.delete(world);
  }
}

/** A promise that its maker settles. */
class Waiting {
  readonly done: Promise<void>;
  end!: () => void;
  fail!: (reason: Error) => void;
  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    // Nobody may be waiting any more.
    this.done.catch(() => undefined);
  }
}
