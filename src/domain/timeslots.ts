// Timeslots: what the opening rules of an experience offer where no event is yet. A host books one and so makes the event.
// Assumption: timeslots.
import type { Desk } from "./desk.ts";
import { createEvent } from "./event.ts";
import {
  after,
  before,
  type Instant,
  instantToLocal,
  isLocal,
  localAfter,
  localToInstant,
  shiftLocal,
  weekday,
} from "./instant.ts";
import { zoneOf } from "./location.ts";
import type { Experience, OpeningRule, ScheduledEvent, Session } from "./records.ts";
import { refuse } from "./refusal.ts";

export interface Slot
  extends Pick<Session, "start_time" | "end_time" | "timezone" | "location_id" | "starts_at" | "ends_at"> {
  capacity: number;
}

/** Nothing is offered further ahead, so that a list of slots has an end. */
const HORIZON = "P2Y";

/** The free slots that start in the span, in order. */
export function freeSlots(desk: Desk, experience: Experience, from: Instant, until: Instant): Slot[] {
  if (experience.state !== "ACTIVE") return [];
  const horizon = after(desk.now, HORIZON);
  const end = until < horizon ? until : horizon;
  const slots = experience.opening_rules.flatMap((rule) => slotsOf(desk, rule, from, end));
  const events = desk.events.where("experience", experience.id).filter((event) => event.state !== "CANCELLED");
  const taken = events.flatMap((event) => event.sessions);
  return slots
    .filter((slot) => isFree(taken, slot))
    .sort((a, b) => (a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : 0));
}

/** Makes the event of a free slot. */
export function claimSlot(
  desk: Desk,
  experience: Experience,
  startTime: string,
  locationId?: string,
  eventId?: string,
): ScheduledEvent {
  if (!isLocal(startTime)) {
    refuse("INVALID_INPUT", { place: "body.start_time", what: `${startTime} is not a local date-time.` });
  }
  // Wherever on earth the slot is, it starts within a day of the same time in UTC.
  const near = localToInstant(startTime, "UTC");
  const span = [before(near, "P1D"), after(near, "P1D")] as const;
  const wanted = startTime.slice(0, 19).padEnd(19, ":00");
  const slot = freeSlots(desk, experience, ...span).find(
    ({ start_time, location_id, starts_at }) =>
      start_time === wanted && starts_at > desk.now && (locationId ?? location_id) === location_id,
  );
  if (!slot) return refuse("SLOT_NOT_FREE", { experience_id: experience.id, start_time: startTime });
  const { start_time, end_time, location_id, capacity } = slot;
  const wish = { experience_id: experience.id, capacity, sessions: [{ start_time, end_time, location_id }] };
  return createEvent(desk, eventId ? { ...wish, id: eventId } : wish);
}

function slotsOf(desk: Desk, rule: OpeningRule, from: Instant, until: Instant): Slot[] {
  const location = desk.locations.get(rule.location_id);
  if (!location || location.removed_at) return [];
  const timezone = zoneOf(desk, location);
  const slots: Slot[] = [];
  const last = instantToLocal(until, timezone);
  for (let day = `${instantToLocal(from, timezone).slice(0, 10)}T00:00:00`; day <= last; day = shiftLocal(day, 1)) {
    if (!rule.weekdays.includes(weekday(day))) continue;
    const closes = `${day.slice(0, 10)}T${rule.to}`.padEnd(19, ":00");
    let start_time = `${day.slice(0, 10)}T${rule.from}`.padEnd(19, ":00");
    for (
      let end_time = localAfter(start_time, rule.duration);
      end_time <= closes;
      end_time = localAfter(start_time, rule.duration)
    ) {
      const starts_at = localToInstant(start_time, timezone);
      const slot = { start_time, end_time, timezone, location_id: rule.location_id, capacity: rule.capacity };
      if (starts_at >= from && starts_at < until)
        slots.push({ ...slot, starts_at, ends_at: localToInstant(end_time, timezone) });
      if (end_time <= start_time) break;
      start_time = end_time;
    }
  }
  return slots;
}

function isFree(taken: readonly Session[], slot: Slot): boolean {
  return !taken.some(
    ({ location_id, starts_at, ends_at }) =>
      location_id === slot.location_id && starts_at < slot.ends_at && slot.starts_at < ends_at,
  );
}
