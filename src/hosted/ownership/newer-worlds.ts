// Notes requested worlds that only a newer version can read. Until another node has opened them, or they are removed, this node reports
// itself unready, so that a rolling upgrade sends requests to newer nodes. It continues to serve its worlds.
import type { Acquired, SharedStore } from "../postgres/shared-store.ts";

export class NewerWorlds {
  readonly #reasons = new Map<string, string>();

  /** Why this node is unready: the reason of the first such world. */
  get why(): string | undefined {
    return this.#reasons.values().next().value;
  }

  note(world: string, acquired: Acquired, warn: (sentence: string) => void): void {
    if (acquired.is !== "unreadable" || !acquired.isNewer) return void this.#reasons.delete(world);
    // Clients repeat their requests, so the node warns once per world.
    if (!this.#reasons.has(world)) warn(`${acquired.why} Until then it is unready, and serves the worlds that it has.`);
    this.#reasons.set(world, acquired.why);
  }

  /** Forgets worlds that another node has opened, or that are removed. */
  async recheck(store: Pick<SharedStore, "locate">): Promise<void> {
    for (const id of this.#reasons.keys()) if ((await store.locate(id)).is !== "free") this.#reasons.delete(id);
  }
}
