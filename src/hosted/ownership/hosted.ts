// A node of a sandbox that many share: where a world lives, and who is at work in one that lives here.
import type { WorldLease } from "../../engine/http/access.ts";
import type { ListedWorld } from "../postgres/shared-worlds.ts";

/** One that is not said to be right within a minute was wrong, or takes that long. */
export interface Guess {
  right(): void;
}

export type WorldLocation =
  /** `guess`: it was opened for what may have been made up. */
  | { is: "here"; lease: WorldLease; guess?: Guess }
  | { is: "elsewhere"; url: string }
  | { is: "unknown" }
  /** One sentence says why this version can't read it. */
  | { is: "unreadable"; why: string; isNewer: boolean };

export interface Hosted {
  /** The id under which this node is known to the others. */
  readonly node: string;
  /** What this node sends along with a request that it sends on, and whether it is a node that has sent such a text. */
  readonly hop: string;
  isNode(hop: string): boolean;
  /** Whether this node takes no more worlds, since it is to stop. */
  readonly isLeaving: boolean;
  /** Why a newer version should have its place: a world that nobody has, and that this version can't read. */
  readonly outdated: string | undefined;
  /** Somebody has looked whether this node may get requests. */
  looked(): void;
  /** At once, where the world is open here. `from`: the node that has sent the request on, and would rather have the world. */
  lease(world: string, from?: string): WorldLease | undefined;
  /** For a request that another node has sent on: undefined where this node is not the owner. */
  locateHere(world: string, from: string | undefined): Promise<WorldLocation | undefined>;
  /** Where there are other nodes, a world that was only made here is given up, to live where it is asked for. `isUnused`: there it begins. */
  release(world: string, isUnused?: boolean): Promise<void>;
  /**
   * Opens a world that lives nowhere. Rejects with a StoreError while that can't be known. `credential`: what all rests on, empty
   * where there is none; one that may have been made up opens no world after too many of them.
   */
  locate(world: string, credential?: string): Promise<WorldLocation>;
  /** It is not where it was said to be: the next look asks the database. */
  misplaced(world: string): void;
  /** Whether the world still lives at this address, without taking it. */
  isAt(world: string, url: string): Promise<boolean>;
  /** Of a node that lives. */
  addressOf(node: string): Promise<string | undefined>;
  /** All worlds of a team, of none (`null`), or all, open or not. */
  list(team: string | null | undefined): Promise<ListedWorld[]>;
  /** Before the end: takes no more worlds, ends streams, and waits shortly until the last lease is released. */
  leave(): Promise<void>;
  end(): void;
}
