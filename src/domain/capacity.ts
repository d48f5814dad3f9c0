// What is left of an event: seats, the limits of variants and add-ons, and resources shared by events that overlap in time.
// Booking and both availabilities ask here, so they can't disagree. Assumption: booking-resources.
import { type Basket, offersOf, unitsOf } from "./basket.ts";
import type { Desk } from "./desk.ts";
import { days, two } from "./index-keys.ts";
import { sum } from "./money.ts";
import type { Experience, Offer, ScheduledEvent, Session, Variant } from "./records.ts";
import { refuse } from "./refusal.ts";

type Span = Pick<Session, "starts_at" | "ends_at">;

export function seatsLeft(event: ScheduledEvent): number {
  return Math.max(0, event.capacity.total - event.capacity.reserved);
}

export function seatsOf(basket: Basket): number {
  return sum(basket.variants.map(({ offer, quantity }) => offer.seats * quantity));
}

/** Units of a resource that an event's sold tickets need. */
function usedBy(desk: Desk, event: ScheduledEvent, resource: string): number {
  const experience = desk.experiences.get(event.experience_id);
  if (!experience) return 0;
  const uses = [...offersOf(experience).values()].map((offer) => needOf(offer, resource) * (event.sold[offer.id] ?? 0));
  return sum(uses);
}

function needOf(offer: Offer, resource: string): number {
  return offer.resources?.find((use) => use.resource_id === resource)?.quantity ?? 0;
}

function overlap(a: Span, b: Span): boolean {
  return a.starts_at < b.ends_at && b.starts_at < a.ends_at;
}

/** What is left of a resource while these sessions run: its total less the most that is out at any one moment. */
export function resourceLeft(desk: Desk, sessions: readonly Span[], resourceId: string): number {
  const total = desk.resources.get(resourceId)?.total ?? 0;
  const touched = new Set(sessions.flatMap((session) => days(session.starts_at, session.ends_at)));
  const events = new Map(
    [...touched].flatMap((day) => desk.events.where("resourceDay", two(resourceId, day))).map((e) => [e.id, e]),
  );
  const out = [...events.values()].flatMap((event) => {
    const used = usedBy(desk, event, resourceId);
    return used === 0 ? [] : event.sessions.map((session) => ({ session, used }));
  });
  // The most is out at the start of one of our sessions, or of one that starts while ours runs.
  const peak = sessions.map((own) => {
    const beside = out.filter(({ session }) => overlap(session, own));
    const moments = [
      own.starts_at,
      ...beside.map(({ session }) => session.starts_at).filter((at) => at > own.starts_at),
    ];
    return Math.max(...moments.map((at) => sum(beside.filter((b) => runsAt(b.session, at)).map((b) => b.used))));
  });
  return total - Math.max(0, ...peak);
}

function runsAt(session: Span, at: string): boolean {
  return session.starts_at <= at && at < session.ends_at;
}

/** How many more units of an offer can be sold; undefined when nothing limits it. */
export function unitsLeft(desk: Desk, event: ScheduledEvent, offer: Offer): number | undefined {
  const limits = [
    ...("seats" in offer && (offer as Variant).seats > 0
      ? [Math.floor(seatsLeft(event) / (offer as Variant).seats)]
      : []),
    ...(offer.limit === undefined ? [] : [offer.limit - (event.sold[offer.id] ?? 0)]),
    ...(offer.resources ?? []).map((use) =>
      Math.floor(resourceLeft(desk, event.sessions, use.resource_id) / use.quantity),
    ),
  ];
  return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
}

/** Refuses when an event in this state of affairs takes no booking at all. Assumption: booking-check-order. */
export function mustBeOpen(desk: Desk, event: ScheduledEvent, experience: Experience, claim?: string): void {
  const why = whyNotActive(event, experience);
  if (why) refuse("EVENT_NOT_ACTIVE", { event_id: event.id, why });
  if (desk.now >= event.cutoff_at)
    refuse("EVENT_PAST_CUTOFF", { event_id: event.id, cutoff: event.cutoff_at, now: desk.now });
  if (event.locked_by && event.locked_by !== claim) refuse("EVENT_EXCLUSIVITY_LOCKED", { event_id: event.id });
}

export function whyNotActive(event: ScheduledEvent, experience: Experience | undefined): string | undefined {
  if (event.state !== "ACTIVE") return `it is ${event.state}`;
  if (experience?.state !== "ACTIVE") return `its experience is ${experience?.state ?? "gone"}`;
  return undefined;
}

/** Everybody else waits while they are made (assumption: booking-quantity-limit). */
const MOST_TICKETS = 1000;

/** Refuses when seats, limits or shared resources don't suffice for the basket. */
export function mustFit(desk: Desk, event: ScheduledEvent, basket: Basket): void {
  const short = (what: string, left: number, wanted: number) =>
    refuse("NOT_ENOUGH_RESOURCES", { event_id: event.id, what, left: Math.max(0, left), wanted });
  const seats = seatsOf(basket);
  if (seats > seatsLeft(event)) short("its seats", seatsLeft(event), seats);
  const tickets = sum(basket.variants.map(({ quantity }) => quantity));
  if (tickets > MOST_TICKETS) short("the tickets that one booking can have", MOST_TICKETS, tickets);
  const lines = [...basket.variants, ...basket.addOns];
  for (const { offer, quantity } of lines) {
    const left = offer.limit === undefined ? undefined : offer.limit - (event.sold[offer.id] ?? 0);
    if (left !== undefined && quantity > left) short(`${offer.id}`, left, quantity);
  }
  const resources = new Set(lines.flatMap(({ offer }) => (offer.resources ?? []).map((use) => use.resource_id)));
  for (const resource of resources) {
    const wanted = sum(lines.map(({ offer, quantity }) => needOf(offer, resource) * quantity));
    const left = resourceLeft(desk, event.sessions, resource);
    if (wanted > left) short(`the shared resource ${resource}`, left, wanted);
  }
}

/** The event with this basket sold. */
export function sold(event: ScheduledEvent, basket: Basket): ScheduledEvent {
  return withSold(event, { units: unitsOf(basket), seats: seatsOf(basket) }, 1);
}

/** The event with these units and seats taken (or, negative, given back). */
export function withSold(
  event: ScheduledEvent,
  { units, seats }: { units: Record<string, number>; seats: number },
  sign: 1 | -1,
): ScheduledEvent {
  const sold = { ...event.sold };
  for (const [id, quantity] of Object.entries(units)) sold[id] = (sold[id] ?? 0) + sign * quantity;
  const reserved = event.capacity.reserved + sign * seats;
  return { ...event, sold, capacity: { ...event.capacity, reserved } };
}
