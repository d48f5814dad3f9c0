// A week of the world: what takes place when, how many seats are sold, and why an event can't be booked; in local or in UTC time, with
// the nights on which clocks are moved.
import { useAsked } from "../asked.ts";
import {
  type Day,
  type EventRecord,
  type ExperienceRecord,
  type Row,
  type Showing,
  type Slots,
  weekOf,
} from "../calendar/week.ts";
import { dayAfter, mondayOf } from "../calendar/zone.ts";
import { useKeys } from "../keys.ts";
import { Empty, Problem } from "../parts/bits.tsx";
import { allOf } from "../records/all.ts";
import { href, query, setQuery, worldId } from "../router.ts";
import { newest } from "../stores/newest.ts";
import { sandbox } from "../stores/world.ts";

export function Calendar() {
  const { data, problem } = useAsked(
    () => Promise.all([allOf("events"), allOf("experiences")]),
    [worldId.value, newest.value],
  );
  const now = sandbox.value?.now;
  const monday = mondayOf(query("week") || (now ?? "").slice(0, 10) || "1970-01-01");
  const reading = query("reading") === "utc" ? "utc" : "local";
  const move = (days: number) => setQuery({ week: dayAfter(monday, days) });
  useKeys({
    h: { does: "week before", run: () => move(-7) },
    l: { does: "next week", run: () => move(7) },
    n: { does: "this week", run: () => setQuery({ week: undefined }) },
    u: { does: "local or UTC time", run: () => setQuery({ reading: reading === "utc" ? undefined : "utc" }) },
  });
  if (!data || !now) return <Problem text={problem} />;
  const [events, experiences] = data;
  const week = weekOf({
    monday,
    now,
    reading,
    events: events.items as unknown as EventRecord[],
    experiences: experiences.items as unknown as ExperienceRecord[],
  });
  return (
    <>
      <div class="bar">
        <h2>
          {monday} – {dayAfter(monday, 6)}
        </h2>
        <span class="quiet">{week.zone}</span>
        <span class="grow" />
        <button type="button" onClick={() => move(-7)}>
          Week before
        </button>
        <button type="button" onClick={() => setQuery({ week: undefined })}>
          This week
        </button>
        <button type="button" onClick={() => move(7)}>
          Next week
        </button>
        <button
          type="button"
          aria-pressed={reading === "utc"}
          onClick={() => setQuery({ reading: reading === "utc" ? undefined : "utc" })}
        >
          UTC
        </button>
      </div>
      {!events.isAll && <p class="problem">Only the latest {events.items.length} events are shown.</p>}
      {week.rows.length === 0 ? (
        <Empty title="This world has no experience that is on sale." />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
        <section class="scroll" aria-label="Week" tabIndex={0}>
          <table class="week">
            <thead>
              <tr>
                <th scope="col">Experience</th>
                {week.days.map((day) => (
                  <Head key={day.day} {...day} />
                ))}
              </tr>
            </thead>
            <tbody>
              {week.rows.map((row) => (
                <Line key={row.id} row={row} days={week.days} zone={week.zone} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function Head({ day, isToday, change }: Day) {
  const weekday = WEEKDAYS[(new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7];
  return (
    <th scope="col" class={isToday ? "today" : undefined} aria-current={isToday ? "date" : undefined}>
      {weekday} {day.slice(8)}.{day.slice(5, 7)}.
      {change && (
        <span class="moved" title={`At ${change.from} the clocks are put to ${change.to}.`}>
          {change.from} → {change.to}, {change.hours} h
        </span>
      )}
    </th>
  );
}

function Line({ row, days, zone }: { row: Row; days: readonly Day[]; zone: string }) {
  return (
    <tr>
      <th scope="row">
        <a href={href("records", ["experiences", row.id])}>{row.name}</a>
        {row.state !== "ACTIVE" && <span class="quiet"> {row.state}</span>}
      </th>
      {row.cells.map(({ showings, slots }, at) => (
        <td key={days[at]?.day} class={days[at]?.change ? "moved-day" : days[at]?.isToday ? "today" : undefined}>
          {showings.map((showing) => (
            <Card key={showing.event + showing.part} {...showing} shown={zone} />
          ))}
          {slots.map((each) => (
            <Free key={each.from} {...each} experience={row.id} day={days[at]?.day ?? ""} />
          ))}
        </td>
      ))}
    </tr>
  );
}

const MARKS = { open: "", full: "full", locked: "locked", closed: "closed", off: "off", over: "over" } as const;

function Card({
  event,
  part,
  from,
  to,
  utc,
  zone,
  shown,
  sold,
  total,
  mark,
  why,
  isPrivate,
}: Showing & { shown: string }) {
  const elsewhere = zone !== shown && shown !== "UTC" ? ` ${zone}` : "";
  return (
    <a class={`showing ${mark}`} href={href("records", ["events", event])} title={`${event}: ${why} Starts ${utc}.`}>
      <span>
        {from}–{to}
        {elsewhere} {part}
      </span>
      <span class="seats">
        {sold}/{total} {MARKS[mark]}
        {isPrivate && " private"}
      </span>
      <progress max={Math.max(1, total)} value={sold} aria-label={`${sold} of ${total} sold`} />
    </a>
  );
}

function Free({
  from,
  to,
  free,
  of,
  capacity,
  duration,
  experience,
  day,
}: Slots & { experience: string; day: string }) {
  const input = JSON.stringify({ experience_id: experience, start_time: `${day}T${from}:00` });
  return (
    <a
      class="slots"
      href={href("acts", ["bookTimeslot"], { input })}
      title={`Slots of ${duration} with ${capacity} seats each`}
    >
      {from}–{to} {free}/{of} slots free
    </a>
  );
}
