// Adds bulk data to a world in use: builds it on a copy, in slices, which then replaces the world in one change. A
// request with a key runs once. Its outcome is stored with the bookings, in the identity of the world, and is returned
// when the request is repeated.

import { isDeepStrictEqual } from "node:util";
import { optional } from "../../platform/optional.ts";
import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Counters, PopulateJob } from "../domain/kernel/records.ts";
import type { Populated, Populating } from "../fixtures/populate.ts";
import type { CommittedChange, RowChange } from "../world/state/commit.ts";
import { FIRST_COUNTERS } from "../world/state/counters.ts";
import { type Collections, compareCollections } from "../world/state/schema.ts";
import type { World } from "../world/state/world.ts";
import type { Worlds } from "../world/state/worlds.ts";
import type { Clocks } from "./clocks.ts";
import { assertBookingsFit } from "./world-size.ts";

interface PopulateDeps {
  worlds: Worlds;
  clocks: Clocks;
  /** Called with the world that replaced the one that was populated. */
  onAdded(world: World, populated: Populated): void;
}

export interface PopulateRequest extends Populating {
  /** Makes a repeated request safe. */
  key?: string | undefined;
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
export function populateWorld(
  deps: PopulateDeps,
  { id }: World,
  request: PopulateRequest,
): Promise<Populated | undefined> {
  let isGone = false;
  request.onClose?.(() => {
    isGone = true;
  });
  const outcome = lastRequest.then(() => {
    const world = deps.worlds.get(id);
    if (isGone || !world) return undefined;
    // The world keeps the outcome, so it is known also after a restart.
    const known = findOutcome(world, request);
    if (known) return known;
    assertBookingsFit(world.count("bookings") + request.bookings, "body.bookings");
    // A running clock would perform due work in the world, which the copy would undo.
    return deps.clocks.runExclusively(world, () => populate(deps, id, request, () => !isGone));
  });
  // A failure must not stop the next request.
  lastRequest = outcome.catch(() => undefined);
  return outcome;
}

function findOutcome(world: World, { key, bookings, seed }: PopulateRequest): Populated | undefined {
  const outcome = world.identity()?.jobs?.find(({ job }) => job === key);
  if (!outcome || key === undefined) return undefined;
  if (outcome.bookings === bookings && outcome.seed === seed) return outcome.populated;
  const first = `${outcome.bookings} bookings and ${outcome.seed === undefined ? "without a seed" : `with the seed ${outcome.seed}`}`;
  return reject("IDEMPOTENCY_KEY_REUSED", { key, world_id: world.id, first });
}

async function populate(
  { worlds, clocks, onAdded }: PopulateDeps,
  id: string,
  request: PopulateRequest,
  isWanted: () => boolean,
): Promise<Populated | undefined> {
  // The module is loaded only now because it imports faker.
  const { populateWorld: populating } = await import("../fixtures/populate.ts");
  const slice = new Slice();
  await slice.pause();
  const world = worlds.get(id);
  if (!world) return undefined;
  const now = clocks.now(world);
  const before = world.copy();
  const isCurrent = () => isWanted() && worlds.get(id) === world;
  const { world: copy, collections } = worlds.createBulkCopy(id);
  const work = populating(copy, now, request);
  let step = work.next();
  for (; !step.done; step = work.next()) {
    if (slice.isOver) await slice.pause();
    if (!isCurrent()) return undefined;
  }
  // The outcome is stored on the copy, together with the bookings.
  keepOutcome(copy, now, request, step.value);
  const rows = compareCollections(before, collections).map(toRow);
  const finish = () => listBackgroundWork(before, world.copy(), collections);
  const replaced = await worlds.replaceInParts(id, { collections, rows, why: "populate", isWanted: isCurrent, finish });
  if (!replaced) return undefined;
  onAdded(replaced, step.value);
  return step.value;
}

function keepOutcome(world: World, now: Instant, { key, bookings, seed }: PopulateRequest, populated: Populated): void {
  const identity = world.identity();
  if (key === undefined || !identity) return;
  const outcome: PopulateJob = { job: key, bookings, ...optional({ seed }), populated };
  const jobs = [...(identity.jobs ?? []), outcome].slice(-MAX_OUTCOMES);
  world.transact(now, (tx) => tx.identity.put({ ...identity, jobs }));
}

const toRow = ({ collection, id, after }: CommittedChange): RowChange => [collection, id, after];

/**
 * Lists the background work that the sandbox did in the world in the meantime, to repeat it in the copy. Returns
 * undefined if a request or a host action changed the world, because the copy would undo it.
 */
function listBackgroundWork(before: Collections, current: Collections, copy: Collections): RowChange[] | undefined {
  const changes = compareCollections(before, current);
  if (!changes.every(isBackgroundWork)) return undefined;
  // The new bookings have used the other sequences.
  const own = copy.counters.get("counters") ?? FIRST_COUNTERS;
  return changes.map((change) => {
    if (change.collection !== "counters") return toRow(change);
    return ["counters", "counters", { ...own, deliveries: (change.after as Counters).deliveries }];
  });
}

/** Whether the sandbox makes such a change by itself: attempts of deliveries with their sequence. Tokens stay anyway. */
function isBackgroundWork({ collection, before, after }: CommittedChange): boolean {
  if (collection !== "counters") return ["deliveries", "messages", "subscriptions", "tokens"].includes(collection);
  const [was, is] = [before, after].map((counters) => ({ ...FIRST_COUNTERS, ...counters, deliveries: 0 }));
  return isDeepStrictEqual(was, is);
}
