// The world default is made by the node that comes first; the others find it.
import type { Hosted } from "../../engine/app/hosted.ts";
import { isStoreError, StoreError } from "../../engine/world/store/store.ts";

/** `make` resolves when it is stored, with warnings. */
export async function beginDefault(hosted: Hosted, make: () => Promise<string[]>): Promise<string[]> {
  for (;;) {
    const place = await hosted.place("default");
    if (place.is === "unreadable") throw new StoreError(place.why);
    if (place.is === "elsewhere") return [];
    try {
      return await make();
    } catch (reason) {
      if (!isStoreError(reason) || place.is === "here") throw reason;
      // Another node has made it meanwhile.
    } finally {
      if (place.is === "here") place.guest.leave();
    }
  }
}
