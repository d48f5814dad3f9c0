// Bulk data for a world that is in use: made on a copy, in pieces with turns for other requests in between, and put in the world's
// place as one change at the end.
import type { Instant } from "../domain/kernel/instant.ts";
import type { Populated, Populating } from "../fixtures/populate.ts";
import { inSlices, Slice } from "../slices.ts";
import { prepare } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { BulkCopy, Worlds } from "../world/state/worlds.ts";
import { storeStaged } from "./store-staged.ts";

interface Needs {
  worlds(): Worlds;
  now(world: World): Instant;
  loaded(world: World, why: "populate"): void;
}

/** One at a time: the source of chance belongs to the process. */
let last: Promise<unknown> = Promise.resolve();

/** Undefined, and nothing added, when the world has changed meanwhile. */
export function populateWorld(needs: Needs, id: string, input: Populating): Promise<Populated | undefined> {
  const turn = last.then(() => populateNow(needs, id, input));
  last = turn.catch(() => undefined);
  return turn;
}

async function populateNow(needs: Needs, id: string, input: Populating): Promise<Populated | undefined> {
  // Loaded late: it comes with faker.
  const { populating, SEASON_INDEXES } = await import("../fixtures/populate.ts");
  const world = needs.worlds().get(id);
  if (!world) return undefined;
  const [now, { commits }] = [needs.now(world), world];
  const isAsItWas = () => needs.worlds().get(id) === world && world.commits === commits;
  const copy = needs.worlds().bulkCopy(id);
  const work = populating({ now: () => now, worlds: { bulkWriter: () => copy.world } }, copy.world, input);
  await inSlices(prepare(copy.staged.collections, SEASON_INDEXES));
  const slice = new Slice();
  while (isAsItWas()) {
    const step = work.next();
    if (step.done) {
      if (!(await storeCopy(copy, isAsItWas))) return undefined;
      needs.loaded(copy.staged.place(), "populate");
      return step.value;
    }
    if (slice.isOver) await slice.rest();
  }
  return undefined;
}

function storeCopy({ staged, changes }: BulkCopy, isAsItWas: () => boolean): Promise<boolean> {
  staged.copied();
  return storeStaged(staged, changes(), isAsItWas);
}
