// A week of a world as a grid: a row for each experience, a column for each day, in each cell what takes place: sold of how many,
// whether it can be booked and why not, and the free slots of opening rules.
import { type ClockChange, clockChangeOn, dayAfter, instantOf, localOf } from "./zone.ts";

export interface SessionRecord {
  id: string;
  start_time: string;
  end_time: string;
  timezone: string;
  location_id: string;
  starts_at: string;
  ends_at: string;
}
export interface EventRecord {
  id: string;
  state: string;
  visibility?: string;
  experience_id: string;
  capacity: { total: number; reserved: number };
  sessions: readonly SessionRecord[];
  cutoff_at: string;
  locked_by?: string;
  deleted_at?: string;
}
export interface OpeningRule {
  weekdays: readonly number[];
  from: string;
  to: string;
  duration: string;
  location_id: string;
  capacity: number;
}
export interface ExperienceRecord {
  id: string;
  state: string;
  name: Readonly<Record<string, string>>;
  opening_rules?: readonly OpeningRule[];
}

/** Whether an event can be booked now, in the order in which the rules ask. */
export type Mark = "over" | "off" | "closed" | "locked" | "full" | "open";

export interface Showing {
  event: string;
  /** "2/3": the second session of three. */
  part: string;
  from: string;
  to: string;
  utc: string;
  zone: string;
  sold: number;
  total: number;
  mark: Mark;
  why: string;
  isPrivate: boolean;
}
export interface Slots {
  from: string;
  to: string;
  duration: string;
  free: number;
  of: number;
  capacity: number;
}
export interface Day {
  day: string;
  isToday: boolean;
  change: ClockChange | undefined;
}
export interface Row {
  id: string;
  name: string;
  state: string;
  cells: readonly { showings: readonly Showing[]; slots: readonly Slots[] }[];
}
export interface Week {
  zone: string;
  days: readonly Day[];
  rows: readonly Row[];
}

export interface WeekInput {
  monday: string;
  /** The world's clock, an instant. */
  now: string;
  reading: "local" | "utc";
  experiences: readonly ExperienceRecord[];
  events: readonly EventRecord[];
}

export function weekOf({ monday, now, reading, experiences, events }: WeekInput): Week {
  const live = events.filter((event) => !event.deleted_at);
  const zone = reading === "utc" ? "UTC" : commonZone(live);
  const days = Array.from({ length: 7 }, (_, at) => dayAfter(monday, at));
  const rows = experiences.map((experience) => {
    const own = live.filter((event) => event.experience_id === experience.id);
    const cells = days.map((day) => ({
      showings: own.flatMap((event) => showingsOn(day, event, experience, now, reading)).sort(byTime),
      slots: experience.state === "ACTIVE" ? slotsOn(day, experience, own, zone, now, reading) : [],
    }));
    return {
      id: experience.id,
      name: Object.values(experience.name)[0] ?? experience.id,
      state: experience.state,
      cells,
    };
  });
  const today = localOf(Date.parse(now), zone).slice(0, 10);
  return {
    zone,
    days: days.map((day) => ({ day, isToday: day === today, change: clockChangeOn(day, zone) })),
    rows: rows.filter(({ state, cells }) => state === "ACTIVE" || cells.some(({ showings }) => showings.length > 0)),
  };
}

const byTime = (a: Showing, b: Showing) => (a.utc < b.utc ? -1 : a.utc > b.utc ? 1 : 0);

/** The zone of most sessions: that of the days' heads. */
function commonZone(events: readonly EventRecord[]): string {
  const counts = new Map<string, number>();
  for (const { sessions } of events)
    for (const { timezone } of sessions) counts.set(timezone, (counts.get(timezone) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "UTC";
}

function showingsOn(
  day: string,
  event: EventRecord,
  experience: ExperienceRecord,
  now: string,
  reading: WeekInput["reading"],
): Showing[] {
  const [mark, why] = markOf(event, experience, now);
  return event.sessions.flatMap((session, at) => {
    const [from, to] =
      reading === "utc" ? [session.starts_at, session.ends_at] : [session.start_time, session.end_time];
    if (from.slice(0, 10) !== day) return [];
    return [
      {
        event: event.id,
        part: event.sessions.length > 1 ? `${at + 1}/${event.sessions.length}` : "",
        from: from.slice(11, 16),
        to: to.slice(11, 16),
        utc: session.starts_at,
        zone: session.timezone,
        sold: event.capacity.reserved,
        total: event.capacity.total,
        mark,
        why: `${why}${drift(session)}`,
        isPrivate: event.visibility === "PRIVATE",
      },
    ];
  });
}

function markOf(event: EventRecord, { state }: ExperienceRecord, now: string): [Mark, why: string] {
  if (event.state === "COMPLETED") return ["over", "It has taken place."];
  if (event.state !== "ACTIVE") return ["off", `It is ${event.state}.`];
  if (state !== "ACTIVE") return ["off", `Its experience is ${state}.`];
  if (Date.parse(now) >= Date.parse(event.cutoff_at)) return ["closed", `Booking closed at ${event.cutoff_at}.`];
  if (event.locked_by) return ["locked", `Only ${event.locked_by} can take its seats.`];
  const left = event.capacity.total - event.capacity.reserved;
  return left > 0 ? ["open", `Booking closes at ${event.cutoff_at}.`] : ["full", "All seats are sold."];
}

/** A session over a clock change lasts other than its times read. */
function drift({ start_time, end_time, starts_at, ends_at }: SessionRecord): string {
  const read = Date.parse(`${end_time}Z`) - Date.parse(`${start_time}Z`);
  const lasts = Date.parse(ends_at) - Date.parse(starts_at);
  return read === lasts
    ? ""
    : ` The clocks move meanwhile: it lasts ${lasts / 60_000} minutes, its times read ${read / 60_000}.`;
}

/** Within what opening rules offer, less what events of the experience take at the same place. */
function slotsOn(
  day: string,
  { opening_rules = [] }: ExperienceRecord,
  events: readonly EventRecord[],
  zone: string,
  now: string,
  reading: WeekInput["reading"],
): Slots[] {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const taken = events.filter(({ state }) => state !== "CANCELLED").flatMap(({ sessions }) => sessions);
  if (reading === "utc") return [];
  return opening_rules
    .filter(({ weekdays }) => weekdays.includes(weekday + 1))
    .map(({ from, to, duration, capacity, location_id }) => {
      const length = minutesOf(duration);
      const begin = instantOf(`${day}T${from.padEnd(8, ":00")}`, zone);
      const close =
        to === "24:00"
          ? instantOf(`${dayAfter(day, 1)}T00:00:00`, zone)
          : instantOf(`${day}T${to.padEnd(8, ":00")}`, zone);
      const of = length > 0 ? Math.floor((close - begin) / 60_000 / length) : 0;
      const slots = Array.from({ length: of }, (_, at) => begin + at * length * 60_000);
      const isFree = (at: number) =>
        at > Date.parse(now) &&
        !taken.some((session) => {
          const [starts, ends] = [Date.parse(session.starts_at), Date.parse(session.ends_at)];
          return session.location_id === location_id && starts < at + length * 60_000 && at < ends;
        });
      return { from, to, duration, capacity, of, free: slots.filter(isFree).length };
    });
}

/** Minutes of "PT1H30M". */
function minutesOf(duration: string): number {
  const [, hours = "0", minutes = "0"] = /^PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(duration) ?? [];
  return Number(hours) * 60 + Number(minutes);
}
