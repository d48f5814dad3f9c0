// Stores a staged world in parts, with turns for other requests in between.
import { Slice } from "../../platform/slices.ts";
import type { RowChange } from "../world/state/commit.ts";
import type { Staged } from "../world/state/worlds.ts";

const ROWS_PER_PART = 50;

/** Returns false if the world is no longer wanted. All parts are removed then, and also if the store throws. */
export async function storeStaged(
  staged: Staged,
  rows: readonly RowChange[],
  isWanted: () => boolean,
): Promise<boolean> {
  const slice = new Slice();
  let isStored = false;
  try {
    for (let at = 0; at < rows.length && isWanted(); at += ROWS_PER_PART) {
      staged.write(rows.slice(at, at + ROWS_PER_PART));
      if (slice.isOver) await slice.pause();
    }
    isStored = isWanted();
    return isStored;
  } finally {
    if (!isStored) staged.drop();
  }
}
