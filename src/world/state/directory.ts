// Which world has a client id or a token: one look-up, however many worlds there are. The directory watches the collections themselves,
// so it also follows an undone transaction, a reset and a restart.
import type { Collections } from "./schema.ts";

const KINDS = ["keys", "tokens"] as const;
export type Credential = (typeof KINDS)[number];

export interface Directory {
  /** The id of the world that has it; undefined when none has. */
  worldOf(kind: Credential, id: string): string | undefined;
  /** Registers the collections of a world. */
  watch(world: string, collections: Collections): void;
  /** Removes the entries of a world. */
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
