// The calendar screen: a week of events with seats and booking states, in local time or UTC, with clock changes.
import type { Schemas } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Button, Empty, Loading, Problem } from "../parts/primitives.tsx";
import { useRead } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";

export function Calendar() {
  const [from, isUtc] = [getQuery("week"), getQuery("reading") === "utc"];
  // The sandbox returns the current week by default.
  const { data, problem } = useRead("/_sandbox/calendar", {
    query: { from: from || undefined, zone: isUtc ? "UTC" : undefined },
  });
  // Weeks are moved in calendar days, not in periods of 24 hours.
  const move = (days: number) => data && setQuery({ week: addDays(from || data.from, days) });
  const toUtc = () => setQuery({ reading: isUtc ? undefined : "utc" });
  useKeys({
    h: { help: "week before", run: () => move(-7) },
    l: { help: "next week", run: () => move(7) },
    n: { help: "this week", run: () => setQuery({ week: undefined }) },
    u: { help: "local or UTC time", run: toUtc },
  });
  if (!data) return <Loading problem={problem} />;
  return (
    <>
      <div class="bar">
        <h2>
          {data.from} – {addDays(data.to, -1)}
        </h2>
        <span class="quiet">{data.timezone}</span>
        <span class="grow" />
        <Button onClick={() => move(-7)}>Week before</Button>
        <Button onClick={() => setQuery({ week: undefined })}>This week</Button>
        <Button onClick={() => move(7)}>Next week</Button>
        <Button aria-pressed={isUtc} onClick={toUtc}>
          UTC
        </Button>
      </div>
      <Problem text={problem} />
      {data.experiences.length === 0 ? (
        <Empty title="This world has no experience that is on sale.">
          <p>
            Make one by <a href={toHref("acts", ["createExperience"])}>createExperience</a>, or{" "}
            <a href={toHref("worlds")}>a world</a> of a fixture that has some.
          </p>
        </Empty>
      ) : (
        <WeekTable week={data} />
      )}
    </>
  );
}

/** Returns the date `days` after a date such as "2030-06-01". */
function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Formats a date as "Sat 01.06.". */
function formatDay(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" });
  return `${weekday} ${day.slice(8)}.${day.slice(5, 7)}.`;
}

type Week = Schemas["Calendar"];
type Day = Week["days"][number];
type WeekRow = Week["experiences"][number];

/** One row per experience, one column per day. The table scrolls horizontally, because seven days may be wider than the screen. */
function WeekTable({ week: { days, experiences, zone, timezone } }: { week: Week }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="scroll" aria-label="Week" tabIndex={0}>
      <table class="week">
        <thead>
          <tr>
            <th scope="col">Experience</th>
            {days.map((day) => (
              <DayHeading key={day.day} {...day} />
            ))}
          </tr>
        </thead>
        <tbody>
          {experiences.map((row) => (
            <ExperienceRow key={row.id} row={row} heads={days} home={zone === undefined ? timezone : undefined} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A clock change is more important than today's mark. */
const getDayMark = ({ is_today, clock_changes }: Day): string =>
  clock_changes.length > 0 ? "moved-day" : is_today ? "today" : "";

/** A day with a clock change has 23 or 25 hours. The heading shows it, because the gap would look like a mistake. */
function DayHeading({ day, is_today, clock_changes }: Day) {
  return (
    <th scope="col" class={is_today ? "today" : ""} aria-current={is_today ? "date" : undefined}>
      {formatDay(day)}
      {clock_changes.map(({ timezone, from, to, hours }) => (
        <p key={timezone} class="tone warn" title={`In ${timezone} the clocks are put from ${from} to ${to}.`}>
          {from} → {to}, {hours} h
        </p>
      ))}
    </th>
  );
}

/** The sessions and openings of one experience, day by day. */
function ExperienceRow({ row, heads, home }: { row: WeekRow; heads: readonly Day[]; home: string | undefined }) {
  return (
    <tr>
      <th scope="row">
        <a href={toHref("records", ["experiences", row.id])}>{row.title}</a>
        {row.state !== "ACTIVE" && <span class="quiet"> {row.state}</span>}
      </th>
      {row.days.map(({ day, sessions, openings }, at) => (
        <td key={day} class={heads[at] && getDayMark(heads[at])}>
          {sessions.map((session) => (
            <SessionCard key={session.event_id + session.session_id} {...session} home={home} />
          ))}
          {openings.map((opening, index) => (
            <OpeningLink key={index} {...opening} experience={row.id} />
          ))}
        </td>
      ))}
    </tr>
  );
}

/** The mark of a session, by the code with which the API rejects a booking. */
const MARKS: Readonly<Record<string, string>> = {
  EVENT_NOT_ACTIVE: "off",
  EVENT_PAST_CUTOFF: "closed",
  EVENT_EXCLUSIVITY_LOCKED: "locked",
  NOT_ENOUGH_RESOURCES: "full",
};

const formatTime = (time: string): string => time.slice(11, 16);
/** Returns "Copenhagen" for "Europe/Copenhagen". */
const toCityName = (zone: string): string => (zone.split("/").at(-1) ?? zone).replaceAll("_", " ");

/** A session as a link to its event. */
function SessionCard(session: WeekRow["days"][number]["sessions"][number] & { home: string | undefined }) {
  const { event_id, number, of, from, to, timezone, sold, capacity, reason, note, state } = session;
  // The colour shows why the session can't be booked; the tooltip has the sentence.
  const mark = state === "COMPLETED" ? "over" : reason ? (MARKS[reason.code] ?? "off") : "open";
  const why = reason?.message ?? `Can be booked until ${session.closes_at}.`;
  const title = [`${event_id}: ${why}`, note, `Starts ${session.starts_at}, ${timezone}.`].filter(Boolean).join(" ");
  return (
    <a class={`showing ${mark}`} href={toHref("records", ["events", event_id])} title={title}>
      <span>
        {formatTime(from)}–{formatTime(to)} {of > 1 && `${number}/${of}`}
      </span>
      <span class="quiet">
        {sold}/{capacity} {mark !== "open" && mark}
        {session.visibility === "PRIVATE" && " private"}
      </span>
      {session.home && timezone !== session.home && <span class="quiet small">{toCityName(timezone)}</span>}
      <progress max={Math.max(1, capacity)} value={sold} aria-label={`${sold} of ${capacity} sold`} />
    </a>
  );
}

/** The hours of an opening rule, as a link to the act that books a slot. */
function OpeningLink(opening: WeekRow["days"][number]["openings"][number] & { experience: string }) {
  const { from, to, free, of, capacity, duration, location_id, timezone, slots, experience } = opening;
  // The link fills the form with the first slot that can be booked.
  const start_time = (slots.find(({ bookable }) => bookable) ?? slots[0])?.start_time;
  const input = JSON.stringify({ experience_id: experience, start_time, location_id });
  return (
    <a
      class="showing slots"
      href={toHref("acts", ["bookTimeslot"], { input })}
      title={`Slots of ${duration} with ${capacity} seats each at ${location_id}, ${timezone}`}
    >
      {formatTime(from)}–{formatTime(to)} {free}/{of} slots free
    </a>
  );
}
