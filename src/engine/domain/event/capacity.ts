// Computes what is left of an event: seats, the limits of variants and add-ons, and resources shared by events that overlap.
// Booking and both availabilities use it, so they can't disagree. Assumptions: booking-resources, resources-sold.
import { count } from "../../../platform/count.ts";
import { getOffers } from "../booking/basket.ts";
import { must } from "../kernel/checks.ts";
import { joinKeys, listDays } from "../kernel/index-keys.ts";
import type { Item, Offer, ScheduledEvent, Session, Variant } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum } from "../money/money.ts";
import { formatEventName } from "./opening.ts";
import { countUsed, type Demand, getUnits } from "./sold.ts";

type SessionSpan = Pick<Session, "starts_at" | "ends_at">;

/**
 * Returns 0 or more, although the host may have forced too small a room on an event (assumption:
 * booking-resources).
 */
export function countFreeSeats(event: ScheduledEvent): number {
  return Math.max(0, event.capacity.total - event.capacity.reserved);
}

/** Ends are not included: one tour may start when another ends. */
function canOverlap(a: SessionSpan, b: SessionSpan): boolean {
  return a.starts_at < b.ends_at && b.starts_at < a.ends_at;
}

/** Counts the free units of a resource while these sessions run: its total minus the largest number in use at one time. */
export function countFreeResource(tx: Transaction, sessions: readonly SessionSpan[], resourceId: string): number {
  const total = tx.resources.get(resourceId)?.total ?? 0;
  // The index can't search for overlaps, so events are found by the days that they touch.
  const touched = new Set(sessions.flatMap((session) => listDays(session.starts_at, session.ends_at)));
  const events = new Map(
    [...touched].flatMap((day) => tx.events.where("resourceDay", joinKeys(resourceId, day))).map((e) => [e.id, e]),
  );
  const out = [...events.values()]
    .map((event) => ({ sessions: event.sessions, used: countUsed(tx, event, resourceId) }))
    .filter(({ used }) => used > 0);
  // Usage peaks at the start of one of these sessions, or of one that starts while they run.
  const peak = sessions.map((own) => {
    const beside = out.map((each) => ({ ...each, sessions: each.sessions.filter((it) => canOverlap(it, own)) }));
    const starts = beside.flatMap((each) => each.sessions.map(({ starts_at }) => starts_at));
    const moments = [own.starts_at, ...starts.filter((at) => at > own.starts_at)];
    // An event uses its units once, even if several of its sessions run.
    const sumUnitsInUse = (at: string) =>
      sum(beside.filter((b) => b.sessions.some((it) => isRunning(it, at))).map((b) => b.used));
    return Math.max(...moments.map(sumUnitsInUse));
  });
  return total - Math.max(0, ...peak);
}

function isRunning(session: SessionSpan, at: string): boolean {
  return session.starts_at <= at && at < session.ends_at;
}

/** Counts how many more units of an offer can be sold. Returns undefined when nothing limits it. */
export function countFreeUnits(tx: Transaction, event: ScheduledEvent, offer: Offer): number | undefined {
  // The smallest limit decides.
  const limits = [
    ...("seats" in offer && (offer as Variant).seats > 0
      ? [Math.floor(countFreeSeats(event) / (offer as Variant).seats)]
      : []),
    ...(offer.limit === undefined ? [] : [offer.limit - getUnits(event.sold, offer.id)]),
    ...(offer.resources ?? []).map((use) =>
      Math.floor(countFreeResource(tx, event.sessions, use.resource_id) / use.quantity),
    ),
  ];
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}

/** Other requests wait while the tickets of a booking are created (assumption: booking-quantity-limit). */
const MAX_TICKETS = 1000;

/**
 * Rejects more tickets than one booking may have. `items` is the complete list, including those that the booking has
 * already.
 */
export function mustBeOneBooking(tx: Transaction, items: readonly Item[]): void {
  // The limit counts the tickets of all variants of the booking.
  const tickets = sum(items.map(({ item_type, quantity }) => (item_type === "VARIANT" ? quantity : 0)));
  // A booking below the limit is not listed as a passed check, because hardly any comes near it.
  if (tickets <= MAX_TICKETS) return;
  const what = `One booking has at most ${MAX_TICKETS} tickets, and you requested ${tickets}`;
  const tooMany = { what, todo: "Book fewer, or create several bookings." };
  must(tx, ["NOT_ENOUGH_RESOURCES", "tickets"], tooMany, () => `${tickets} of at most ${MAX_TICKETS} tickets`);
}

/** Rejects a demand that exceeds seats, limits or shared resources. `name` is the event's name in error messages. */
export function mustFit(
  tx: Transaction,
  event: ScheduledEvent,
  demand: Demand,
  name = formatEventName(event.id),
): void {
  const todo = "Book fewer, or choose another event.";
  const mustHaveCapacity = (
    of: string,
    what: string,
    [left, wanted]: readonly [left: number, wanted: number],
    describeUse: () => string,
  ) => {
    const describeShortage = () => ({
      what: `${name} has ${Math.max(0, left)} of ${what} left, and you requested ${wanted}`,
      todo,
    });
    must(
      tx,
      ["NOT_ENOUGH_RESOURCES", of],
      wanted > left && describeShortage(),
      () => `${describeUse()}; ${wanted} requested`,
    );
  };
  const { total, reserved } = event.capacity;
  mustHaveCapacity("seats", "its seats", [countFreeSeats(event), demand.seats], () => {
    const holders = tx.bookings.where("event", event.id).filter(({ status }) => HOLDING.has(status)).length;
    return `${total} seats = ${reserved} held by ${count(holders, "booking")} + ${countFreeSeats(event)} free`;
  });
  const experience = tx.experiences.get(event.experience_id);
  for (const { type_id, quantity } of demand.items) {
    const limit = experience && getOffers(experience).get(type_id)?.limit;
    // An offer that no longer exists has no limit.
    if (limit === undefined) continue;
    const taken = getUnits(event.sold, type_id);
    mustHaveCapacity(type_id, type_id, [limit - taken, quantity], () => `limit ${limit}, ${taken} sold`);
  }
  // Two offers may use the same resource, so their units are added up first.
  for (const [resource, wanted] of Object.entries(demand.resources_used)) {
    const left = countFreeResource(tx, event.sessions, resource);
    const describeUse = () => `${left} of ${tx.resources.get(resource)?.total ?? 0} free while its sessions run`;
    mustHaveCapacity(resource, `the shared resource ${resource}`, [left, wanted], describeUse);
  }
}

/** States of a booking whose tickets hold seats. */
const HOLDING: ReadonlySet<string> = new Set(["ACTIVE", "CHECKED_IN", "PROCESSING"]);
