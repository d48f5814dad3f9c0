// Stores a staged world bit by bit, with turns for other requests in between.
import { Slice } from "../slices.ts";
import type { Staged } from "../world/state/worlds.ts";
import type { Change } from "../world/store/store.ts";

/** What was made in one slice is written at its end. False, and nothing is left of it, when it is not wanted any more. */
export async function storeStaged(
  staged: Staged,
  changes: Iterable<Change>,
  isWanted: () => boolean,
): Promise<boolean> {
  const slice = new Slice();
  let batch: Change[] = [];
  const flush = () => {
    staged.write(batch);
    batch = [];
  };
  try {
    for (const change of changes) {
      batch.push(change);
      if (!slice.isOver) continue;
      flush();
      await slice.rest();
      if (!isWanted()) break;
    }
    flush();
    if (isWanted()) return true;
    staged.drop();
    return false;
  } catch (reason) {
    staged.drop();
    throw reason;
  }
}
