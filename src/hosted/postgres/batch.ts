// The unit of writing: what one statement or transaction stores. What is added while one batch is written is stored with the next.

import type { StoredEntry, WorldRecords } from "../../engine/log/entry.ts";
import type { HeldWorld } from "./held-world.ts";
import type { Making } from "./shared-worlds.ts";

/**
 * "change": a commit, without which no later one can be read. "begin": a whole world begins or is saved; kept until the world begins again.
 * "outcome" and "rejected" report how something ended.
 */
type RowKind = "change" | "begin" | "outcome" | "rejected";

/** A row of the journal. `previous`: the last entry before it that changed the world. */
export interface Row {
  do: "row";
  held: HeldWorld;
  entry: StoredEntry;
  kind: RowKind;
  previous: number;
}

/** `made`: the world is new, and gets its row with this step. `origin`: the world that it is a fork of. */
export interface Replacing {
  do: "replace";
  held: HeldWorld;
  entry: StoredEntry;
  records: WorldRecords;
  body?: Buffer;
  made?: Making;
  origin?: string;
}

interface Saving {
  do: "save";
  held: HeldWorld;
  entry: StoredEntry;
  name: string;
  records: WorldRecords;
  body?: Buffer;
}

/** All of a world up to an entry, `rows` bytes of the journal. */
export interface Checkpoint {
  do: "checkpoint";
  held: HeldWorld;
  seq: number;
  rows: number;
  body: Buffer;
}

export type Step =
  | Row
  | Replacing
  | Saving
  | Checkpoint
  | { do: "forget"; held: HeldWorld; name: string }
  | { do: "drop"; held: HeldWorld };

/** No request waits for an outcome, and no world is lost with it. */
export const isOutcome = (step: Step): boolean =>
  step.do === "row" && (step.kind === "outcome" || step.kind === "rejected");

export class Batch {
  steps: Step[] = [];
  bytes = 0;
  /** Resolves when the batch is written or has failed. */
  readonly ended: Promise<void>;
  end!: () => void;
  readonly #waits = new Map<string, PromiseWithReasons>();

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** `bytes` is a rough size: what waits for the database is bounded. */
  add(step: Step, bytes: number): void {
    this.steps.push(step);
    this.bytes += bytes;
    const { id } = step.held;
    if (!isOutcome(step) && !this.#waits.has(id)) this.#waits.set(id, new PromiseWithReasons());
  }

  /** The worlds that are lost where the batch fails. */
  get changedWorlds(): Set<HeldWorld> {
    return new Set(this.steps.filter((step) => !isOutcome(step)).map(({ held }) => held));
  }

  get worlds(): Set<HeldWorld> {
    return new Set(this.steps.map(({ held }) => held));
  }

  /** Resolves when the changes of this world, or of all, are written; undefined when there are none. Rejects when the world was lost. */
  durable(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) return this.#waits.get(world)?.promise;
    const all = Array.from(this.#waits.values(), ({ promise }) => promise);
    return all.length > 0 ? Promise.all(all) : undefined;
  }

  /** Removes the steps of these worlds, and of the copies of them. Returns both. */
  remove(lost: ReadonlySet<HeldWorld>): Set<HeldWorld> {
    const gone = new Set(lost);
    for (const step of this.steps) if (isCopyOf(step, gone)) gone.add(step.held);
    this.steps = this.steps.filter(({ held }) => !gone.has(held));
    return gone;
  }

  resolve(): void {
    for (const { resolve } of this.#waits.values()) resolve();
  }

  reject(world: string, reason: Error): void {
    this.#waits.get(world)?.reject(reason);
    this.#waits.delete(world);
  }
}

export const isCopyOf = (step: Step, worlds: Iterable<HeldWorld>): boolean =>
  step.do === "replace" && step.origin !== undefined && [...worlds].some(({ id }) => id === step.origin);

class PromiseWithReasons {
  readonly promise: Promise<void>;
  resolve!: () => void;
  reject!: (reason: Error) => void;

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // The client may be gone.
    this.promise.catch(() => undefined);
  }
}
