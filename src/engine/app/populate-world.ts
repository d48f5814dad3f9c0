// Adds bulk data to a world in use: builds it on a copy, in slices, which then replaces the world in one change. A
// request with a key runs once. Its outcome is stored with the bookings, in the identity of the world, and is returned
// when the request is repeated.

import { isDeepStrictEqual } from "node:util";
import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Counters, PopulateJob } from "../domain/kernel/records.ts";
import type { Populated, Populating } from "../fixtures/populate.ts";
import type { CommittedChange, RowChange } from "../world/state/commit.ts";
import { FIRST_COUNTERS } from "../world/state/counters.ts";
import type { Collections } from "../world/state/schema.ts";
import { applyRows, compareCollections, type World } from "../world/state/world.ts";
import type { Staged } from "../world/state/worlds.ts";
import type { StatesDeps } from "./states-deps.ts";
import { assertBookingsFit } from "./world-size.ts";

export interface PopulateRequest extends Populating {
  /** Makes a repeated request safe. */
  key?: string | undefined;
}

export interface PopulateOptions {
  /** Gets the number of bookings made so far; none of them is in the world before the end. */
  progress?(bookings: number): void;
  /** Calls back when the client has disconnected. The work then stops, and adds nothing. */
  onClose?: ((then: () => void) => void) | undefined;
}

/** Outcomes that a world keeps. */
const MAX_OUTCOMES = 100;

/** The last populate request. Requests run one at a time, because the source of randomness belongs to the process. */
let lastRequest: Promise<unknown> = Promise.resolve();

/**
 * Rejects with IDEMPOTENCY_KEY_REUSED if the key was used for another request. Returns undefined, and adds nothing, if
 * the world has changed or the client has disconnected.
 */
export async function populateWorld(
  deps: StatesDeps,
  world: World,
  request: PopulateRequest,
  { progress, onClose }: PopulateOptions,
): Promise<Populated | undefined> {
  // The world keeps the outcome, so it is known also after a restart.
  const known = findOutcome(world, request);
  if (known) return known;
  assertBookingsFit(world.count("bookings") + request.bookings, "body.bookings");
  let isGone = false;
  onClose?.(() => {
    isGone = true;
  });
  const outcome = lastRequest.then(() => {
    const current = deps.worlds.get(world.id);
    if (isGone || !current) return undefined;
    const isWanted = () => !isGone;
    // A running clock would perform due work in the world, which the copy would undo.
    return (
      findOutcome(current, request) ??
      deps.runExclusively(current, () => populate(deps, current.id, request, { progress, isWanted }))
    );
  });
  // A failure must not stop the next request.
  lastRequest = outcome.catch(() => undefined);
  return outcome;
}

const readOutcomes = (world: World): readonly PopulateJob[] => world.identity()?.jobs ?? [];

function findOutcome(world: World, { key, bookings, seed }: PopulateRequest): Populated | undefined {
  const outcome = readOutcomes(world).find(({ job }) => job === key);
  if (!outcome || key === undefined) return undefined;
  if (outcome.bookings === bookings && outcome.seed === seed) return outcome.populated;
  const first = `${outcome.bookings} bookings and ${outcome.seed === undefined ? "without a seed" : `with the seed ${outcome.seed}`}`;
  return reject("IDEMPOTENCY_KEY_REUSED", { key, world_id: world.id, first });
}

async function populate(
  { worlds, now: readClock, onLoad, note }: StatesDeps,
  id: string,
  request: PopulateRequest,
  { progress, isWanted }: { progress: PopulateOptions["progress"]; isWanted(): boolean },
): Promise<Populated | undefined> {
  // The module is loaded only now because it imports faker.
  const { populateWorld: populating } = await import("../fixtures/populate.ts");
  const slice = new Slice();
  await slice.pause();
  const world = worlds.get(id);
  if (!world) return undefined;
  const [now, before] = [readClock(world), world.copy()];
  const isCurrent = () => isWanted() && worlds.get(id) === world;
  const { world: copy, staged, changes } = worlds.createBulkCopy(id);
  const work = populating(copy, now, request);
  let step = work.next();
  for (; !step.done; step = work.next()) {
    progress?.(step.value);
    if (slice.isOver) await slice.pause();
    if (!isCurrent()) return undefined;
  }
  // The outcome is stored on the copy, together with the bookings.
  keepOutcome(copy, now, request, step.value);
  const isStored = (await staged.store(changes(), isCurrent)) && addBackgroundWork(staged, before, world.copy());
  if (!isStored) return undefined;
  const replaced = staged.takeOver();
  onLoad(replaced);
  note(replaced, "populate", { added: step.value.added });
  return step.value;
}

function keepOutcome(world: World, now: Instant, { key, bookings, seed }: PopulateRequest, populated: Populated): void {
  const identity = world.identity();
  if (key === undefined || !identity) return;
  const outcome: PopulateJob = { job: key, bookings, populated };
  if (seed !== undefined) outcome.seed = seed;
  const jobs = [...readOutcomes(world), outcome].slice(-MAX_OUTCOMES);
  world.transact(now, (tx) => tx.identity.put({ ...identity, jobs }));
}

/**
 * Repeats in the copy the background work that the sandbox did in the world in the meantime. Returns false, and drops
 * the copy, if a request or a host action changed the world, because the copy would undo it.
 */
function addBackgroundWork(staged: Staged, before: Collections, current: Collections): boolean {
  const changes = compareCollections(before, current);
  if (!changes.every(isBackgroundWork)) {
    staged.drop();
    return false;
  }
  // The new bookings have used the other sequences.
  const own = staged.collections.counters.get("counters") ?? FIRST_COUNTERS;
  const rows = changes.map(({ collection, id, after }): RowChange => {
    const row = collection === "counters" ? { ...own, deliveries: (after as Counters).deliveries } : after;
    return [collection, id, row];
  });
  applyRows(staged.collections, rows);
  staged.write(rows);
  return true;
}

/** Whether the sandbox makes such a change by itself: attempts of deliveries with their sequence. Tokens stay anyway. */
function isBackgroundWork({ collection, before, after }: CommittedChange): boolean {
  if (collection !== "counters") return ["deliveries", "messages", "subscriptions", "tokens"].includes(collection);
  const [was, is] = [before, after].map((counters) => ({ ...FIRST_COUNTERS, ...counters, deliveries: 0 }));
  return isDeepStrictEqual(was, is);
}
