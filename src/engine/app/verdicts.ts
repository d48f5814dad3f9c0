// Keeps the verdicts of `sandbox check` for the console. They are in memory only, like the logs that they cite.
import type { Schemas } from "../../contract/schemas.ts";

export type KeptVerdict = Schemas["KeptVerdict"];

/** The limit for one world, because a verdict with its evidence may be large. */
const MAX_VERDICTS = 10;

export class Verdicts {
  readonly #byWorld = new Map<string, readonly KeptVerdict[]>();
  #lastNumber = 0;

  /** Adds a verdict, which replaces the oldest one at the limit. */
  keep(world: string, verdict: Schemas["Verdict"]): KeptVerdict {
    const added = { id: `vrd-${++this.#lastNumber}`, verdict };
    this.#byWorld.set(world, [added, ...this.list(world)].slice(0, MAX_VERDICTS));
    return added;
  }

  /** Lists the verdicts of a world, newest first. */
  list(world: string): readonly KeptVerdict[] {
    return this.#byWorld.get(world) ?? [];
  }

  remove(world: string, id: string): void {
    this.#byWorld.set(
      world,
      this.list(world).filter((each) => each.id !== id),
    );
  }

  forget(world: string): void {
    this.#byWorld.delete(world);
  }
}
