// Builds the calendar: each session and each slot of the opening hours, whether it can be booked, and why not. The rules are
// those of the availabilities and of bookings. Assumptions: availability-which, timeslots, local-time.
import { translate } from "../catalogue/language.ts";
import { getCompanyZone } from "../catalogue/location.ts";
import { DomainError } from "../kernel/domain-error.ts";
import { fromLocal, fromMillis, type Instant, shiftLocal, toLocal, toMillis } from "../kernel/instant.ts";
import type { Experience, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getStretch } from "../kernel/zone.ts";
import { computeEventAvailability, computeSlotAvailability } from "./availability.ts";
import { readWindow } from "./local-time-window.ts";
import { mustBeOpen } from "./opening.ts";
import { toCutoff } from "./sessions.ts";
import { listSlots, type OfferedSlot } from "./timeslots.ts";

/** Days from `from` up to, not including, `to`, each `YYYY-MM-DD`. Without a zone, each location uses its own. */
export interface CalendarSpan {
  from: string;
  to: string;
  zone?: string | undefined;
}

type CalendarSession = ReturnType<typeof showSession> & ReturnType<typeof checkBookable>;
type CalendarOpening = ReturnType<typeof showOpening>;

/** Returns one row per experience and one cell per day, including empty cells, so that a table needs no calculation. */
export function showCalendar(tx: Transaction, span: CalendarSpan) {
  const days = getDays(span);
  const company = tx.company.get("company");
  const storefront = company?.languages ?? [];
  const sessions = getSessions(tx, span);
  const zones = new Set<string>();
  const experiences = [...tx.experiences.walk("ever")].flatMap((experience) => {
    const { id, state, name } = experience;
    const own = sessions.get(id) ?? [];
    // An archived experience is shown while it has events.
    if (state !== "ACTIVE" && own.length === 0) return [];
    const openings = getOpenings(tx, experience, span);
    for (const { timezone } of [...own, ...openings]) zones.add(span.zone ?? timezone);
    const cells = days.map((day) => ({
      day,
      sessions: own.filter(({ from }) => from.startsWith(day)),
      openings: openings.filter(({ from }) => from.startsWith(day)),
    }));
    return [{ id, state, title: translate(name, storefront[0] ?? "en", storefront), days: cells }];
  });
  const home = span.zone ?? getCompanyZone(company);
  const today = toLocal(tx.now, home).slice(0, 10);
  const heads = days.map((day) => ({
    day,
    is_today: day === today,
    clock_changes: [...zones].sort().flatMap((zone) => findClockChange(day, zone) ?? []),
  }));
  return { ...span, now: tx.now, timezone: home, days: heads, experiences };
}

function getDays({ from, to }: Pick<CalendarSpan, "from" | "to">): string[] {
  const days: string[] = [];
  for (let day = from; day < to; day = getNextDay(day)) days.push(day);
  return days;
}

const toMidnight = (day: string) => `${day}T00:00:00`;
// The next day is found by the calendar: days with a change of the clocks have 23 or 25 hours.
const getNextDay = (day: string) => shiftLocal(toMidnight(day), 1).slice(0, 10);

/** Finds every session that starts in the span, by the experience of its event. */
function getSessions(tx: Transaction, span: CalendarSpan): Map<string, CalendarSession[]> {
  // The window is wide enough for every zone; `holds` checks each session in its own zone.
  const window = readWindow(toMidnight(span.from), toMidnight(span.to), "query");
  const { earliest: from = "", latest: until = "" } = window;
  const events = new Map<string, ScheduledEvent>();
  // The index has one entry per session of an event.
  for (const event of tx.events.walk("start", { from, until })) events.set(event.id, event);
  const found = new Map<string, CalendarSession[]>();
  for (const event of events.values()) {
    const inside = event.sessions.filter(({ starts_at, timezone }) =>
      window.holds({ starts_at, timezone: span.zone ?? timezone }),
    );
    if (inside.length === 0) continue;
    // The check runs once per event, because its sessions are booked together.
    const bookable = checkBookable(tx, event);
    const sessions = inside.map((session) => ({ ...showSession(event, session, span.zone), ...bookable }));
    const beside = found.get(event.experience_id);
    if (beside) beside.push(...sessions);
    else found.set(event.experience_id, sessions);
  }
  for (const sessions of found.values()) sessions.sort((a, b) => a.starts_at.localeCompare(b.starts_at));
  return found;
}

function showSession(event: ScheduledEvent, session: Session, zone: string | undefined) {
  const { id: session_id, timezone, location_id, starts_at, ends_at } = session;
  const { total: capacity, reserved: sold } = event.capacity;
  const [from, to] = zone ? [toLocal(starts_at, zone), toLocal(ends_at, zone)] : [session.start_time, session.end_time];
  const sessionCount = event.sessions.length;
  // People count sessions from 1.
  const number = event.sessions.findIndex(({ id }) => id === session_id) + 1;
  const note = noteClockMove(session);
  return {
    event_id: event.id,
    session_id,
    number,
    of: sessionCount,
    state: event.state,
    visibility: event.visibility,
    from,
    to,
    timezone,
    location_id,
    starts_at,
    ends_at,
    sold,
    capacity,
    closes_at: event.cutoff_at,
    ...(note && { note }),
  };
}

