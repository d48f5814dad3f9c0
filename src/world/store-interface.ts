// What the rest of the house knows of a store, and all it may rely on.
import type { Kept, Line } from "./kept.ts";

/** "os": a kept change survives the end of the process; "fsync": once settled, it survives a power cut too. */
export type Durability = "os" | "fsync";

export interface Store {
  /** In the file when it returns; throws a StoreError when it could not be kept, and then nothing of it is. */
  append(line: Line): void;
  /** With "fsync": all that was appended is on the disk itself (one sync for all who wait). With "os": at once. */
  settled(): Promise<void>;
  /** Folds the journals into the snapshot. `view` is called once, before this returns, unless another one is still running. */
  compact(view: () => Kept): Promise<void>;
  /** The journal has outgrown the snapshot: time to compact. */
  readonly due: boolean;
  /** Ends the store. With a view: one plain JSON file stays; without: the journal stays, and is read at the next start. */
  close(view?: () => Kept): Promise<void>;
}
