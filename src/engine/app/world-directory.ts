// Declares the directory of worlds for several processes that serve one sandbox: it lists the worlds, in memory or not,
// with their owners.

/** A world, in memory or not. */
export interface ListedWorld {
  id: string;
  /** The source of the world: the fixture, its seed, and the world that was forked. */
  recipe: { fixture: string; seed: string; forked_from?: string } | null;
  /** ISO 8601. */
  used_at: string;
}

interface WantedWorlds {
  /** The account that gets the worlds; null for none. */
  account: string | null;
  /** The id of a single world, if the caller chose it. */
  id?: string | undefined;
  /** The world to copy, whose account gets the copies. */
  copyOf?: string;
}

export interface WorldDirectory {
  /** Lists the worlds of an account, or all. */
  list(account: string | undefined): Promise<readonly ListedWorld[]>;
  /** Throws 409 if the worlds are not allowed. Resolves to a function that runs their creation. */
  prepare(wanted: WantedWorlds): Promise<<T>(create: () => T) => T>;
  /** Releases a world that was only created here. It moves to the process that receives its first request. */
  release(world: string): Promise<void>;
}
