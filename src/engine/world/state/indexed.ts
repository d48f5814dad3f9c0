// Work that reads the records of a world by an index which nobody has asked for before: the index is built while others are answered,
// and the work is done anew. So it has no effect but by its transaction, which is undone.
import { inSlices } from "../../../platform/slices.ts";
import { MissingIndex, unlessMissing } from "./missing-index.ts";

export function whenIndexed<T>(work: () => T): T | Promise<Awaited<T>> {
  const again = (reason: unknown): Promise<Awaited<T>> => {
    if (!(reason instanceof MissingIndex)) throw reason;
    reason.building ??= inSlices(reason.steps);
    return reason.building.then(() => whenIndexed(work)) as Promise<Awaited<T>>;
  };
  try {
    const done = unlessMissing(work);
    // An async function does not throw what its first part does: it is told by the promise.
    return done instanceof Promise ? (done.catch(again) as Promise<Awaited<T>>) : done;
  } catch (reason) {
    return again(reason);
  }
}

/** A step that waits so. */
export const onceIndexed =
  <Args extends unknown[], T>(step: (...args: Args) => T) =>
  (...args: Args): T | Promise<Awaited<T>> =>
    whenIndexed(() => step(...args));
