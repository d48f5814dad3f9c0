// Time as a value that someone moves. `advance` goes from due instant to due instant, does each thing as one transaction at its own
// instant, lets the deliveries due then be attempted, looks again, and ends at the target with a receipt. A running clock is the
// same function, called as real time passes. So thirty moves of a day and one of thirty days do the same.
import { Slice } from "../../platform/slices.ts";
import type { Fact, ReceiptLine } from "../domain/kernel/facts.ts";
import type { Instant } from "../domain/kernel/instant.ts";
import type { ClockRecord } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import type { World } from "../world/state/world.ts";
import { type Due, settle } from "./due.ts";

/** What is needed to do one due thing. */
export interface Doer {
  /** One transaction at that instant. */
  change<T>(at: Instant, work: (tx: Transaction) => T): { result: T; facts: readonly Fact[] };
  /** The clock's record as it is to stand at an instant. */
  clockAt(at: Instant): ClockRecord;
}

interface DueFinder {
  /** The next thing due in the records. */
  nextDue(): Due | undefined;
  /** When a delivery is next due; undefined when none is, or when none may be sent. */
  nextDelivery(): Instant | undefined;
}

interface Mover extends DueFinder, Doer {
  /** Does one thing that is due, at once or later. */
  settle(due: Due): void | Promise<void>;
  /** Attempts every delivery due by the clock, and waits until it is recorded. */
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

/** The same without deliveries, for playing a fixture's history and for looking ahead; who takes the lines may pause between two. */
export function* settleDue(
  world: World,
  until: Instant,
  mover: Doer & Pick<DueFinder, "nextDue">,
): Generator<ReceiptLine> {
  for (let due = mover.nextDue(); due && due.at <= until; due = mover.nextDue()) yield settleOne(world, due, mover);
  moveTo(mover, pickLater(until, getClock(world)));
}

/** At its own instant, or at the clock's where that is later: what is due late is done late. */
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

/** What is due in the records goes before a delivery of the same instant. */
export function findInstant(finder: DueFinder): Instant | undefined {
  return pickSooner(finder.nextDue()?.at, finder.nextDelivery());
}

function pickSooner(due: Instant | undefined, delivery: Instant | undefined): Instant | undefined {
  return due !== undefined && (delivery === undefined || due <= delivery) ? due : delivery;
}
