// The grid of a week: one row per experience, one column per day, with events and free slots.
import type { Schemas } from "../api.ts";
import { toHref } from "../router.ts";
import { formatDay } from "./days.ts";

type Week = Schemas["Calendar"];
type Day = Week["days"][number];
type WeekRow = Week["experiences"][number];

/** The table scrolls horizontally, because seven days may be wider than the screen. */
export function WeekTable({ week: { days, experiences, zone, timezone } }: { week: Week }) {
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

/** A day with a clock change has 23 or 25 hours. The heading shows it, because the gap would look like a mistake. */
function DayHeading({ day, is_today, clock_changes }: Day) {
  return (
    <th scope="col" class={is_today ? "today" : undefined} aria-current={is_today ? "date" : undefined}>
      {formatDay(day)}
      {clock_changes.map(({ timezone, from, to, hours }) => (
        <span key={timezone} class="moved" title={`In ${timezone} the clocks are put from ${from} to ${to}.`}>
          {from} → {to}, {hours} h
        </span>
      ))}
    </th>
  );
}

/** The sessions and openings of one experience, day by day. */
function ExperienceRow({ row, heads, home }: { row: WeekRow; heads: readonly Day[]; home: string | undefined }) {
  // A clock change is more important than today's mark.
  const marks = heads.map(({ is_today, clock_changes }) =>
    clock_changes.length > 0 ? "moved-day" : is_today ? "today" : undefined,
  );
  return (
    <tr>
      <th scope="row">
        <a href={toHref("records", ["experiences", row.id])}>{row.title}</a>
        {row.state !== "ACTIVE" && <span class="quiet"> {row.state}</span>}
      </th>
      {row.days.map(({ day, sessions, openings }, at) => (
        <td key={day} class={marks[at]} data-column={formatDay(day)}>
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

type Session = WeekRow["days"][number]["sessions"][number];

/** A session as a link to its event. */
function SessionCard(session: Session & { home: string | undefined }) {
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
      <span class="seats">
        {sold}/{capacity} {mark !== "open" && mark}
        {session.visibility === "PRIVATE" && " private"}
      </span>
      {session.home && timezone !== session.home && <span class="quiet small">{toCityName(timezone)}</span>}
      <progress max={Math.max(1, capacity)} value={sold} aria-label={`${sold} of ${capacity} sold`} />
    </a>
  );
}

type Opening = WeekRow["days"][number]["openings"][number];

/** The hours of an opening rule, as a link to the act that books a slot. */
function OpeningLink({
  from,
  to,
  free,
  of,
  capacity,
  duration,
  location_id,
  timezone,
  slots,
  experience,
}: Opening & { experience: string }) {
  // The link fills the form with the first slot that can be booked.
  const start_time = (slots.find(({ bookable }) => bookable) ?? slots[0])?.start_time;
  const input = JSON.stringify({ experience_id: experience, start_time, location_id });
  return (
    <a
      class="slots"
      href={toHref("acts", ["bookTimeslot"], { input })}
      title={`Slots of ${duration} with ${capacity} seats each at ${location_id}, ${timezone}`}
    >
      {formatTime(from)}–{formatTime(to)} {free}/{of} slots free
    </a>
  );
}
