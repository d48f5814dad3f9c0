// Worlds that a newer version has written, and that this one was asked for: until a node that can read them has them, or they are gone,
// this node should get no requests. It goes on with the worlds that it has.
import type { SharedStore, Taken } from "../../engine/world/store/store.ts";

interface NewerWorldsDeps {
  store: Pick<SharedStore, "where">;
  warn(sentence: string): void;
}

export function makeNewerWorlds({ store, warn }: NewerWorldsDeps) {
  const met = new Map<string, string>();
  return {
    /** One sentence, of the first that was met. */
    get why(): string | undefined {
      return met.values().next().value;
    },
    note(world: string, taken: Taken): void {
      if (taken.is !== "unreadable" || !taken.isNewer) return void met.delete(world);
      if (!met.has(world)) warn(`${taken.why} Until then it is unready, and serves the worlds that it has.`);
      met.set(world, taken.why);
    },
    async lookAgain(): Promise<void> {
      for (const world of met.keys()) {
        const { is } = await store.where(world);
        if (is !== "free") met.delete(world);
      }
    },
  };
}
