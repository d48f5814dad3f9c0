// The compare screen: two points in time, and each record that differs between them.
import { count } from "../../platform/count.ts";
import { control, type Schemas, unwrap } from "../api.ts";
import { CauseLabel } from "../parts/cause-label.tsx";
import { ChangeList } from "../parts/changes.tsx";
import { Button, Empty, Field, Instant, Problem, SubmitButton } from "../parts/primitives.tsx";
import { useQuery } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { worldVersion } from "../stores/world-version.ts";

/**
 * Loads the points in time to choose from, newest first: snapshots, and the point after each change and its deliveries.
 */
async function loadPoints() {
  const [snapshots, past] = await Promise.all([
    unwrap(control.peek().GET("/_sandbox/snapshots")),
    unwrap(control.peek().GET("/_sandbox/history", { params: { query: { limit: 100, fold: true } } })),
  ]);
  // `first` is the earliest point that the history keeps.
  return {
    first: String(past.kept.from.seq),
    named: [
      ...snapshots.items.map(({ name, now }) => ({ value: name, label: `snapshot, ${now}` })),
      ...past.items.toReversed().map(({ cause, until, ...change }) => ({
        value: String((until ?? change).seq),
        label: `${change.at} ${cause.id}`,
      })),
    ],
  };
}

export function Compare() {
  const known = useQuery([worldVersion.value], loadPoints);
  // The default is the earliest point that the history keeps.
  const from = getQuery("from") || known.data?.first;
  const to = getQuery("to") || "now";
  const { data, problem } = useQuery([from, to, worldVersion.value], async (api) =>
    from ? unwrap(api.GET("/_sandbox/diff", { params: { query: { from, to } } })) : undefined,
  );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    setQuery({ from: String(given.get("from")).trim(), to: String(given.get("to")).trim() });
  };
  return (
    <>
      <form class="bar moments" onSubmit={submit}>
        <Field label="From">
          {/* The key changes with the address, for example after the back button, so that the field takes the new default. */}
          <input
            key={from}
            name="from"
            list="moments"
            defaultValue={from}
            placeholder="number, instant, id or snapshot"
          />
        </Field>
        <Field label="To">
          <input key={to} name="to" list="moments" defaultValue={to} />
        </Field>
        <datalist id="moments">
          <option value="now" label="current state" />
          {known.data?.named.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
        <SubmitButton>Compare</SubmitButton>
        <Button onClick={() => setQuery({ from: to, to: from })}>Swap</Button>
      </form>
      <Problem text={problem ?? known.problem} />
      {data && (
        <section class="panel">
          <p class="quiet">
            From <Instant at={data.from.at} seconds /> (change {data.from.seq}) to <Instant at={data.to.at} seconds />{" "}
            (change {data.to.seq}): {count(data.changes.length, "record differs", "records differ")}.
          </p>
          {data.changes.length === 0 ? (
            <Empty title="No differences.">
              <p>
                A moment is the number of a change, an instant, the id of a request, an act or a clock move, or a
                snapshot.
              </p>
            </Empty>
          ) : (
            <ByCause changes={data.changes} />
          )}
        </section>
      )}
    </>
  );
}

/** Groups records by the cause that changed them last. Records of the sandbox itself are folded at the end. */
function ByCause({ changes }: Pick<Schemas["Diff"], "changes">) {
  const own = changes.filter(({ internal }) => !internal);
  const internal = changes.filter((change) => change.internal);
  // Causes keep the order in which the changes first name them.
  const causes = new Map(own.map(({ cause }) => [cause.id, cause]));
  return (
    <>
      {[...causes.values()].map((cause) => (
        <section key={cause.id} class="stack" aria-label={cause.id}>
          <h2 class="cause">
            <CauseLabel cause={cause} />
          </h2>
          <ChangeList changes={own.filter((change) => change.cause.id === cause.id)} />
        </section>
      ))}
      {internal.length > 0 && (
        <details>
          <summary class="quiet">{count(internal.length, "record")} of the sandbox itself</summary>
          <ChangeList changes={internal} />
        </details>
      )}
    </>
  );
}
