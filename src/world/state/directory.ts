// Which world has a credential: a client id or a token is found in one step, however many worlds there are. Kept up where a collection
// is written, so that an undone transaction, a reset and a restart are seen like everything else.
import type { Collections } from "./schema.ts";

const KINDS = ["keys", "tokens"] as const;
export type Credential = (typeof KINDS)[number];

export interface Directory {
  /** The world that holds it; undefined when none does. */
  worldOf(kind: Credential, id: string): string | undefined;
  /** From now on these are the collections of that world. */
  watch(world: string, collections: Collections): void;
  /** The world is gone. */
  forget(world: string, collections: Collections): void;
}

export function makeDirectory(): Directory {
  const worlds = Object.fromEntries(KINDS.map((kind) => [kind, new Map<string, string>()])) as Record<
    Credential,
    Map<string, string>
  >;
  const remove = (kind: Credential, id: string, world: string) => {
    if (worlds[kind].get(id) === world) worlds[kind].delete(id);
  };
  return {
    worldOf: (kind, id) => worlds[kind].get(id),
    watch(world, collections) {
      for (const kind of KINDS) {
        // A fork begins with what the original has, and that stays the original's.
        const add = (id: string) => worlds[kind].has(id) || worlds[kind].set(id, world);
        for (const { id } of collections[kind].stored()) add(id);
        collections[kind].watch((id, isThere) => (isThere ? add(id) : remove(kind, id, world)));
      }
    },
    forget(world, collections) {
      for (const kind of KINDS) for (const { id } of collections[kind].stored()) remove(kind, id, world);
    },
  };
}
