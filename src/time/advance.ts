// Time as a value that someone moves. `advance` goes from due instant to due instant, does each as one transaction at its own
// instant, lets the deliveries due then be attempted, looks again, and ends at the target with a receipt. A running clock is the
// same function, called as real time passes. So thirty moves of a day and one of thirty days do the same.
import type { Desk } from "../domain/desk.ts";
import type { Fact } from "../domain/facts.ts";
import type { Instant } from "../domain/instant.ts";
import type { ClockRecord } from "../domain/records.ts";
import type { World } from "../world/world.ts";
import { type Due, nextDue, settle, type What } from "./due.ts";

export interface ReceiptLine {
  at: Instant;
  what: What;
  id: string;
  facts: Fact[];
}

export interface Mover {
  /** One transaction at that instant. */
  change<T>(at: Instant, work: (desk: Desk) => T): { result: T; facts: readonly Fact[] };
  look<T>(question: (desk: Desk) => T): T;
  /** The clock's record as it is to stand at an instant. */
  clockAt(at: Instant): ClockRecord;
  /** When a delivery is next due; undefined when none is, or when none may be sent. */
  nextDelivery(): Instant | undefined;
  /** Attempts every delivery due by the clock, and waits until it is recorded. */
  deliver(): Promise<ReceiptLine[]>;
}

export async function advance(world: World, until: Instant, mover: Mover): Promise<ReceiptLine[]> {
  const receipt: ReceiptLine[] = [];
  for (;;) {
    const due = mover.look(nextDue);
    const delivery = mover.nextDelivery();
    const next = due && (delivery === undefined || due.at <= delivery) ? due.at : delivery;
    if (next === undefined || next > until) break;
    const at = later(next, clockOf(world));
    if (due && next === due.at) receipt.push(settleOne(at, due, mover));
    else {
      moveTo(mover, at);
      receipt.push(...(await mover.deliver()));
    }
  }
  moveTo(mover, later(until, clockOf(world)));
  return receipt;
}

/** The same without deliveries, at one go: for playing a fixture's history, and for looking ahead. */
export function settleUntil(
  world: World,
  until: Instant,
  mover: Pick<Mover, "change" | "look" | "clockAt">,
): ReceiptLine[] {
  const receipt: ReceiptLine[] = [];
  for (;;) {
    const due = mover.look(nextDue);
    if (!due || due.at > until) break;
    receipt.push(settleOne(later(due.at, clockOf(world)), due, mover));
  }
  moveTo(mover, later(until, clockOf(world)));
  return receipt;
}

function settleOne(at: Instant, due: Due, mover: Pick<Mover, "change" | "clockAt">): ReceiptLine {
  const { facts } = mover.change(at, (desk) => {
    desk.clock.put(mover.clockAt(at));
    settle(desk, due);
  });
  return { at, what: due.what, id: due.id, facts: [...facts] };
}

function moveTo(mover: Pick<Mover, "change" | "clockAt">, at: Instant): void {
  mover.change(at, (desk) => {
    const known = desk.clock.get("clock");
    const next = mover.clockAt(at);
    if (JSON.stringify(known) !== JSON.stringify(next)) desk.clock.put(next);
  });
}

function clockOf(world: World): Instant {
  return world.collections.clock.get("clock")?.at ?? "";
}

function later(a: Instant, b: Instant): Instant {
  return a > b ? a : b;
}

/** The sooner of the next thing due in the records and the next delivery. */
export function nextInstant(mover: Pick<Mover, "look" | "nextDelivery">): Instant | undefined {
  const due = mover.look(nextDue)?.at;
  const delivery = mover.nextDelivery();
  return due !== undefined && (delivery === undefined || due <= delivery) ? due : delivery;
}
