// Worlds that a newer version has written, and that this one was asked for: until a node that can read them has them, or they are gone,
// this node should get no requests. It goes on with the worlds that it has.
import type { Acquired, SharedStore } from "../postgres/shared-store.ts";

interface NewerWorldsDeps {
  store: Pick<SharedStore, "where">;
  warn(sentence: string): void;
}

/**
 * While `why` is a sentence, the node reports itself unready, and a rolling upgrade sends its requests to the newer
 * ones.
 */
export function makeNewerWorlds({ store, warn }: NewerWorldsDeps) {
  const met = new Map<string, string>();
  return {
    /** One sentence, of the first that was met. */
    get why(): string | undefined {
      return met.values().next().value;
    },
    note(world: string, taken: Acquired): void {
      if (taken.is !== "unreadable" || !taken.isNewer) return void met.delete(world);
      // Once for each world: clients ask again and again.
      if (!met.has(world)) warn(`${taken.why} Until then it is unready, and serves the worlds that it has.`);
      met.set(world, taken.why);
    },
    async lookAgain(): Promise<void> {
      for (const world of met.keys()) {
        const { is } = await store.where(world);
        // Somebody who can read it has it now, or it was removed; "free" is still waiting for such a node.
        if (is !== "free") met.delete(world);
      }
    },
  };
}
