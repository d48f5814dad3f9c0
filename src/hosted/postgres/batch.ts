// A batch is what one statement or transaction stores. Steps that are added while a batch is written go into the next batch.

import type { StoredEntry, WorldRecords } from "../../engine/log/index.ts";
import type { HeldWorld } from "./held-world.ts";

/** Worlds that are created together for a team, or for none. All are kept, or none is. */
export interface Making {
  readonly team: string | null;
}

/**
 * "change": a commit, without which later ones can't be read. "begin": a complete world begins or is saved. "outcome" and "rejected" report how
 * something ended.
 */
type RowKind = "change" | "begin" | "outcome" | "rejected";

/** A row of the journal. `previous`: the last earlier entry that changed the world. */
export interface Row {
  do: "row";
  held: HeldWorld;
  entry: StoredEntry;
  kind: RowKind;
  previous: number;
}

/** A world or a named snapshot of it begins. `made`: the world is new, and gets its row with this step. `origin`: the world that was forked. */
export interface Beginning {
  do: "begin";
  held: HeldWorld;
  entry: StoredEntry;
  /** The name of the snapshot; empty for the world itself. */
  name: string;
  records: WorldRecords;
  body?: Buffer;
  made?: Making | undefined;
  origin?: string | undefined;
}

/** A complete world up to an entry. `rows`: the bytes of the journal that it replaces. */
export interface Checkpoint {
  do: "checkpoint";
  held: HeldWorld;
  seq: number;
  rows: number;
  body: Buffer;
}

interface Removal {
  do: "remove";
  held: HeldWorld;
  /** The name of the snapshot; empty for the world itself. */
  name: string;
  /** The number of the removal. */
  seq: number;
}

export type Step = Row | Beginning | Checkpoint | Removal;

/** No request waits for an outcome, and a failure to write it loses no world. */
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
    // The client that would handle a rejection may have disconnected.
    this.promise.catch(() => undefined);
  }
}

export class Batch {
  steps: Step[] = [];
  bytes = 0;
  /** Resolves when the batch is written or has failed. */
  readonly ended = new Deferred();
  readonly #waits = new Map<string, Deferred>();

  /** `bytes`: a rough size. */
  add(step: Step, bytes: number): void {
    this.steps.push(step);
    this.bytes += bytes;
    const { id } = step.held;
    if (!isOutcome(step) && !this.#waits.has(id)) this.#waits.set(id, new Deferred());
  }

  get worlds(): Set<HeldWorld> {
    return new Set(this.steps.map(({ held }) => held));
  }

  /** The worlds that are lost if the batch fails. */
  get changedWorlds(): Set<HeldWorld> {
    return new Set(this.steps.filter((step) => !isOutcome(step)).map(({ held }) => held));
  }

  /** Resolves when the changes of this world, or of all, are written. Rejects if the world is lost. Returns undefined without changes. */
  waitUntilWritten(world?: string): Promise<unknown> | undefined {
    if (world !== undefined) return this.#waits.get(world)?.promise;
    const all = Array.from(this.#waits.values(), ({ promise }) => promise);
    return all.length > 0 ? Promise.all(all) : undefined;
  }

  /** Removes the steps of these worlds and of their copies. Returns both. */
  remove(lost: Iterable<HeldWorld>): Set<HeldWorld> {
    const removed = new Set(lost);
    for (const step of this.steps) if ([...removed].some((world) => isCopyOf(step, world))) removed.add(step.held);
    this.steps = this.steps.filter(({ held }) => !removed.has(held));
    return removed;
  }

  resolve(): void {
    for (const { resolve } of this.#waits.values()) resolve();
  }

  reject(world: string, reason: Error): void {
    this.#waits.get(world)?.reject(reason);
    this.#waits.delete(world);
  }
}
