// Work on one world at a time: a receipt belongs to one move of a clock, and a rewind has no move beside it.
import type { World } from "../world/state/world.ts";

interface WorldMutex {
  /** Waits until what was asked for before has ended. */
  run<T>(world: World, work: () => Promise<T>): Promise<T>;
  isBusy(world: World): boolean;
  ended(): Promise<unknown>;
}

export function makeWorldMutex(): WorldMutex {
  const working = new Map<string, Promise<unknown>>();
  return {
    run<T>(world: World, work: () => Promise<T>): Promise<T> {
      const turn = (working.get(world.id) ?? Promise.resolve()).catch(() => undefined).then(work);
      working.set(world.id, turn);
      const forget = () => working.get(world.id) === turn && working.delete(world.id);
      turn.then(forget, forget);
      return turn;
    },
    isBusy: (world) => working.has(world.id),
    ended: () => Promise.allSettled(working.values()),
  };
}
