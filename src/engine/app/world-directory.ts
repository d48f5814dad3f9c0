// Where several processes serve the worlds of one sandbox: the worlds that there are, in memory or not, and who has them.

/** A world, in memory or not. */
export interface ListedWorld {
  id: string;
  /** What it was created from: the fixture, its seed, and the world that was forked. */
  recipe: { fixture: string; seed: string; forked_from?: string } | null;
  /** ISO 8601. */
  used_at: string;
}

interface WantedWorlds {
  /** That gets them; null for none. */
  account: string | null;
  /** The id of the only one, where the caller has chosen it. */
  id?: string | undefined;
  /** The world that they are copied from, whose account gets them. */
  copyOf?: string;
  count: number;
}

export interface WorldDirectory {
  /** The worlds of an account, or all. */
  list(account: string | undefined): Promise<readonly ListedWorld[]>;
  /** Throws 409 where there may be no such worlds. Resolves to the function under which they are created. */
  prepare(wanted: WantedWorlds): Promise<<T>(create: () => T) => T>;
  /** A world that was only created here moves to the process that is asked for it first. */
  release(world: string, isUnused?: boolean): Promise<void>;
}
