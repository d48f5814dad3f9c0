// Bulk data for a world that is in use: made on a copy, in slices, and put in the world's place as one change at the end. A request with a
// key is carried out once: its outcome is stored with the bookings, in the identity of the world, and returned when the request is repeated.

import { Slice } from "../../platform/slices.ts";
import { reject } from "../domain/kernel/domain-error.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { Counters, PopulateJob } from "../domain/kernel/records.ts";
import type { Populated, Populating } from "../fixtures/populate.ts";
import type { RowChange } from "../world/state/commit.ts";
import { type Collections, type Name, names } from "../world/state/schema.ts";
import { FIRST } from "../world/state/went-back.ts";
import { applyRows, compareCollections, type World } from "../world/state/world.ts";
import type { BulkCopy, Worlds } from "../world/state/worlds.ts";
import { storeStaged } from "./store-staged.ts";
import { assertBookingsFit } from "./world-size.ts";

interface PopulateDeps {
  worlds: Worlds;
  now(world: World): Instant;
  loaded(world: World): void;
  /** Runs the work while the world's clock does nothing. */
  exclusively<T>(world: World, work: () => Promise<T>): Promise<T>;
}

export interface PopulateRequest extends Populating {
  /** Makes a repeated request safe. */
  key?: string | undefined;
}

export interface PopulateOptions {
  /** Gets the number of bookings made so far; none of them is in the world before the end. */
  progress?(bookings: number): void;
  /** Calls back when the client has disconnected. The work then stops, and adds nothing. */
  whenGone?: ((then: () => void) => void) | undefined;
  /** Called if this request added the bookings. */
  added?(populated: Populated): void;
}

/** Outcomes that a world keeps. */
const MAX_OUTCOMES = 100;

/** One at a time: the source of randomness belongs to the process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Returns the function that makes bulk data. It rejects with IDEMPOTENCY_KEY_REUSED if the key was used for another
 * request, and returns undefined if nothing was added: the world has changed, or the client has disconnected.
 */
export function makePopulate(needs: PopulateDeps) {
  return async (world: World, request: PopulateRequest, options: PopulateOptions): Promise<Populated | undefined> => {
    // Also after a restart, since the world keeps it.
    const known = findOutcome(world, request);
    if (known) return known;
    assertBookingsFit(world.counts().bookings + request.bookings, "body.bookings");
    let isGone = false;
    options.whenGone?.(() => {
      isGone = true;
    });
    const outcome = last.then(() => {
      const current = needs.worlds.get(world.id);
      if (!current || isGone) return undefined;
      // The same request may have been carried out while this one waited for its turn.
      const done = findOutcome(current, request);
      // A running clock would do due work in the world, which the copy would undo.
      return (
        done ??
        needs.exclusively(current, () => populateNow(needs, current, { ...options, request, isGone: () => isGone }))
      );
    });
    // A failure must not stop the next one.
    last = outcome.catch(() => undefined);
    return outcome;
  };
}

const readOutcomes = (world: World): readonly PopulateJob[] => world.identity()?.jobs ?? [];

function findOutcome(world: World, { key, bookings, seed }: PopulateRequest): Populated | undefined {
  const outcome = key === undefined ? undefined : readOutcomes(world).find(({ job }) => job === key);
  if (!outcome || key === undefined) return undefined;
  if (outcome.bookings === bookings && outcome.seed === seed) return outcome.populated;
  const first = `${outcome.bookings} bookings and ${outcome.seed === undefined ? "without a seed" : `with the seed ${outcome.seed}`}`;
  return reject("IDEMPOTENCY_KEY_REUSED", { key, world_id: world.id, first });
}

async function populateNow(
  needs: PopulateDeps,
  { id }: World,
  { request, progress, added, isGone }: PopulateOptions & { request: PopulateRequest; isGone(): boolean },
): Promise<Populated | undefined> {
  // Loaded late: it comes with faker.
  const { populating } = await import("../fixtures/populate.ts");
  const slice = new Slice();
  await slice.rest();
  const world = needs.worlds.get(id);
  if (!world) return undefined;
  const [now, before] = [needs.now(world), world.copy()];
  const goesOn = () => !isGone() && needs.worlds.get(id) === world;
  const copy = needs.worlds.bulkCopy(id);
  const work = populating(copy.world, now, request);
  slice.begin();
  while (goesOn()) {
    const step = work.next();
    if (step.done) {
      // On the copy, so that it is there exactly when the bookings are.
      keepOutcome(copy.world, now, request, step.value);
      if (!(await storeCopy(copy, goesOn))) return undefined;
      if (!addBackgroundWork(copy, before, world.copy())) return undefined;
      needs.loaded(copy.staged.takeOver());
      added?.(step.value);
      return step.value;
    }
    progress?.(step.value);
    if (slice.isOver) await slice.rest();
  }
  return undefined;
}

function keepOutcome(world: World, now: Instant, { key, bookings, seed }: PopulateRequest, populated: Populated): void {
  const identity = world.identity();
  if (key === undefined || !identity) return;
  const outcome: PopulateJob = { job: key, bookings, populated };
  if (seed !== undefined) outcome.seed = seed;
  const jobs = [...readOutcomes(world), outcome].slice(-MAX_OUTCOMES);
  world.transact(now, (tx) => tx.identity.put({ ...identity, jobs }));
}

/** What the sandbox writes by itself at any time: attempts of deliveries, and tokens, which stay with the world anyway. */
const BACKGROUND: readonly Name[] = ["deliveries", "messages", "subscriptions", "tokens"];

/**
 * Repeats in the copy what the sandbox did in the world while the copy was made. Returns false, and drops the copy, where a request or a
 * host action changed the world: the copy would undo it.
 */
function addBackgroundWork({ staged }: BulkCopy, before: Collections, current: Collections): boolean {
  const changed = names.filter((name) => current[name].version !== before[name].version);
  const counters = mergeCounters(staged.collections, before, current);
  if (!counters || changed.some((name) => name !== "counters" && !BACKGROUND.includes(name))) {
    staged.drop();
    return false;
  }
  const changes = compareCollections(before, current)
    .filter(({ collection }) => collection !== "counters")
    .map(({ collection, id, after }): RowChange => [collection, id, after]);
  if (changed.includes("counters")) changes.push(["counters", counters.id, counters]);
  applyRows(staged.collections, changes);
  staged.write(changes);
  return true;
}

/** Attempts of deliveries use one sequence, and the new bookings use the others; undefined if a request or a host action has used those. */
function mergeCounters(copy: Collections, before: Collections, current: Collections): Counters | undefined {
  const [made, was, is] = [copy, before, current].map(({ counters }) => counters.get("counters") ?? FIRST);
  if (!made || !was || !is || is.ids !== was.ids || is.orders !== was.orders || is.entries !== was.entries)
    return undefined;
  return { ...made, deliveries: is.deliveries };
}

function storeCopy({ staged, changes }: BulkCopy, goesOn: () => boolean): Promise<boolean> {
  return storeStaged(staged, changes(), goesOn);
}
