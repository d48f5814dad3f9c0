// The world default is made by the node that comes first; the others find it.

import { isStoreError, StoreError } from "../../engine/log/index.ts";
import type { Hosted } from "./hosted-node.ts";

/**
 * `make` resolves when it is stored, with warnings. Rejects with a StoreError where the database fails or the world
 * can't be read.
 */
export async function beginDefault(hosted: Hosted, make: () => Promise<string[]>): Promise<string[]> {
  // Two nodes that start together both find it free; one wins the insert, and the other finds it at the next look.
  for (;;) {
    const location = await hosted.locate("default");
    if (location.is === "unreadable") throw new StoreError(location.why);
    if (location.is === "elsewhere") return [];
    try {
      return await make();
    } catch (reason) {
      // A StoreError while it was nowhere can mean that another node was first; anything else is a fault of its own.
      if (!isStoreError(reason) || location.is === "here") throw reason;
      // Another node has made it meanwhile.
    } finally {
      if (location.is === "here") location.lease.release();
    }
  }
}
