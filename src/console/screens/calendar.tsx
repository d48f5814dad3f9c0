// A week of the world: what takes place when, how many seats are sold, and why an event can't be booked; in local or in UTC time, with
// the nights on which clocks are moved.
import { useAsked } from "../asked.ts";
import type { EventRecord, ExperienceRecord } from "../calendar/records.ts";
import { weekOf } from "../calendar/week.ts";
import { WeekTable } from "../calendar/week-table.tsx";
import { dayAfter, mondayOf } from "../calendar/zone.ts";
import { useKeys } from "../keys.ts";
import { Empty, Problem } from "../parts/bits.tsx";
import { allOf } from "../records/all.ts";
import { query, setQuery, worldId } from "../router.ts";
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
        <WeekTable week={week} />
      )}
    </>
  );
}
