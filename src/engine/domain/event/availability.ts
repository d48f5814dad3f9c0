// Computes how much can still be sold of an event (Event Availability), and of each sitting or free timeslot (Availability).
// It uses capacity.ts, as a booking does. Assumptions: event-availability-shape, availability-shape, availability-which,
// timeslots.
import type { ServiceSchemas } from "../../../contract/schemas.ts";
import type { Experience, Offer, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { countFreeResource, countFreeSeats, countFreeUnits } from "./capacity.ts";
import { getResources } from "./event.ts";
import { explainInactive, isOpen } from "./opening.ts";
import { toCutoff } from "./sessions.ts";
import type { Slot } from "./timeslots.ts";

type Availability = ServiceSchemas["Availability"];
type EventAvailability = ServiceSchemas["EventAvailability"];
type Limit = { id: string; available: boolean; remaining?: number };

/** Lists every constraint that applies, passing or failing. `available` says whether any variant can still be sold. */
export function computeEventAvailability(tx: Transaction, event: ScheduledEvent): EventAvailability {
  const experience = tx.experiences.get(event.experience_id);
  const constraints: EventAvailability["constraints"] = [
    { type: "EVENT_STATE", available: explainInactive(event, experience) === undefined, state: event.state },
    { type: "EVENT_SEATS_LIMIT", available: countFreeSeats(event) > 0, remaining: countFreeSeats(event) },
    { type: "BOOKING_CUTOFF", available: tx.now < event.cutoff_at, cutoff_time: event.cutoff_at },
    ...(experience ? getResources(experience) : []).map((resource) => {
      const remaining = Math.max(0, countFreeResource(tx, event.sessions, resource));
      return { type: "RESOURCE_LIMIT" as const, available: remaining > 0, resource, remaining };
    }),
    ...(event.locked_by ? [{ type: "EXCLUSIVITY" as const, available: false, locked_by_booking: true }] : []),
  ];
  // The two values of the assumption differ if a failing constraint does not apply to every variant.
  const anyConstraint = tx.assumes("event-availability-shape") === "any-constraint";
  const available = anyConstraint
    ? constraints.every((constraint) => constraint.available)
    : isOpen(tx, event, experience) && isSellable(tx, event, experience);
  return { event_id: event.id, available, constraints };
}

function isSellable(tx: Transaction, event: ScheduledEvent, experience: Experience | undefined): boolean {
  return (experience?.ticket_variants ?? []).some((variant) => countFreeUnits(tx, event, variant) !== 0);
}

/** Returns the availability of one sitting. All sittings of an event share its seats, so their numbers are the same. */
export function computeSittingAvailability(
  tx: Transaction,
  event: ScheduledEvent,
  session: Session,
  experience: Experience,
): Availability {
  const limits = getLimits(experience, (offer) => countFreeUnits(tx, event, offer));
  return {
    id: toSittingId(event, session),
    ...toSubject(tx, { type: "EVENT", event_id: event.id, session_id: session.id }),
    start_time: session.start_time,
    end_time: session.end_time,
    timezone: session.timezone,
    // A locked event is closed to other bookings, even if seats are left.
    available: isOpen(tx, event, experience) && limits.ticket_variants.some(({ available }) => available),
    constraints: [
      { type: "TICKET_LIMIT", ...limits },
      ...(event.locked_by ? [{ type: "EXCLUSIVITY" as const, remaining: countFreeSeats(event) }] : []),
    ],
  };
}

/**
 * Returns the availability of a free slot of the opening rules. Its seats are those of the rule, because no event
 * has sold any.
 */
export function computeSlotAvailability(tx: Transaction, slot: Slot, experience: Experience): Availability {
  // The limits are the same three as in countFreeUnits, with nothing sold.
  const countLeft = (offer: Offer): number | undefined => {
    const limits = [
      ...("seats" in offer && typeof offer.seats === "number" && offer.seats > 0
        ? [Math.floor(slot.capacity / offer.seats)]
        : []),
      ...(offer.limit === undefined ? [] : [offer.limit]),
      ...(offer.resources ?? []).map((use) =>
        Math.floor(countFreeResource(tx, [slot], use.resource_id) / use.quantity),
      ),
    ];
    return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
  };
  const allLimits = getLimits(experience, countLeft);
  return {
    id: toSlotId(experience, slot),
    ...toSubject(tx, { type: "TIMESLOT" }),
    start_time: slot.start_time,
    end_time: slot.end_time,
    timezone: slot.timezone,
    available:
      experience.state === "ACTIVE" &&
      tx.now < toCutoff([slot], experience.booking_cutoff).cutoff_at &&
      allLimits.ticket_variants.some(({ available }) => available),
    constraints: [{ type: "TICKET_LIMIT", ...allLimits }],
  };
}

function getLimits(
  experience: Experience,
  left: (offer: Offer) => number | undefined,
): { ticket_variants: Limit[]; addon_variants: Limit[] } {
  const limit = (offer: Offer): Limit => {
    const remaining = left(offer);
    return {
      id: offer.id,
      available: remaining === undefined || remaining > 0,
      ...(remaining === undefined ? {} : { remaining }),
    };
  };
  // An add-on of several variants is listed once.
  const addOns = new Map(
    experience.ticket_variants.flatMap((variant) => variant.add_on_variants).map((addOn) => [addOn.id, addOn]),
  );
  return { ticket_variants: experience.ticket_variants.map(limit), addon_variants: [...addOns.values()].map(limit) };
}

/** Applies the other value of availability-shape: a plain string, with the ids next to it. */
function toSubject(tx: Transaction, subject: Availability["subject"]): Pick<Availability, "subject"> {
  if (tx.assumes("availability-shape") !== "string") return { subject };
  const { type, ...ids } = subject;
  return { subject: type as unknown as Availability["subject"], ...ids };
}

/** Encodes an id so that clients don't parse it. No record is needed to compute it again. */
const encodeId = (...parts: string[]): string => Buffer.from(parts.join("\n")).toString("base64url");

export function toSittingId(event: ScheduledEvent, session: Session): string {
  return encodeId("sitting", event.id, session.id);
}

/** Derives the id from the slot's fields, because a slot has no record: the id is the same in every response. */
export function toSlotId(experience: Experience, slot: Slot): string {
  return encodeId("slot", experience.id, slot.location_id, slot.start_time, slot.end_time);
}
