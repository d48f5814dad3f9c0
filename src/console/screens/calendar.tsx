// The calendar screen: a week of events with seats and booking states, in local time or UTC, with clock changes.
import { unwrap } from "../api.ts";
import { addDays } from "../calendar/days.ts";
import { WeekTable } from "../calendar/week-table.tsx";
import { useKeys } from "../keys.ts";
import { Button, Empty, Loading, Problem } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, setQuery, toHref } from "../router.ts";
import { worldVersion } from "../stores/world-version.ts";

export function Calendar() {
  const [from, isUtc] = [getQuery("week"), getQuery("reading") === "utc"];
  const { data, problem } = useQuery([from, isUtc, worldVersion.value], (api) => {
    // The sandbox returns the current week by default.
    const span = { ...(from && { from }), ...(isUtc && { zone: "UTC" }) };
    return unwrap(api.GET("/_sandbox/calendar", { params: { query: span } }));
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
