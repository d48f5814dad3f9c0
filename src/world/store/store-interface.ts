// The interface of a store: all that the rest of the program may rely on.
import type { LogRecord, StateDump } from "./log-records.ts";

/** "os": an appended record survives the end of the process; "fsync": once settled, it survives a power cut too. */
export type Durability = "os" | "fsync";

/** The present state, frozen: of these worlds, or of all. More worlds than these may be in it, and are left out. */
export type View = (worlds?: ReadonlySet<string>) => StateDump;

/** A store that may have to begin again from what it has written. */
export interface Reopening {
  /** Whether requests can be answered now; any other store says with each append why not. */
  readonly isUsable: boolean;
  /** `reopen` is called after a failure, with the state that is stored, before anything is answered again. */
  onReopened(reopen: (state: StateDump) => void): void;
}

export interface Store {
  /** The record is in the file, or in the queue to the database, when it returns; when it throws a StoreError, nothing of it is. */
  append(record: LogRecord): void;
  /**
   * Resolves when all appended records, of this world or of all, are as durable as was asked for, one write for all callers; undefined
   * when they are already.
   * Rejects with a StoreError when that is unknown, or when memory may differ from what is stored: then nothing may be answered from it.
   */
  settled(world?: string): Promise<void> | undefined;
  /**
   * Writes a snapshot of the worlds that have changed, and removes the logs; with `all` of every world, as after changes without
   * records. `view` is called once, before this returns, unless another compaction is still running. What was appended must be in it:
   * when it lacks a world that the log has, this rejects, and nothing is lost.
   */
  compact(view: View, all?: "all"): Promise<void>;
  /** The log is so long that it is time to compact. */
  readonly due: boolean;
  /** Ends the store. With a view: one plain JSON file stays; without: the log stays, and is replayed at the next start. */
  close(view?: View): Promise<void>;
}
