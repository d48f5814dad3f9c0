// What takes place on some days, and what could: each session and each slot of opening hours, whether it can be booked, and why not.
// It decides nothing: both availabilities and the checks of a booking do. Assumptions: availability-which, timeslots, local-time.
import { inLanguage } from "../catalogue/language.ts";
import { zoneOfCompany } from "../catalogue/location.ts";
import { DomainError } from "../kernel/domain-error.ts";
import { fromMillis, type Instant, instantToLocal, localToInstant, shiftLocal, toMillis } from "../kernel/instant.ts";
import type { Experience, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { stretchAt } from "../kernel/zone.ts";
import { eventAvailability, slotAvailability } from "./availability.ts";
import { readWindow } from "./local-time-window.ts";
import { mustBeOpen } from "./opening.ts";
import { cutoffOf } from "./sessions.ts";
import { type OfferedSlot, offeredSlots } from "./timeslots.ts";

/** Days from the first to the one before the last, each `YYYY-MM-DD`. Without a zone, each place has its own. */
export interface CalendarSpan {
  from: string;
  to: string;
  zone?: string | undefined;
}

type CalendarSession = ReturnType<typeof sessionView> & ReturnType<typeof bookability>;
type CalendarOpening = ReturnType<typeof openingView>;

/** One row per experience and one cell per day, empty ones too, so that a table needs no sums. */
export function calendar(tx: Transaction, span: CalendarSpan) {
  const days = daysOf(span);
  const company = tx.company.get("company");
  const storefront = company?.languages ?? [];
  const sessions = sessionsIn(tx, span);
  const zones = new Set<string>();
  const experiences = [...tx.experiences.walk("ever")].flatMap((experience) => {
    const { id, state, name } = experience;
    const own = sessions.get(id) ?? [];
    // An archived experience shows while events of it are left.
    if (state !== "ACTIVE" && own.length === 0) return [];
    const openings = openingsIn(tx, experience, span);
    for (const { timezone } of [...own, ...openings]) zones.add(span.zone ?? timezone);
    const cells = days.map((day) => ({
      day,
      sessions: own.filter(({ from }) => from.startsWith(day)),
      openings: openings.filter(({ from }) => from.startsWith(day)),
    }));
    return [{ id, state, title: inLanguage(name, storefront[0] ?? "en", storefront), days: cells }];
  });
  const home = span.zone ?? zoneOfCompany(company);
  const today = instantToLocal(tx.now, home).slice(0, 10);
  const heads = days.map((day) => ({
    day,
    is_today: day === today,
    clock_changes: [...zones].sort().flatMap((zone) => clockChangeOn(day, zone) ?? []),
  }));
  return { ...span, now: tx.now, timezone: home, days: heads, experiences };
}

function daysOf({ from, to }: Pick<CalendarSpan, "from" | "to">): string[] {
  const days: string[] = [];
  for (let day = from; day < to; day = dayAfter(day)) days.push(day);
  return days;
}

const midnight = (day: string) => `${day}T00:00:00`;
// By the calendar, not by 24 hours: days at a change of the clocks have 23 or 25.
const dayAfter = (day: string) => shiftLocal(midnight(day), 1).slice(0, 10);

/** Every session that starts in the span, by the experience of its event. */
function sessionsIn(tx: Transaction, span: CalendarSpan): Map<string, CalendarSession[]> {
  // Wide enough for every zone; `holds` decides for the zone of each session.
  const window = readWindow(midnight(span.from), midnight(span.to), "query");
  const { earliest: from = "", latest: until = "" } = window;
  const events = new Map<string, ScheduledEvent>();
  // An event stands in this index once for each session.
  for (const event of tx.events.walk("start", { from, until })) events.set(event.id, event);
  const found = new Map<string, CalendarSession[]>();
  for (const event of events.values()) {
    const inside = event.sessions.filter(({ starts_at, timezone }) =>
      window.holds({ starts_at, timezone: span.zone ?? timezone }),
    );
    if (inside.length === 0) continue;
    // Once per event: its sessions are booked together.
    const bookable = bookability(tx, event);
    const sessions = inside.map((session) => ({ ...sessionView(event, session, span.zone), ...bookable }));
    const beside = found.get(event.experience_id);
    if (beside) beside.push(...sessions);
    else found.set(event.experience_id, sessions);
  }
  for (const sessions of found.values()) sessions.sort((a, b) => a.starts_at.localeCompare(b.starts_at));
  return found;
}

function sessionView(event: ScheduledEvent, session: Session, zone: string | undefined) {
  const { id: session_id, timezone, location_id, starts_at, ends_at } = session;
  const { total: capacity, reserved: sold } = event.capacity;
  const [from, to] = zone
    ? [instantToLocal(starts_at, zone), instantToLocal(ends_at, zone)]
    : [session.start_time, session.end_time];
  const of = event.sessions.length;
  // Counted from 1, for people.
  const number = event.sessions.findIndex(({ id }) => id === session_id) + 1;
  const note = whereClocksMove(session);
  return {
    ...{ event_id: event.id, session_id, number, of, state: event.state, visibility: event.visibility },
    ...{ from, to, timezone, location_id, starts_at, ends_at, sold, capacity, closes_at: event.cutoff_at },
    ...(note && { note }),
  };
}

/** Whether the event can be booked, by its availability; why not, by what a booking would be refused with. */
function bookability(tx: Transaction, event: ScheduledEvent): { bookable: boolean; reason?: Reason } {
  const { available, constraints } = eventAvailability(tx, event);
  if (available) return { bookable: true };
  const experience = tx.experiences.get(event.experience_id);
  try {
    // The check of a booking, so that the calendar gives the very reason that a guest would get.
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

/** The hours of each opening rule on each day, with their slots. */
function openingsIn(tx: Transaction, experience: Experience, span: CalendarSpan): CalendarOpening[] {
  const window = readWindow(midnight(span.from), midnight(span.to), "query");
  const slots = offeredSlots(tx, experience, window.earliest ?? "", window.latest ?? "");
  const openings = new Map<string, OfferedSlot[]>();
  for (const slot of slots) {
    if (!window.holds({ starts_at: slot.starts_at, timezone: span.zone ?? slot.timezone })) continue;
    const day = instantToLocal(slot.starts_at, span.zone ?? slot.timezone).slice(0, 10);
    // By rule: two rules may open on one day at different hours.
    const key = `${day} ${experience.opening_rules.indexOf(slot.rule)}`;
    const beside = openings.get(key);
    if (beside) beside.push(slot);
    else openings.set(key, [slot]);
  }
  return [...openings.values()].map((own) => openingView(tx, experience, own, span.zone));
}

function openingView(tx: Transaction, experience: Experience, offered: readonly OfferedSlot[], zone?: string) {
  // A group has at least one slot.
  const { rule, timezone, location_id, capacity, starts_at = "" } = offered[0] as OfferedSlot;
  const slots = offered.map((slot) => {
    const code = whyNotSlot(tx, experience, slot);
    const { start_time, starts_at, ends_at } = slot;
    return { start_time, starts_at, ends_at, bookable: code === undefined, ...(code && { code }) };
  });
  const ends_at = offered.at(-1)?.ends_at ?? starts_at;
  return {
    ...{ from: instantToLocal(starts_at, zone ?? timezone), to: instantToLocal(ends_at, zone ?? timezone), timezone },
    ...{ location_id, duration: rule.duration, capacity, of: slots.length },
    free: slots.filter(({ bookable }) => bookable).length,
    slots,
  };
}

/** The code with which booking the slot would be refused. */
function whyNotSlot(tx: Transaction, experience: Experience, slot: OfferedSlot): string | undefined {
  if (slot.isTaken || slot.starts_at <= tx.now) return "SLOT_NOT_FREE";
  if (cutoffOf([slot], experience.booking_cutoff).cutoff_at <= tx.now) return "EVENT_PAST_CUTOFF";
  return slotAvailability(tx, slot, experience).available ? undefined : "NOT_ENOUGH_RESOURCES";
}

/** A session over a change of the clocks lasts other than its times read. */
function whereClocksMove({ start_time, end_time, starts_at, ends_at }: Session): string | undefined {
  // 60,000 milliseconds are a minute.
  const minutes = (from: Instant, to: Instant) => (toMillis(to) - toMillis(from)) / 60_000;
  const [lasts, reads] = [
    minutes(starts_at, ends_at),
    minutes(localToInstant(start_time, "UTC"), localToInstant(end_time, "UTC")),
  ];
  return lasts === reads ? undefined : `The clocks move meanwhile: it lasts ${lasts} minutes, its times read ${reads}.`;
}

/** Where the clocks of a zone are moved on a day: what they read before and after, and how long the day is. */
export function clockChangeOn(day: string, timezone: string) {
  const [begin, end] = [localToInstant(midnight(day), timezone), localToInstant(midnight(dayAfter(day)), timezone)];
  const hours = (toMillis(end) - toMillis(begin)) / 3_600_000;
  if (hours === 24) return undefined;
  // A day may begin with the change.
  const { until, offset } = stretchAt(timezone, toMillis(begin) - 1);
  const clock = (millis: number) => fromMillis(millis).slice(11, 16);
  return { timezone, hours, from: clock(until + offset), to: clock(until + stretchAt(timezone, until).offset) };
}
