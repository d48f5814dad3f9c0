// The first node creates the default world, and the others find it.

import { isStoreError, StoreError } from "../../engine/log/index.ts";
import type { Hosted } from "./hosted-node.ts";

/** `make` creates and stores the world, and resolves to warnings. Rejects with a StoreError if the database fails or the world can't be read. */
export async function beginDefault(hosted: Hosted, make: () => Promise<string[]>): Promise<string[]> {
  // If two nodes start together, one inserts the world, and the other finds it in the next round.
  for (;;) {
    const location = await hosted.locate("default");
    if (location.is === "unreadable") throw new StoreError(location.why);
    if (location.is === "elsewhere") return [];
    try {
      return await make();
    } catch (reason) {
      // If the world did not exist, another node may have created it since.
      if (!isStoreError(reason) || location.is === "here") throw reason;
    } finally {
      if (location.is === "here") location.lease.release();
    }
  }
}
