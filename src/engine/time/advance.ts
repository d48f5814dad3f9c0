// Moves the time of a world. `advance` goes from due instant to due instant, runs each thing as one transaction at its own
// instant, and attempts the deliveries due then, until it reaches the target. Thirty moves of a day and one of thirty days therefore
// give the same result. As real time passes, a running clock runs the same due work, and the dispatcher sends the deliveries.
import { Slice } from "../../platform/slices.ts";
import type { Fact, ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { World } from "../world/state/world.ts";
import { type Due, settle } from "./due.ts";

/** The changes that run one due thing. */
interface Doer {
  /** Runs a transaction at that instant. */
  change<T>(at: Instant, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  /** Returns the clock's record for an instant. */
  clockAt(at: Instant): ClockRecord;
}

interface DueFinder {
  /** Returns the next due thing of the records. */
  nextDue(): Due | undefined;
  /** Returns when a delivery is next due, or undefined if none is due or may be sent. */
  nextDelivery(): Instant | undefined;
}

type Settler = Doer & Pick<DueFinder, "nextDue">;

export interface Mover extends DueFinder, Doer {
  /** Runs one due thing, at once or later. */
  settle(due: Due): void | Promise<void>;
  /** Attempts every delivery that is due, and waits until the attempts are recorded. */
  deliver(): Promise<void>;
}

export async function advance(world: World, until: Instant, mover: Mover): Promise<void> {
  const slice = new Slice();
  for (;;) {
    const due = mover.nextDue();
    const next = pickSooner(due?.at, mover.nextDelivery());
    if (next === undefined || next > until) break;
    if (due && next === due.at) {
      const done = mover.settle(due);
      if (done) await done;
    } else {
      moveTo(mover, pickLater(next, getClock(world)));
      await mover.deliver();
    }
    if (slice.isOver) await slice.pause();
  }
  moveTo(mover, pickLater(until, getClock(world)));
}

/**
 * Runs what is due without deliveries, to play a fixture's history and to look ahead. The caller may pause between
 * two lines.
 */
export function* settleDue(world: World, until: Instant, mover: Settler): Generator<ReceiptLine> {
  for (let due = mover.nextDue(); due && due.at <= until; due = mover.nextDue()) yield settleOne(world, due, mover);
  moveTo(mover, pickLater(until, getClock(world)));
}

/** Runs a due thing at its own instant, or at the clock's instant if that is later. */
export function settleOne(world: World, due: Due, mover: Doer): ReceiptLine {
  const at = pickLater(due.at, getClock(world));
  const { facts } = mover.change(at, (tx) => {
    tx.clock.put(mover.clockAt(at));
    settle(tx, due);
  });
  return { at, what: due.what, id: due.id, facts: [...facts] };
}

function moveTo(mover: Doer, at: Instant): void {
  mover.change(at, (tx) => {
    const known = tx.clock.get("clock");
    const next = mover.clockAt(at);
    if (JSON.stringify(known) !== JSON.stringify(next)) tx.clock.put(next);
  });
}

function getClock(world: World): Instant {
  return world.clock()?.at ?? "";
}

function pickLater(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

/** Returns the next instant. At one instant, due records come before a delivery. */
export function findInstant(finder: DueFinder): Instant | undefined {
  return pickSooner(finder.nextDue()?.at, finder.nextDelivery());
}

function pickSooner(due: Instant | undefined, delivery: Instant | undefined): Instant | undefined {
  return due !== undefined && (delivery === undefined || due <= delivery) ? due : delivery;
}
