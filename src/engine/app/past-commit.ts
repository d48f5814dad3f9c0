// What a step of a fixture did to a world, before the history of the world began.
import type { Committed } from "../world/state/commit.ts";

export interface PastCommit extends Committed {
  /** Such as `history.12`, the path in the fixture's files; `clock` where time did it. */
  step: string;
  /** Such as `bookAsHost`. */
  title: string;
}

/** Of an id: the steps that changed it, oldest first. */
export type Past = ReadonlyMap<string, readonly PastCommit[]>;
