// What the database says about worlds, and what a node counts of its store.
import type { ListedWorld as DirectoryWorld } from "../../engine/app/index.ts";

/** Worlds that are made together, for a team or for none: all are kept, or none is. */
export interface Making {
  readonly team: string | null;
}

/** A world as the database lists it, open or not. */
export interface ListedWorld extends DirectoryWorld {
  team: string | null;
  /** ISO 8601, to the second or finer. */
  created_at: string;
  /** The address of the node that owns it. */
  owner: string | null;
  /** What it takes in the database, without what it shares with others. */
  bytes: number;
}

/** Counts since the start, but for the first, the margin and the queue. */
export interface StoreFigures {
  worlds: number;
  commits: number;
  batches: number;
  records: number;
  lost: number;
  taken: number;
  released: number;
  /** How long this node may still answer without hearing from the database. */
  leaseMarginMs: number;
  queued: number;
}
