// A document takes the place of a world: read and checked beside it, with turns for other requests in between, then put in its place at once.
// Assumption: delivery-targets (subscriptions to public hosts are loaded disabled).

import { inSlices, Slice } from "../../platform/slices.ts";
import { isPublicTarget } from "../domain/company/subscription.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import type { Stored } from "../world/state/collection.ts";
import { type Collections, names } from "../world/state/schema.ts";
import { applyRows, type World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Row, StoredChange } from "../world/store/store.ts";
import type { Syntax } from "./document-scan.ts";
import type { RecordCheck } from "./record-check.ts";
import { storeStaged } from "./store-staged.ts";
import { DocumentReader } from "./world-document.ts";

interface ImportDeps {
  worlds: Worlds;
  forgotten(id: string): void;
  loaded(world: World, why: "import"): void;
  check: RecordCheck;
  defaults: { allowPublic: boolean };
}

/** Undefined when the world has gone meanwhile. Rejects with INVALID_INPUT, and the world stays as it is. */
export async function importWorld(
  needs: ImportDeps,
  id: string,
  bytes: Buffer,
  syntax: Syntax,
): Promise<{ world: World; warnings: string[] } | undefined> {
  const { check, defaults } = needs;
  const staged = needs.worlds.stage(id);
  const warnings: string[] = [];
  // To receive so many bytes took a while already.
  await new Slice().rest();
  await inSlices(new DocumentReader({ bytes, syntax, check, staged }).read());
  const changes = changesIn(staged.collections, defaults.allowPublic, warnings);
  // Removed meanwhile: nothing may take its place.
  if (!(await storeStaged(staged, changes, () => needs.worlds.get(id) !== undefined))) return undefined;
  // From here on there is no turn for others until the new world is there.
  needs.forgotten(id);
  const world = staged.takeOver();
  needs.loaded(world, "import");
  return { world, warnings };
}

function* changesIn(collections: Collections, allowPublic: boolean, warnings: string[]): Generator<StoredChange> {
  for (const name of names) {
    for (const stored of collections[name].stored() as Iterable<Stored>) {
      if (allowPublic || name !== "subscriptions") yield [name, stored.id, stored];
      else yield [name, stored.id, withoutPublicTarget(collections, stored.id, warnings)];
    }
  }
}

/** In memory as in the store. */
function withoutPublicTarget(collections: Collections, id: string, warnings: string[]): Row {
  const subscription = collections.subscriptions.get(id) as Subscription;
  const { state, url } = subscription;
  if (state !== "ENABLED" || !isPublicTarget(url)) return subscription;
  warnings.push(
    `Subscription ${id} points at the public host of ${url} and was loaded DISABLED. A sandbox with the option \`allow-public-webhooks\` loads it as it is.`,
  );
  const disabled = { ...subscription, state: "DISABLED" } as Row;
  applyRows(collections, [["subscriptions", id, disabled]]);
  return disabled;
}
