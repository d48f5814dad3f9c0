// Keeps what `sandbox check` has found for the console, in memory alone, as the logs that a verdict cites.
import type { Schemas } from "../../contract/schemas.ts";

export type KeptVerdict = Schemas["KeptVerdict"];

/** Of one world: a verdict with its evidence may be large. */
const MAX_VERDICTS = 10;

export class Verdicts {
  readonly #byWorld = new Map<string, readonly KeptVerdict[]>();
  #lastNumber = 0;

  /** Replaces the oldest where the world has too many. */
  keep(world: string, verdict: Schemas["Verdict"]): KeptVerdict {
    const added = { id: `vrd-${++this.#lastNumber}`, verdict };
    this.#byWorld.set(world, [added, ...this.list(world)].slice(0, MAX_VERDICTS));
    return added;
  }

  /** The newest first. */
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
