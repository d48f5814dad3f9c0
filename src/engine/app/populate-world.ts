// Bulk data for a world that is in use: made on a copy, in pieces with turns for other requests in between, and put in the world's
// place as one change at the end. A job with an id is done once: whoever asks for it again waits for it too, or gets its outcome. That
// outcome is stored with the bookings, in the identity of the world, so that both are there or neither, wherever the world is.

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
  /** Its id, by whoever asks. */
  job?: string | undefined;
}

/** Somebody who waits for a job. */
export interface PopulateWaiter {
  /** Of the bookings that are made so far, none of which is in the world before the end. */
  progress?(bookings: number): void;
  /** Calls back when they do not wait any more. A job that nobody waits for stops, and adds nothing. */
  whenGone?: ((then: () => void) => void) | undefined;
  /** Called once, for whoever began the job. */
  added?(populated: Populated): void;
}

interface Job {
  request: PopulateRequest;
  waiting: Set<PopulateWaiter>;
  bookings: number;
  outcome: Promise<Populated | undefined>;
}

/** Of the jobs of one world, the latest are kept. */
const MOST_RETAINED = 100;

/** One at a time: the source of chance belongs to the process. */
let last: Promise<unknown> = Promise.resolve();

/** Answers the function that makes bulk data. Rejects with JOB_IS_ANOTHER where the id was used for another request. */
export function makePopulate(needs: PopulateDeps) {
  /** Of those with an id. */
  const running = new Map<string, Job>();

  const begin = (id: string, request: PopulateRequest): Job => {
    const job: Job = { request, waiting: new Set(), bookings: 0, outcome: Promise.resolve(undefined) };
    const isWanted = () => job.waiting.size > 0;
    const at = keyOf(id, request.job);
    job.outcome = last
      .then(() => {
        // Everybody may have gone while it waited for its turn.
        if (!isWanted()) return undefined;
        const world = needs.worlds.get(id);
        // A running clock would do due work in the world, which the copy would undo.
        return world && needs.exclusively(world, () => populateNow(needs, id, job));
      })
      .finally(() => {
        // It may have been begun anew under the same id.
        if (running.get(at) === job) running.delete(at);
      });
    // A failure must not stop the next one.
    last = job.outcome.catch(() => undefined);
    if (request.job !== undefined) running.set(at, job);
    return job;
  };

  /** Undefined, and nothing added, when the world has changed meanwhile, or nobody waits any more. */
  return (world: World, request: PopulateRequest, waiting: PopulateWaiter): Promise<Populated | undefined> => {
    const at = keyOf(world.id, request.job);
    const known = request.job === undefined ? undefined : running.get(at);
    const done = request.job === undefined ? undefined : jobsOf(world).find(({ job }) => job === request.job);
    const first = known?.request ?? done;
    if (first) mustBeSame(world, first, request);
    // Also after a restart, since it is kept in the world.
    if (done) return Promise.resolve(done.populated);
    if (!known) assertBookingsFit(world.counts().bookings + request.bookings, "body.bookings");
    const job = known ?? begin(world.id, request);
    job.waiting.add(waiting);
    waiting.whenGone?.(() => {
      job.waiting.delete(waiting);
      // Whoever asks for it from now on begins it anew.
      if (job.waiting.size === 0 && running.get(at) === job) running.delete(at);
    });
    return known ? job.outcome : job.outcome.then((populated) => progressOf(populated, waiting));
  };
}

const jobsOf = (world: World): readonly PopulateJob[] => world.identity()?.jobs ?? [];

const keyOf = (world: string, job = ""): string => `${world} ${job}`;

function progressOf(populated: Populated | undefined, { added }: PopulateWaiter): Populated | undefined {
  if (populated) added?.(populated);
  return populated;
}

function mustBeSame({ id }: World, was: PopulateRequest, request: PopulateRequest): void {
  if (was.bookings === request.bookings && was.seed === request.seed) return;
  const { job = "", bookings, seed } = was;
  const first =
    seed === undefined ? `${bookings} bookings and without a seed` : `${bookings} bookings and with the seed ${seed}`;
  reject("JOB_IS_ANOTHER", { job, world_id: id, first });
}

async function populateNow(needs: PopulateDeps, id: string, job: Job): Promise<Populated | undefined> {
  // Loaded late: it comes with faker.
  const { populating } = await import("../fixtures/populate.ts");
  const slice = new Slice();
  await slice.rest();
  const world = needs.worlds.get(id);
  if (!world) return undefined;
  const [now, before] = [needs.now(world), world.copy()];
  const goesOn = () => job.waiting.size > 0 && needs.worlds.get(id) === world;
  const copy = needs.worlds.bulkCopy(id);
  const work = populating(copy.world, now, job.request);
  slice.begin();
  while (goesOn()) {
    const step = work.next();
    if (step.done) {
      // On the copy, so that it is there exactly when the bookings are.
      keepJob(copy.world, now, job.request, step.value);
      if (!(await storeCopy(copy, goesOn))) return undefined;
      if (!addBackgroundWork(copy, before, world.copy())) return undefined;
      needs.loaded(copy.staged.takeOver());
      return step.value;
    }
    job.bookings = step.value;
    for (const { progress } of job.waiting) progress?.(job.bookings);
    if (slice.isOver) await slice.rest();
  }
  return undefined;
}

function keepJob(world: World, now: Instant, { job, bookings, seed }: PopulateRequest, populated: Populated): void {
  const identity = world.identity();
  if (job === undefined || !identity) return;
  const own = { job, bookings, ...(seed === undefined ? {} : { seed }), populated };
  const jobs = [...jobsOf(world), own].slice(-MOST_RETAINED);
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
