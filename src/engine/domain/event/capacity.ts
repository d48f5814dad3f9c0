// What is left of an event: seats, the limits of variants and add-ons, and resources shared by events that overlap in time.
// Booking and both availabilities ask here, so they can't disagree. Assumptions: booking-resources, resources-sold.
import { count } from "../../../platform/count.ts";
import { getOffers } from "../booking/basket.ts";
import { must } from "../kernel/checks.ts";
import { days, two } from "../kernel/index-keys.ts";
import type { Item, Offer, ScheduledEvent, Session, Variant } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum } from "../money/money.ts";
import { called } from "./opening.ts";
import { countUsed, type Demand, getUnits } from "./sold.ts";

type SessionSpan = Pick<Session, "starts_at" | "ends_at">;

/** Never negative, though a smaller room may have been forced on an event (assumption: booking-resources). */
export function countFreeSeats(event: ScheduledEvent): number {
  return Math.max(0, event.capacity.total - event.capacity.reserved);
}

/** Ends are not included: one tour may start when another ends. */
function canOverlap(a: SessionSpan, b: SessionSpan): boolean {
  return a.starts_at < b.ends_at && b.starts_at < a.ends_at;
}

/** What is left of a resource while these sessions run: its total less the most that is out at any one moment. */
export function countFreeResource(tx: Transaction, sessions: readonly SessionSpan[], resourceId: string): number {
  const total = tx.resources.get(resourceId)?.total ?? 0;
  // Events are found by the days they touch, since an index can't search for overlaps.
  const touched = new Set(sessions.flatMap((session) => days(session.starts_at, session.ends_at)));
  const events = new Map(
    [...touched].flatMap((day) => tx.events.where("resourceDay", two(resourceId, day))).map((e) => [e.id, e]),
  );
  const out = [...events.values()]
    .map((event) => ({ sessions: event.sessions, used: countUsed(tx, event, resourceId) }))
    .filter(({ used }) => used > 0);
  // The most is out at the start of one of our sessions, or of one that starts while ours runs.
  const peak = sessions.map((own) => {
    const beside = out.map((each) => ({ ...each, sessions: each.sessions.filter((it) => canOverlap(it, own)) }));
    const starts = beside.flatMap((each) => each.sessions.map(({ starts_at }) => starts_at));
    const moments = [own.starts_at, ...starts.filter((at) => at > own.starts_at)];
    // An event takes its units once, however many of its sessions run.
    const sumUnitsOut = (at: string) =>
      sum(beside.filter((b) => b.sessions.some((it) => isRunning(it, at))).map((b) => b.used));
    return Math.max(...moments.map(sumUnitsOut));
  });
  return total - Math.max(0, ...peak);
}

function isRunning(session: SessionSpan, at: string): boolean {
  return session.starts_at <= at && at < session.ends_at;
}

/** How many more units of an offer can be sold; undefined when nothing limits it. */
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

/** Everybody else waits while they are made (assumption: booking-quantity-limit). */
const MOST_TICKETS = 1000;

/** Rejects more tickets than one booking has; `items` are all that it is to have, those that it has already too. */
export function mustBeOneBooking(tx: Transaction, items: readonly Item[]): void {
  // Over all variants: it is one booking that would be too large.
  const tickets = sum(items.map(({ item_type, quantity }) => (item_type === "VARIANT" ? quantity : 0)));
  // No check that explanations list where it passes: hardly a booking comes near.
  if (tickets <= MOST_TICKETS) return;
  const what = `One booking has at most ${MOST_TICKETS} tickets, and ${tickets} were asked for`;
  const tooMany = { what, todo: "Ask for fewer, or make several bookings." };
  must(tx, ["NOT_ENOUGH_RESOURCES", "tickets"], tooMany, () => `${tickets} of at most ${MOST_TICKETS} tickets`);
}

/** Rejects what seats, limits or shared resources don't suffice for; `name` is the event's name in error messages. */
export function mustFit(tx: Transaction, event: ScheduledEvent, demand: Demand, name = called(event.id)): void {
  const todo = "Ask for fewer, or choose another event.";
  const mustHaveCapacity = (
    of: string,
    what: string,
    [left, wanted]: readonly [left: number, wanted: number],
    looked: () => string,
  ) => {
    const been = wanted === 1 ? "was" : "were";
    const short = () => ({
      what: `${name} has ${Math.max(0, left)} of ${what} left, and ${wanted} ${been} asked for`,
      todo,
    });
    must(tx, ["NOT_ENOUGH_RESOURCES", of], wanted > left && short(), () => `${looked()}; ${wanted} ${been} wanted`);
  };
  const { total, reserved } = event.capacity;
  mustHaveCapacity("seats", "its seats", [countFreeSeats(event), demand.seats], () => {
    const holders = tx.bookings.where("event", event.id).filter(({ status }) => HOLDING.has(status)).length;
    return `${total} seats = ${reserved} held by ${count(holders, "booking")} + ${countFreeSeats(event)} free`;
  });
  const experience = tx.experiences.get(event.experience_id);
  for (const { type_id, quantity } of demand.items) {
    const limit = experience && getOffers(experience).get(type_id)?.limit;
    // Nothing limits what is not offered any more.
    if (limit === undefined) continue;
    const taken = getUnits(event.sold, type_id);
    mustHaveCapacity(type_id, type_id, [limit - taken, quantity], () => `limit ${limit}, ${taken} sold`);
  }
  // Two offers may use the same resource, so they are asked for together.
  for (const [resource, wanted] of Object.entries(demand.resources_used)) {
    const left = countFreeResource(tx, event.sessions, resource);
    const looked = () => `${left} of ${tx.resources.get(resource)?.total ?? 0} free while its sessions run`;
    mustHaveCapacity(resource, `the shared resource ${resource}`, [left, wanted], looked);
  }
}

/** States of a booking whose tickets hold seats. */
const HOLDING: ReadonlySet<string> = new Set(["ACTIVE", "CHECKED_IN", "PROCESSING"]);
