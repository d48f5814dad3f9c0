// The grid of a week: days across, experiences down, in each cell its events and free slots.
import { href } from "../router.ts";
import type { Day, Row, Showing, Slots, Week } from "./records.ts";

export function WeekTable({ week: { days, rows, zone } }: { week: Week }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard
    <section class="scroll" aria-label="Week" tabIndex={0}>
      <table class="week">
        <thead>
          <tr>
            <th scope="col">Experience</th>
            {days.map((day) => (
              <Head key={day.day} {...day} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.id} row={row} days={days} zone={zone} />
          ))}
        </tbody>
      </table>
    </section>
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
