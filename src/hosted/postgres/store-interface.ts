// The interface of the store: all that the rest of the program may rely on.

import type { EntryStore } from "../../engine/log/compaction.ts";
import type { State } from "../../engine/log/entry.ts";
import type { EntrySink } from "../../engine/log/log.ts";
import type { ListedWorld, Making, StoreFigures } from "./shared-worlds.ts";

/** The answer to asking for a world. */
export type Acquired =
  /** This node owns it now, and its log has the retained entries. `state` holds the world and its named snapshots (`id@name`). */
  | { is: "here"; epoch: number; state: State; team: string | null }
  | Elsewhere
  | { is: "unknown" }
  /** It is there, and this version can't read it: one sentence. A newer version can, where one has written it. */
  | { is: "unreadable"; why: string; isNewer: boolean };

type Elsewhere = { is: "elsewhere"; node: string; url: string };

/** Where a world lives; `free` when no living node has it open. `ours`: this node owns it, and has lost it from memory. */
export type OwnerLocation = { is: "here" } | Elsewhere | { is: "free"; ours?: true } | { is: "unknown" };

/**
 * A store that several nodes use at once: each world has one owner at a time, and only its owner reads and writes it. An entry is in the queue
 * to the database when `append` returns; when it throws a StoreError, nothing of it is.
 */
export interface SharedStore extends EntryStore, EntrySink {
  /** The team of the next new world; undefined: the operator's. */
  findMaking: () => Making | undefined;
  /** The id of this registration; a node whose heartbeat has lapsed registers anew under a new one. */
  readonly node: string;
  /** There was no other node when this one was last confirmed. */
  readonly isAlone: boolean;
  /** Tells the other nodes the address of this one, which is not known before it listens. */
  announce(): Promise<void>;
  /** The heartbeat is confirmed, by this machine's monotonic clock, and the database can be reached. */
  readonly isUsable: boolean;
  /** Makes this node the owner where no living node is, and loads it. */
  acquire(world: string): Promise<Acquired>;
  /** Writes what is queued of it and gives it up; the next node that is asked takes it. `isUnused`: nobody has used it since it was made. */
  release(world: string, isUnused?: boolean): Promise<void>;
  /** Without taking it. */
  where(world: string): Promise<OwnerLocation>;
  /** Of a living node; undefined where there is none of that id. */
  addressOf(node: string): Promise<string | undefined>;
  /**
   * Worlds without a living owner in which something is due by the database's clock, the longest overdue first. No other node is told of
   * them for some seconds, so that one opens them.
   */
  overdue(most: number): Promise<string[]>;
  /** In the order of ids; of one team, of none (`null`), or all. */
  list(wanted: { team?: string | null; after?: string; limit: number }): Promise<ListedWorld[]>;
  /**
   * `then` is called before anybody who waits is answered: what this node has in memory of these worlds may differ from what is stored, and
   * must not be used any more. Who needs one takes it again. Without a reason they never were, as whoever made them is told.
   */
  onLost(then: (worlds: readonly string[], why: string | undefined) => void): void;
  /** `then` is asked once a world and batch: when the next thing is due in it (ms since 1970), where its clock runs. */
  dueOf(then: (world: string) => number | undefined): void;
  /** Ms since 1970 by the database's clock. */
  databaseNow(): number;
  figures(): StoreFigures;
  /** Releases every world and ends this registration: nothing can be taken afterwards. */
  handOver(): Promise<void>;
  close(): Promise<void>;
}
