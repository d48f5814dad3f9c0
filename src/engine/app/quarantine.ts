// A world with a broken record is put into quarantine with one sentence, and the others are still served. A reset, a restore or an import puts
// another world in its place, which is served again.

import { DomainError, reject } from "../domain/kernel/domain-error.ts";
import { type Instant, isInstant } from "../domain/kernel/instant.ts";
import { isStoreError, StoreError } from "../log/store-error.ts";
import { names } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { RecordCheck } from "./record-check.ts";

export interface Quarantine {
  /** Why a world is in quarantine; undefined while it is served. */
  why(world: World): string | undefined;
  /** After an error outside of any request. A rejection by a rule, or a full disk, does not damage the world. */
  put(world: World, reason: unknown): void;
  /** The same function of a world; it rejects when the world is in quarantine, and puts it there when it fails. */
  guarded<T>(work: (world: World) => T): (world: World) => T;
  /** Puts a world that can't be shown into quarantine; returns why. */
  examine(world: World, now: (world: World) => Instant): string | undefined;
  /** Checks the worlds of a data file. Returns warnings; throws when the world default is broken. */
  inspect(worlds: readonly World[], now: (world: World) => Instant): string[];
}

interface QuarantineDeps {
  check: RecordCheck;
  warn(sentence: string): void;
  /** The data file. */
  file: string;
}

/** By the object of the world, so that another world under the same id is served. */
export function makeQuarantine({ check, warn, file }: QuarantineDeps): Quarantine {
  const reasons = new WeakMap<World, string>();

  const quarantine = (world: World, reason: unknown): string => {
    const sentence = `World ${world.id} is set aside: ${problemOf(world, reason, check)} ${waysOut(world.id)}`;
    reasons.set(world, sentence);
    return sentence;
  };

  const put: Quarantine["put"] = (world, reason) => {
    if (reasons.has(world) || reason instanceof DomainError || isStoreError(reason)) return;
    warn(quarantine(world, reason));
  };

  return {
    why: (world) => reasons.get(world),
    put,
    guarded: (work) => (world) => {
      if (!reasons.has(world)) {
        try {
          return work(world);
        } catch (reason) {
          put(world, reason);
          // A rejection or a full disk: the caller answers it.
          if (!reasons.has(world)) throw reason;
        }
      }
      return reject("SERVICE_UNAVAILABLE", { what: reasons.get(world) });
    },
    examine(world, now) {
      const reason = whyUnreadable(world, now);
      return reason === undefined ? undefined : quarantine(world, reason);
    },
    inspect: (worlds, now) =>
      worlds.flatMap((world) => {
        const reason = whyUnreadable(world, now);
        if (reason === undefined) return [];
        // The others are served without it; without the default there is no sandbox.
        if (world.id !== "default") return [quarantine(world, reason)];
        const problem = problemOf(world, reason, check);
        throw new StoreError(
          `The world default in ${file} can't be shown: ${problem} Mend that in the file (without its "checksum" member it is accepted as it stands), use another {option data} file, or start with {option fresh} to replace all`,
        );
      }),
  };
}

/** What every answer needs of a world. All its records are checked only once something is wrong. */
function whyUnreadable(world: World, now: (world: World) => Instant): unknown {
  try {
    const missing = world.read("", (tx) =>
      (["company", "clock", "identity"] as const).find((name) => !tx[name].get(name)),
    );
    if (missing) return new Error(`its ${missing} is missing`);
    const instant = now(world);
    return isInstant(instant) ? undefined : new Error(`its clock shows ${instant}`);
  } catch (reason) {
    return reason;
  }
}

/** The first record that breaks its schema says more than the error that it led to. */
function problemOf(world: World, reason: unknown, check: RecordCheck): string {
  const collections = world.copy();
  for (const name of names) {
    for (const row of collections[name].all() as Iterable<{ id: string }>) {
      const problem = check(name, row);
      if (problem)
        return printable(
          `${[name, row.id, problem.member].filter((piece) => piece !== "").join(".")}: ${problem.what}`,
        );
    }
  }
  return printable(`${reason instanceof Error ? reason.message : String(reason)}.`);
}

function waysOut(id: string): string {
  const removed = id === "default" ? "" : " remove it,";
  return `Reset it, restore a snapshot, import a document,${removed} or export it as it is. The other worlds are served.`;
}

/** For a terminal: a record may hold control characters. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, "?").slice(0, 400);
}
