// Work that reads the records of a world by an index which nobody has asked for before: the index is built while others are answered,
// and the work is done anew. So it has no effect but by its transaction, which is undone.
import { inSlices } from "../../../platform/slices.ts";
import { MissingIndex, unlessMissing } from "./missing-index.ts";

/** More than any work asks for. One that itself writes so much that an index is let go of would else begin anew for ever. */
const MOST_WAITS = 10;

export function whenIndexed<T>(work: () => T, waits = MOST_WAITS): T | Promise<Awaited<T>> {
  const again = (reason: unknown): Promise<Awaited<T>> => {
    if (!(reason instanceof MissingIndex)) throw reason;
    reason.building ??= inSlices(reason.steps);
    return reason.building.then(() => whenIndexed(work, waits - 1)) as Promise<Awaited<T>>;
  };
  try {
    const done = waits > 0 ? unlessMissing(work) : work();
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
