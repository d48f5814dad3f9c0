// The world default is made by the node that comes first; the others find it.
import type { Hosted } from "../../engine/app/hosted.ts";
import { isStoreError, StoreError } from "../../engine/world/store/store.ts";

/** `make` resolves when it is stored, with warnings. */
export async function beginDefault(hosted: Hosted, make: () => Promise<string[]>): Promise<string[]> {
  for (;;) {
    const location = await hosted.locate("default");
    if (location.is === "unreadable") throw new StoreError(location.why);
    if (location.is === "elsewhere") return [];
    try {
      return await make();
    } catch (reason) {
      if (!isStoreError(reason) || location.is === "here") throw reason;
      // Another node has made it meanwhile.
    } finally {
      if (location.is === "here") location.guest.leave();
    }
  }
}
