// Puts worlds with a broken record into quarantine, while others are still served. A reset, a restore or an import
// replaces the world, which is then served again.

import { DomainError, reject } from "../domain/kernel/domain-error.ts";
import { isInstant } from "../domain/kernel/instant.ts";
import { isStoreError, StoreError } from "../log/store-error.ts";
import { getNow, wallClock } from "../time/clock.ts";
import { names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { RecordCheck } from "./record-check.ts";

export class Quarantine {
  readonly #check: RecordCheck;
  readonly #warn: (sentence: string) => void;
  /** World → reason. The key is the object and not the id, so that a replacement with the same id is served. */
  readonly #reasons = new WeakMap<World, string>();

  constructor(check: RecordCheck, warn: (sentence: string) => void) {
    this.#check = check;
    this.#warn = warn;
  }

  /** Returns why a world is in quarantine; undefined while it is served. */
  explain(world: World): string | undefined {
    return this.#reasons.get(world);
  }

  /** Puts a world into quarantine after an error. Rejections by a rule and a full disk do not damage a world. */
  put(world: World, reason: unknown): void {
    if (this.#reasons.has(world) || reason instanceof DomainError || isStoreError(reason)) return;
    this.#warn(this.#add(world, reason));
  }

  /** Wraps a function of a world. It rejects while the world is in quarantine, and puts it there when it fails. */
  guard<T>(work: (world: World) => T): (world: World) => T {
    return (world) => {
      if (!this.#reasons.has(world)) {
        try {
          return work(world);
        } catch (reason) {
          this.put(world, reason);
          // The caller handles rejections and a full disk.
          if (!this.#reasons.has(world)) throw reason;
        }
      }
      return reject("SERVICE_UNAVAILABLE", { what: this.#reasons.get(world) });
    };
  }

  /**
   * Puts worlds that can't be shown into quarantine. Returns warnings. Throws when the world default of a data file
   * can't be shown: without it there is no sandbox.
   */
  examine(worlds: readonly World[], file?: string): string[] {
    return worlds.flatMap((world) => {
      const defect = findDefect(world);
      if (defect === undefined) return [];
      if (file === undefined || world.id !== "default") return this.#add(world, defect);
      const problem = this.#describeProblem(world, defect);
      throw new StoreError(
        `The world default in ${file} can't be shown: ${problem} Fix the record in the file and remove the field "checksum", use another {option data} file, or start with {option fresh} to replace all`,
      );
    });
  }

  #add(world: World, reason: unknown): string {
    const removal = world.id === "default" ? "" : " remove it,";
    const sentence = `World ${world.id} is set aside: ${this.#describeProblem(world, reason)} Reset it, restore a snapshot, import a document,${removal} or export it. The other worlds are served.`;
    this.#reasons.set(world, sentence);
    return sentence;
  }

  /** Describes the first invalid record, which is more helpful than the error that it caused. */
  #describeProblem(world: World, reason: unknown): string {
    const collections = world.copy();
    for (const name of names)
      for (const row of collections[name].all() as Iterable<{ id: string }>) {
        const problem = this.#check(name, row);
        if (problem) return toPrintable(`${[name, row.id, problem.member].filter(Boolean).join(".")}: ${problem.what}`);
      }
    return toPrintable(`${reason instanceof Error ? reason.message : String(reason)}.`);
  }
}

/** Checks the records that every response needs. All records are checked only once there is a problem. */
function findDefect(world: World): unknown {
  try {
    const collections = world.copy();
    const missing = (["company", "clock", "identity"] as const).find((name) => !collections[name].has(name));
    if (missing) return new Error(`its ${missing} is missing`);
    const instant = getNow(world.clock(), wallClock);
    return isInstant(instant) ? undefined : new Error(`its clock shows ${instant}`);
  } catch (reason) {
    return reason;
  }
}

/** Replaces control characters, which a record may contain, for display in a terminal. */
function toPrintable(text: string): string {
  return text.replace(/\p{C}/gu, "?").slice(0, 400);
}
