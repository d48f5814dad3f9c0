// The snapshots of the shown world: save, restore, remove; and the reset of the world.
import { useState } from "preact/hooks";
import { control, describeError, unwrap } from "../api.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Field, Instant, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { toHref, worldId } from "../router.ts";
import { refresh } from "../stores/world.ts";
import { worldVersion } from "../stores/world-version.ts";

/** Returns the path parameter of three requests. */
const toNameParams = (name: string) => ({ params: { path: { name } } });

export function Snapshots() {
  const [problem, setProblem] = useState("");
  const query = useQuery([worldVersion.value], (api) => unwrap(api.GET("/_sandbox/snapshots")));
  // All four actions share one message, which the next action replaces. The list is reloaded after each.
  const run = (work: Promise<unknown>) =>
    void work
      .then(() => setProblem(""))
      .catch((reason) => setProblem(describeError(reason)))
      .finally(() => {
        query.reload();
        // A restore or reset replaces the state of the world.
        void refresh();
      });
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name"));
    run(unwrap(control.peek().PUT("/_sandbox/snapshots/{name}", toNameParams(name))));
  };
  const items = query.data?.items ?? [];
  return (
    <section class="panel" aria-label="Snapshots">
      <h2>Snapshots of {worldId.value}</h2>
      <form class="bar moments" onSubmit={save}>
        <Field label="Save snapshot">
          {/* The pattern of the API description finds most mistakes before the request. */}
          <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" placeholder="name" />
        </Field>
        <button type="submit">Save</button>
        <span class="grow" />
        <ConfirmButton
          verb="Reset the world"
          label="Reset the world to its beginning"
          onYes={() => run(unwrap(control.peek().POST("/_sandbox/state/reset")))}
        />
      </form>
      <Problem text={problem || query.problem} />
      {items.length > 0 && (
        <Table columns={["Name", "World’s time", "Saved, real time", { cell: "" }]}>
          {items.map(({ name, now, saved_at: saved }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <Instant at={now} seconds />
              </td>
              <td>
                {/* Users remember the real time; the world's clock may be stopped for days. */}
                <Instant at={saved} seconds />
              </td>
              <td class="row-actions">
                <a href={toHref("compare", [], { from: name })}>Compare with now</a>{" "}
                <ConfirmButton
                  verb="Restore"
                  label={`Restore ${name}`}
                  onYes={() =>
                    run(unwrap(control.peek().POST("/_sandbox/snapshots/{name}/restore", toNameParams(name))))
                  }
                />{" "}
                <ConfirmButton
                  label={`Remove ${name}`}
                  onYes={() => run(unwrap(control.peek().DELETE("/_sandbox/snapshots/{name}", toNameParams(name))))}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
