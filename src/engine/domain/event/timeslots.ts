// Lists timeslots: times that the opening rules of an experience offer where no event exists yet. A host who books one
// creates the event. Assumption: timeslots.

import { getZone } from "../catalogue/location.ts";
import { reject } from "../kernel/domain-error.ts";
import {
  addToLocal,
  after,
  before,
  countDays,
  fromLocal,
  getWeekday,
  type Instant,
  isLocal,
  shiftLocal,
  toLocal,
} from "../kernel/instant.ts";
import type { Experience, OpeningRule, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { createEvent } from "./event.ts";
import { toCutoff } from "./sessions.ts";

export interface Slot
  extends Pick<Session, "start_time" | "end_time" | "timezone" | "location_id" | "starts_at" | "ends_at"> {
  capacity: number;
}

/** Slots are offered up to this far ahead, so that a list of slots has an end. */
const HORIZON = "P2Y";

/** A slot with the rule that offers it, and whether an event of the experience takes place there at that time. */
export interface OfferedSlot extends Slot {
  rule: OpeningRule;
  isTaken: boolean;
}

/** Lists the slots that start in the span, in order. If two rules offer the same slot, the first counts, as in a booking. */
export function listSlots(tx: Transaction, experience: Experience, from: Instant, until: Instant): OfferedSlot[] {
  if (experience.state !== "ACTIVE") return [];
  const horizon = after(tx.now, HORIZON);
  // Instants compare as text.
  const end = until < horizon ? until : horizon;
  const events = tx.events.where("experience", experience.id).filter((event) => event.state !== "CANCELLED");
  // Events of other experiences don't count: two experiences may share a place.
  const taken = events.flatMap((event) => event.sessions);
  const slots = experience.opening_rules
    .flatMap((rule) => getSlots(tx, rule, from, end).map((slot) => ({ ...slot, rule, isTaken: !isFree(taken, slot) })))
    .sort((a, b) => (a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : 0));
  if (experience.opening_rules.length < 2) return slots;
  const seen = new Set<string>();
  return slots.filter(({ location_id, start_time, end_time }) => {
    const key = `${location_id} ${start_time} ${end_time}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** Lists the slots that no event has taken. */
export function listFreeSlots(tx: Transaction, experience: Experience, from: Instant, until: Instant): OfferedSlot[] {
  return listSlots(tx, experience, from, until).filter(({ isTaken }) => !isTaken);
}

/**
 * Creates the event of a free slot. `startTime` is local to the slot's place. Rejects with SLOT_NOT_FREE,
 * SLOT_SKIPPED, EVENT_PAST_CUTOFF or INVALID_INPUT.
 */
export function claimSlot(
  tx: Transaction,
  experience: Experience,
  startTime: string,
  { locationId, eventId }: { locationId?: string | undefined; eventId?: string | undefined } = {},
): ScheduledEvent {
  if (!isLocal(startTime)) {
    reject("INVALID_INPUT", { path: "body.start_time", what: `${startTime} is not a local date-time.` });
  }
  // The slot starts, in any zone, within a day of the same time in UTC.
  const near = fromLocal(startTime, "UTC");
  const span = [before(near, "P1D"), after(near, "P1D")] as const;
  const wanted = startTime.slice(0, 19).padEnd(19, ":00");
  const isWanted = ({ start_time, location_id }: Slot) =>
    start_time === wanted && (locationId ?? location_id) === location_id;
  const slot = listFreeSlots(tx, experience, ...span).find((each) => isWanted(each) && each.starts_at > tx.now);
  if (!slot) {
    // The rule offers the slot on most days; the error explains that the clocks skip it on this one.
    const skipped = experience.opening_rules.flatMap((rule) => makeSlots(tx, rule, ...span)).find(isWanted);
    return skipped && isSkipped(skipped)
      ? reject("SLOT_SKIPPED", { start_time: startTime, timezone: skipped.timezone })
      : reject("SLOT_NOT_FREE", { experience_id: experience.id, start_time: startTime });
  }
  const { start_time, end_time, location_id, capacity } = slot;
  // Such an event would be closed immediately after its creation.
  const cutoff = toCutoff([slot], experience.booking_cutoff).cutoff_at;
  if (cutoff <= tx.now)
    reject("EVENT_PAST_CUTOFF", { event: toSlotName(start_time), cutoff, now: tx.now, advice: "Choose a later one." });
  const input = { experience_id: experience.id, capacity, sessions: [{ start_time, end_time, location_id }] };
  return createEvent(tx, eventId ? { ...input, id: eventId } : input);
}

/** Formats the name of a slot without an event for messages. */
export function toSlotName(start_time: string): string {
  return `The timeslot at ${start_time}`;
}

function getSlots(tx: Transaction, rule: OpeningRule, from: Instant, until: Instant): Slot[] {
  return makeSlots(tx, rule, from, until).filter((slot) => !isSkipped(slot));
}

/** Whether the slot would start in an hour that the clocks skip on that day. */
function isSkipped({ start_time, starts_at, timezone }: Slot): boolean {
  return toLocal(starts_at, timezone) !== start_time;
}

/** Lists the slots of a rule, including those in skipped hours. */
function makeSlots(tx: Transaction, rule: OpeningRule, from: Instant, until: Instant): Slot[] {
  const location = tx.locations.get(rule.location_id);
  if (!location || location.removed_at) return [];
  const timezone = getZone(tx, location);
  const slots: Slot[] = [];
  const first = `${toLocal(from, timezone).slice(0, 10)}T00:00:00`;
  // Days are counted, because no day follows the last one that a date can express.
  const days = countDays(first, toLocal(until, timezone));
  for (let ahead = 0; ahead <= days; ahead++) {
    const day = shiftLocal(first, ahead);
    if (!rule.weekdays.includes(getWeekday(day))) continue;
    // Local time has no 24:00.
    const closes = rule.to === "24:00" ? shiftLocal(day, 1) : `${day.slice(0, 10)}T${rule.to}`.padEnd(19, ":00");
    let start_time = `${day.slice(0, 10)}T${rule.from}`.padEnd(19, ":00");
    for (
      let end_time = addToLocal(start_time, rule.duration);
      end_time <= closes;
      end_time = addToLocal(start_time, rule.duration)
    ) {
      const starts_at = fromLocal(start_time, timezone);
      const slot = { start_time, end_time, timezone, location_id: rule.location_id, capacity: rule.capacity };
      if (starts_at >= from && starts_at < until)
        slots.push({ ...slot, starts_at, ends_at: fromLocal(end_time, timezone) });
      // An empty duration would make this loop endless.
      if (end_time <= start_time) break;
      start_time = end_time;
    }
  }
  return slots;
}

/** Whether no session at the same place overlaps the slot, ends not included. */
function isFree(taken: readonly Session[], slot: Slot): boolean {
  return !taken.some(
    ({ location_id, starts_at, ends_at }) =>
      location_id === slot.location_id && starts_at < slot.ends_at && slot.starts_at < ends_at,
  );
}
