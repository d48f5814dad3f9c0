// Stores a staged world bit by bit, with turns for other requests in between.
import { Slice } from "../../platform/slices.ts";
import type { RowChange } from "../world/state/commit.ts";
import type { Staged } from "../world/state/worlds.ts";

/** To write a change takes longer than to read it, so few are written in one go. */
const AT_ONCE = 50;

/**
 * What was made in one slice is written by its end. False, and nothing is left of it, when it is not wanted any more.
 * An error of the store is thrown, and nothing is left then either.
 */
export async function storeStaged(
  staged: Staged,
  changes: Iterable<RowChange>,
  isWanted: () => boolean,
): Promise<boolean> {
  const slice = new Slice();
  let batch: RowChange[] = [];
  const flush = () => {
    staged.write(batch);
    batch = [];
  };
  try {
    for (const change of changes) {
      batch.push(change);
      if (batch.length < AT_ONCE && !slice.isOver) continue;
      flush();
      if (!slice.isOver) continue;
      await slice.rest();
      // Asked after each turn, since only then can anything have changed.
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
