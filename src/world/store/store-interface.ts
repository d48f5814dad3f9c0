// The interface of a store: all that the rest of the program may rely on.
import type { LogRecord, StateDump } from "./log-records.ts";

/** "os": a kept change survives the end of the process; "fsync": once settled, it survives a power cut too. */
export type Durability = "os" | "fsync";

export interface Store {
  /** In the file when it returns; throws a StoreError when it could not be kept, and then nothing of it is. */
  append(line: LogRecord): void;
  /** With "fsync": all that was appended is on the disk itself (one sync for all who wait). With "os": at once. */
  settled(): Promise<void>;
  /** Folds the journals into the snapshot. `view` is called once, before this returns, unless another one is still running. */
  compact(view: () => StateDump): Promise<void>;
  /** The journal has outgrown the snapshot: time to compact. */
  readonly due: boolean;
  /** Ends the store. With a view: one plain JSON file stays; without: the journal stays, and is read at the next start. */
  close(view?: () => StateDump): Promise<void>;
}
