// The unit of writing: what one statement or transaction stores. What is added while one batch is written is stored with the next.

import type { StoredEntry, WorldRecords } from "../../engine/log/index.ts";
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

/** A world begins, or a named snapshot of it. `made`: the world is new, and gets its row with this step. `origin`: the world it is a fork of. */
export interface Beginning {
  do: "begin";
  held: HeldWorld;
  entry: StoredEntry;
  /** Empty: the world itself. */
  name: string;
  records: WorldRecords;
  body?: Buffer;
  made?: Making | undefined;
  origin?: string | undefined;
}

/** All of a world up to an entry, `rows` bytes of the journal. */
export interface Checkpoint {
  do: "checkpoint";
  held: HeldWorld;
  seq: number;
  rows: number;
  body: Buffer;
}

/** `name` is that of a snapshot; empty: the world itself. */
interface Removal {
  do: "remove";
  held: HeldWorld;
  name: string;
}

export type Step = Row | Beginning | Checkpoint | Removal;

/** No request waits for an outcome, and no world is lost with it. */
export const isOutcome = (step: Step): boolean =>
  step.do === "row" && (step.kind === "outcome" || step.kind === "rejected");

export const isCopyOf = (step: Step, { id }: HeldWorld): boolean => step.do === "begin" && step.origin === id;

class Deferred {
  resolve!: () => void;
  reject!: (reason: Error) => void;
  readonly promise = new Promise<void>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });

  constructor() {
    // The client may be gone.
    this.promise.catch(() => undefined);
  }
}

export class Batch {
  steps: Step[] = [];
  bytes = 0;
  /** Resolves when the batch is written or has failed. */
  readonly ended = new Deferred();
  readonly #waits = new Map<string, Deferred>();

  /** `bytes` is a rough size: what waits for the database is bounded. */
  add(step: Step, bytes: number): void {
    this.steps.push(step);
    this.bytes += bytes;
    const { id } = step.held;
    if (!isOutcome(step) && !this.#waits.has(id)) this.#waits.set(id, new Deferred());
  }

  get worlds(): Set<HeldWorld> {
    return new Set(this.steps.map(({ held }) => held));
  }

  /** The worlds that are lost where the batch fails. */
  get changedWorlds(): Set<HeldWorld> {
    return new Set(this.steps.filter((step) => !isOutcome(step)).map(({ held }) => held));
  }

  /** Resolves when the changes of this world, or of all, are written; undefined when there are none. Rejects when the world was lost. */
  durable(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) return this.#waits.get(world)?.promise;
    const all = Array.from(this.#waits.values(), ({ promise }) => promise);
    return all.length > 0 ? Promise.all(all) : undefined;
  }

  /** Removes the steps of these worlds, and of the copies of them. Returns both. */
  remove(lost: Iterable<HeldWorld>): Set<HeldWorld> {
    const gone = new Set(lost);
    for (const step of this.steps) if ([...gone].some((world) => isCopyOf(step, world))) gone.add(step.held);
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