/** Checks whether the event can be booked, by its availability. The reason is the error that a booking would get. */
function checkBookable(tx: Transaction, event: ScheduledEvent): { bookable: boolean; reason?: Reason } {
  const { available, constraints } = computeEventAvailability(tx, event);
  if (available) return { bookable: true };
  const experience = tx.experiences.get(event.experience_id);
  try {
    // A booking runs the same check, so the calendar gives the reason that a guest would get.
    if (experience) mustBeOpen(tx, event, experience);
  } catch (why) {
    if (why instanceof DomainError) return { bookable: false, reason: { code: why.code, message: why.message } };
    throw why;
  }
  const gone = constraints.filter((each) => !each.available).map(({ type }) => type);
  const message = gone.includes("EVENT_SEATS_LIMIT")
    ? `All ${event.capacity.total} seats are sold.`
    : `Nothing can be sold any more: ${gone.join(", ") || "every ticket variant is sold out"}.`;
  return { bookable: false, reason: { code: "NOT_ENOUGH_RESOURCES", message } };
}

interface Reason {
  code: string;
  message: string;
}

/** Groups the slots of each opening rule by day. */
function getOpenings(tx: Transaction, experience: Experience, span: CalendarSpan): CalendarOpening[] {
  const window = readWindow(toMidnight(span.from), toMidnight(span.to), "query");
  const slots = listSlots(tx, experience, window.earliest ?? "", window.latest ?? "");
  const openings = new Map<string, OfferedSlot[]>();
  for (const slot of slots) {
    if (!window.holds({ starts_at: slot.starts_at, timezone: span.zone ?? slot.timezone })) continue;
    const day = toLocal(slot.starts_at, span.zone ?? slot.timezone).slice(0, 10);
    // Two rules may open on one day at different hours, so the key has the rule.
    const key = `${day} ${experience.opening_rules.indexOf(slot.rule)}`;
    const beside = openings.get(key);
    if (beside) beside.push(slot);
    else openings.set(key, [slot]);
  }
  return [...openings.values()].map((own) => showOpening(tx, experience, own, span.zone));
}

function showOpening(tx: Transaction, experience: Experience, offered: readonly OfferedSlot[], zone?: string) {
  // A group has at least one slot.
  const { rule, timezone, location_id, capacity, starts_at = "" } = offered[0] as OfferedSlot;
  const slots = offered.map((slot) => {
    const code = explainSlot(tx, experience, slot);
    const { start_time, starts_at, ends_at } = slot;
    return { start_time, starts_at, ends_at, bookable: code === undefined, ...(code && { code }) };
  });
  const ends_at = offered.at(-1)?.ends_at ?? starts_at;
  return {
    from: toLocal(starts_at, zone ?? timezone),
    to: toLocal(ends_at, zone ?? timezone),
    timezone,
    location_id,
    duration: rule.duration,
    capacity,
    of: slots.length,
    free: slots.filter(({ bookable }) => bookable).length,
    slots,
  };
}

/** Returns the error code that a booking of the slot would get. */
function explainSlot(tx: Transaction, experience: Experience, slot: OfferedSlot): string | undefined {
  if (slot.isTaken || slot.starts_at <= tx.now) return "SLOT_NOT_FREE";
  if (toCutoff([slot], experience.booking_cutoff).cutoff_at <= tx.now) return "EVENT_PAST_CUTOFF";
  return computeSlotAvailability(tx, slot, experience).available ? undefined : "NOT_ENOUGH_RESOURCES";
}

/** Explains that a session over a change of the clocks lasts longer or shorter than its times show. */
function noteClockMove({ start_time, end_time, starts_at, ends_at }: Session): string | undefined {
  // 60,000 milliseconds are a minute.
  const toMinutes = (from: Instant, to: Instant) => (toMillis(to) - toMillis(from)) / 60_000;
  const [lasts, reads] = [
    toMinutes(starts_at, ends_at),
    toMinutes(fromLocal(start_time, "UTC"), fromLocal(end_time, "UTC")),
  ];
  return lasts === reads
    ? undefined
    : `The clocks change during this session: it lasts ${lasts} minutes, but its times are ${reads} minutes apart.`;
}

/** Finds a change of the clocks on a day: the times before and after it, and the length of the day in hours. */
export function findClockChange(day: string, timezone: string) {
  const [begin, end] = [fromLocal(toMidnight(day), timezone), fromLocal(toMidnight(getNextDay(day)), timezone)];
  const hours = (toMillis(end) - toMillis(begin)) / 3_600_000;
  if (hours === 24) return undefined;
  // A day may begin with the change.
  const { until, offset } = getStretch(timezone, toMillis(begin) - 1);
  const toClock = (millis: number) => fromMillis(millis).slice(11, 16);
  return { timezone, hours, from: toClock(until + offset), to: toClock(until + getStretch(timezone, until).offset) };
}
