// The compare screen: two points in time, and each record that differs between them.
import { count } from "../../platform/count.ts";
import { read, type Schemas } from "../api.ts";
import { ActionForm } from "../parts/actions.tsx";
import { CauseLabel, RecordChange } from "../parts/changes.tsx";
import { Button, Empty, Field, Instant, Problem, SubmitButton } from "../parts/primitives.tsx";
import { useQuery, useRead } from "../query.ts";
import { getQuery, setQuery } from "../router.ts";
import { worldVersion } from "../store.ts";

export function Compare() {
  const snapshots = useRead("/_sandbox/snapshots");
  const past = useRead("/_sandbox/history", { query: { limit: 100, fold: true } });
  // The default is the earliest point that the history keeps.
  const from = getQuery("from") || String(past.data?.kept.from.seq ?? "");
  const to = getQuery("to") || "now";
  const { data, problem } = useQuery([from, to, worldVersion.value], async () =>
    from ? read("/_sandbox/diff", { query: { from, to } }) : undefined,
  );
  return (
    <>
      <ActionForm class="bar fields" run={async (points) => setQuery(points)}>
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
        {/* Newest first: snapshots, and the point after each change and its deliveries. */}
        <datalist id="moments">
          <option value="now" label="current state" />
          {snapshots.data?.items.map(({ name, now }) => (
            <option key={name} value={name} label={`snapshot, ${now}`} />
          ))}
          {past.data?.items.toReversed().map(({ cause, until, ...change }) => (
            <option key={change.seq} value={(until ?? change).seq} label={`${change.at} ${cause.id}`} />
          ))}
        </datalist>
        <SubmitButton>Compare</SubmitButton>
        <Button onClick={() => setQuery({ from: to, to: from })}>Swap</Button>
      </ActionForm>
      <Problem text={problem ?? past.problem} />
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
        <section key={cause.id} aria-label={cause.id}>
          <h2 class="cause">
            <CauseLabel cause={cause} />
          </h2>
          <RecordChanges changes={own.filter((change) => change.cause.id === cause.id)} />
        </section>
      ))}
      {internal.length > 0 && (
        <details>
          <summary class="quiet">{count(internal.length, "record")} of the sandbox itself</summary>
          <RecordChanges changes={internal} />
        </details>
      )}
    </>
  );
}

const RecordChanges = ({ changes }: Pick<Schemas["Diff"], "changes">) => (
  <>
    {changes.map((change) => (
      <RecordChange key={`${change.collection} ${change.id}`} {...change} />
    ))}
  </>
);
