// What `sandbox check` found out, kept for the console, world by world. They are kept in memory alone, as are the logs that they cite.
import type { Schemas } from "../../contract/schemas.ts";

export type KeptVerdict = Schemas["KeptVerdict"];

/** Of one world; a verdict with its evidence may be large. */
const MOST = 10;

export interface Verdicts {
  /** The oldest makes room. */
  keep(world: string, verdict: Schemas["Verdict"]): KeptVerdict;
  /** The newest first. */
  list(world: string): readonly KeptVerdict[];
  find(world: string, id: string): KeptVerdict | undefined;
  remove(world: string, id: string): void;
  /** The world is no more. */
  forget(world: string): void;
}

export function makeVerdicts(): Verdicts {
  const byWorld = new Map<string, readonly KeptVerdict[]>();
  let number = 0;
  const list = (world: string) => byWorld.get(world) ?? [];
  return {
    keep(world, verdict) {
      number++;
      const added = { id: `vrd-${number}`, verdict };
      byWorld.set(world, [added, ...list(world)].slice(0, MOST));
      return added;
    },
    list,
    find: (world, id) => list(world).find((each) => each.id === id),
    remove: (world, id) =>
      void byWorld.set(
        world,
        list(world).filter((each) => each.id !== id),
      ),
    forget: (world) => void byWorld.delete(world),
  };
}
