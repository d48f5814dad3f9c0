// A document takes the place of a world: read and checked beside it, with turns for other requests in between, then put in its place at once.
// Assumption: delivery-targets (subscriptions to public hosts are loaded disabled).

import { inSlices, Slice } from "../../platform/slices.ts";
import { isPublicTarget } from "../domain/company/subscription.ts";
import type { Subscription } from "../domain/kernel/records.ts";
import { type Collections, type Name, names } from "../world/state/schema.ts";
import { applyRows, type World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Change, Row } from "../world/store/store.ts";
import type { Syntax } from "./document-scan.ts";
import type { RecordCheck } from "./record-check.ts";
import { danglingIn } from "./record-references.ts";
import { storeStaged } from "./store-staged.ts";
import { DocumentReader, join, rejectDocument } from "./world-document.ts";

interface ImportDeps {
  worlds(): Worlds;
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
  const staged = needs.worlds().stage(id);
  const warnings: string[] = [];
  // To receive so many bytes took a while already.
  await new Slice().rest();
  await inSlices(new DocumentReader({ bytes, syntax, check, staged }).read());
  const changes = changesIn(staged.collections, defaults.allowPublic, warnings);
  // Removed meanwhile: nothing may take its place.
  if (!(await storeStaged(staged, changes, () => needs.worlds().get(id) !== undefined))) return undefined;
  // From here on there is no turn for others until the new world is there.
  needs.forgotten(id);
  const world = staged.takeOver();
  needs.loaded(world, "import");
  return { world, warnings };
}

/** A record that another one names has to be in the document too. */
function* changesIn(collections: Collections, allowPublic: boolean, warnings: string[]): Generator<Change> {
  // In the document, not in the world that it replaces.
  const has = (name: string, id: string) => collections[name as Name]?.has(id) ?? false;
  for (const name of names) {
    let index = 0;
    for (const row of collections[name].all() as Iterable<Row>) {
      const dangling = danglingIn(name, row, has);
      if (dangling) {
        const { member, id, missing } = dangling;
        rejectDocument(join(`body.collections.${name}`, index, member), `${missing} has no record ${id.slice(0, 60)}.`);
      }
      const safe = allowPublic || name !== "subscriptions" ? row : withoutPublicTarget(row as Subscription, warnings);
      // In memory as in the store.
      if (safe !== row) applyRows(collections, [[name, row.id, safe]]);
      index += 1;
      yield [name, row.id, safe];
    }
  }
}

function withoutPublicTarget(subscription: Subscription, warnings: string[]): Row {
  const { id, state, url } = subscription;
  if (state !== "ENABLED" || !isPublicTarget(url)) return subscription;
  warnings.push(
    `Subscription ${id} points at the public host of ${url} and was loaded DISABLED. --allow-public-webhooks loads it as it is.`,
  );
  return { ...subscription, state: "DISABLED" } as Row;
}
