// Replaces a world by a document. The document is checked with turns for other requests in between, then replaces the world in one step.
// Assumption: delivery-targets (subscriptions to public hosts are loaded disabled).

import { runSliced, Slice } from "../../platform/slices.ts";
import { isPublicTarget } from "../domain/company/subscription.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Collections } from "../world/state/schema.ts";
import { listRowChanges, type World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { RecordCheck } from "./record-check.ts";
import { storeStaged } from "./store-staged.ts";
import { readDocument } from "./world-document.ts";
import { assertBookingsFit } from "./world-size.ts";

interface ImportDeps {
  worlds: Worlds;
  forgetWork(id: string): void;
  onLoad(world: World): void;
  check: RecordCheck;
  defaults: { allowPublic: boolean };
}

/** Returns undefined if the world was removed in the meantime. Rejects with INVALID_INPUT, which leaves the world unchanged. */
export async function importWorld(
  deps: ImportDeps,
  id: string,
  document: unknown,
): Promise<{ world: World; warnings: string[] } | undefined> {
  const staged = deps.worlds.stage(id);
  // Parsing the document took its time already.
  await new Slice().pause();
  await runSliced(readDocument(document, staged.collections, deps.check));
  assertBookingsFit(staged.collections.bookings.size, "body.collections.bookings");
  const warnings = deps.defaults.allowPublic ? [] : disablePublicTargets(staged.collections);
  const isHere = () => deps.worlds.get(id) !== undefined;
  if (!(await storeStaged(staged, listRowChanges(staged.collections), isHere))) return undefined;
  // The rest is synchronous, so no request is served until the new world is in place.
  deps.forgetWork(id);
  const world = staged.takeOver();
  deps.onLoad(world);
  return { world, warnings };
}

/** Returns a warning for each subscription that was disabled. */
function disablePublicTargets({ subscriptions }: Collections): string[] {
  const isSent = ({ state, url }: Subscription) => state === "ENABLED" && isPublicTarget(url);
  return [...subscriptions.all()].filter(isSent).map((subscription) => {
    subscriptions.set(subscription.id, { ...subscription, state: "DISABLED" });
    return `Subscription ${subscription.id} points at the public host of ${subscription.url} and was loaded DISABLED. A sandbox with the option \`allow-public-webhooks\` loads it enabled.`;
  });
}
