// A week of a world as a grid: a row for each experience, a column for each day, in each cell what takes place: sold of how many,
// whether it can be booked and why not, and the free slots of opening rules.
import type { EventRecord, ExperienceRecord, Mark, SessionRecord, Showing, Week } from "./records.ts";
import { slotsOn } from "./slots.ts";
import { clockChangeOn, dayAfter, localOf } from "./zone.ts";

interface WeekInput {
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
  // Opening rules are local times.
  const isOffered = ({ state }: ExperienceRecord) => state === "ACTIVE" && reading === "local";
  const days = Array.from({ length: 7 }, (_, at) => dayAfter(monday, at));
  const rows = experiences.map((experience) => {
    const own = live.filter((event) => event.experience_id === experience.id);
    const cells = days.map((day) => ({
      showings: own.flatMap((event) => showingsOn(day, event, experience, now, reading)).sort(byTime),
      slots: isOffered(experience) ? slotsOn(day, experience, own, zone, now) : [],
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
