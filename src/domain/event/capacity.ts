// What is left of an event: seats, the limits of variants and add-ons, and resources shared by events that overlap in time.
// Booking and both availabilities ask here, so they can't disagree. Assumptions: booking-resources, resources-sold.
import type { Basket } from "../booking/basket.ts";
import { reject } from "../kernel/domain-error.ts";
import { days, two } from "../kernel/index-keys.ts";
import type { Experience, Offer, ScheduledEvent, Session, Variant } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { sum } from "../money/money.ts";
import { usedBy } from "./sold.ts";

type Span = Pick<Session, "starts_at" | "ends_at">;

export function seatsLeft(event: ScheduledEvent): number {
  return Math.max(0, event.capacity.total - event.capacity.reserved);
}

export function seatsOf(basket: Basket): number {
  return sum(basket.variants.map(({ offer, quantity }) => offer.seats * quantity));
}

function needOf(offer: Offer, resource: string): number {
  return offer.resources?.find((use) => use.resource_id === resource)?.quantity ?? 0;
}

function overlap(a: Span, b: Span): boolean {
  return a.starts_at < b.ends_at && b.starts_at < a.ends_at;
}

/** What is left of a resource while these sessions run: its total less the most that is out at any one moment. */
export function resourceLeft(tx: Transaction, sessions: readonly Span[], resourceId: string): number {
  const total = tx.resources.get(resourceId)?.total ?? 0;
  const touched = new Set(sessions.flatMap((session) => days(session.starts_at, session.ends_at)));
  const events = new Map(
    [...touched].flatMap((day) => tx.events.where("resourceDay", two(resourceId, day))).map((e) => [e.id, e]),
  );
  const out = [...events.values()]
    .map((event) => ({ sessions: event.sessions, used: usedBy(tx, event, resourceId) }))
    .filter(({ used }) => used > 0);
  // The most is out at the start of one of our sessions, or of one that starts while ours runs.
  const peak = sessions.map((own) => {
    const beside = out.map((each) => ({ ...each, sessions: each.sessions.filter((it) => overlap(it, own)) }));
    const starts = beside.flatMap((each) => each.sessions.map(({ starts_at }) => starts_at));
    const moments = [own.starts_at, ...starts.filter((at) => at > own.starts_at)];
    // An event takes its units once, however many of its sessions run.
    const outAt = (at: string) => sum(beside.filter((b) => b.sessions.some((it) => runsAt(it, at))).map((b) => b.used));
    return Math.max(...moments.map(outAt));
  });
  return total - Math.max(0, ...peak);
}

function runsAt(session: Span, at: string): boolean {
  return session.starts_at <= at && at < session.ends_at;
}

/** How many more units of an offer can be sold; undefined when nothing limits it. */
export function unitsLeft(tx: Transaction, event: ScheduledEvent, offer: Offer): number | undefined {
  const limits = [
    ...("seats" in offer && (offer as Variant).seats > 0
      ? [Math.floor(seatsLeft(event) / (offer as Variant).seats)]
      : []),
    ...(offer.limit === undefined ? [] : [offer.limit - (event.sold[offer.id] ?? 0)]),
    ...(offer.resources ?? []).map((use) =>
      Math.floor(resourceLeft(tx, event.sessions, use.resource_id) / use.quantity),
    ),
  ];
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}

/** Whether the event takes bookings at all, whatever is left of it. */
export function isOpen(tx: Transaction, event: ScheduledEvent, experience: Experience | undefined): boolean {
  return whyNotActive(event, experience) === undefined && tx.now < event.cutoff_at && event.locked_by === undefined;
}

/** Rejects when the event takes no booking at all. Assumption: booking-check-order. */
export function mustBeOpen(tx: Transaction, event: ScheduledEvent, experience: Experience, claim?: string): void {
  const why = whyNotActive(event, experience);
  if (why) reject("EVENT_NOT_ACTIVE", { event_id: event.id, why });
  if (tx.now >= event.cutoff_at)
    reject("EVENT_PAST_CUTOFF", { event: called(event.id), cutoff: event.cutoff_at, now: tx.now });
  if (event.locked_by && event.locked_by !== claim) reject("EVENT_EXCLUSIVITY_LOCKED", { event_id: event.id });
}

/** How sentences call an event. */
export function called(id: string): string {
  return `Event ${id}`;
}

export function whyNotActive(event: ScheduledEvent, experience: Experience | undefined): string | undefined {
  if (event.state !== "ACTIVE") return `it is ${event.state}`;
  if (experience?.state !== "ACTIVE") return `its experience is ${experience?.state ?? "gone"}`;
  return undefined;
}

/** Everybody else waits while they are made (assumption: booking-quantity-limit). */
const MOST_TICKETS = 1000;

/** Rejects a basket for which seats, limits or shared resources don't suffice; `name` is the event's name in error messages. */
export function mustFit(tx: Transaction, event: ScheduledEvent, basket: Basket, name = called(event.id)): void {
  const todo = "Ask for fewer, or choose another event.";
  const short = (what: string, left: number, wanted: number) =>
    reject("NOT_ENOUGH_RESOURCES", {
      what: `${name} has ${Math.max(0, left)} of ${what} left, and ${wanted} ${wanted === 1 ? "was" : "were"} asked for`,
      todo,
    });
  const seats = seatsOf(basket);
  if (seats > seatsLeft(event)) short("its seats", seatsLeft(event), seats);
  const tickets = sum(basket.variants.map(({ quantity }) => quantity));
  if (tickets > MOST_TICKETS)
    reject("NOT_ENOUGH_RESOURCES", {
      what: `One booking has at most ${MOST_TICKETS} tickets, and ${tickets} were asked for`,
      todo: "Ask for fewer, or make several bookings.",
    });
  const lines = [...basket.variants, ...basket.addOns];
  for (const { offer, quantity } of lines) {
    const left = offer.limit === undefined ? undefined : offer.limit - (event.sold[offer.id] ?? 0);
    if (left !== undefined && quantity > left) short(`${offer.id}`, left, quantity);
  }
  const resources = new Set(lines.flatMap(({ offer }) => (offer.resources ?? []).map((use) => use.resource_id)));
  for (const resource of resources) {
    const wanted = sum(lines.map(({ offer, quantity }) => needOf(offer, resource) * quantity));
    const left = resourceLeft(tx, event.sessions, resource);
    if (wanted > left) short(`the shared resource ${resource}`, left, wanted);
  }
}
