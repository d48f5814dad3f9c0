// The faults screen: armed faults with their hits, and the form that arms one.
import { control, type Schemas, unwrap } from "../api.ts";
import { formatValue, type Input } from "../forms/form-model.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { ActionButton } from "../parts/actions.tsx";
import { Badge, Loading } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useRead } from "../query.ts";

export function Faults() {
  const { data, problem } = useRead("/_sandbox/faults");
  const add = async (input: Input) => {
    await unwrap(control.peek().POST("/_sandbox/faults", { body: input as Schemas["FaultInput"] }));
    return <p class="note ok">Fault armed. It applies to the next matching request.</p>;
  };
  return (
    <>
      {!data && <Loading problem={problem} />}
      {data && data.faults.length > 0 && <FaultTable faults={data.faults} />}
      {data?.faults.length === 0 && (
        <p class="quiet">
          No fault is armed. A fault makes operations or deliveries fail on purpose, so that you can see how your
          program reacts.
        </p>
      )}
      <section class="panel narrow">
        <h2>Arm a fault</h2>
        <RequestForm
          schema="FaultInput"
          // The sandbox computes these counters; they are not input.
          without={["hits", "seen", "left"]}
          first={["operation"]}
          // Most users want one failure, to see how the program continues.
          begin={{ times: 1 }}
          name="input"
          verb="Arm"
          send={add}
        />
      </section>
    </>
  );
}

/** Removes the faults of a name, or all. */
const removeFaults = (query: { name?: string }) =>
  unwrap(control.peek().DELETE("/_sandbox/faults", { params: { query } }));

function FaultTable({ faults }: { faults: readonly Schemas["Fault"][] }) {
  const all = (
    <ActionButton mustConfirm label="Disarm all" run={() => removeFaults({})}>
      Disarm all
    </ActionButton>
  );
  return (
    <Table columns={["Fault", "Settings", "Hits", { cell: all }]} label="Armed faults" look="panel faults">
      {faults.map((fault, at) => {
        // The counters don't describe how the fault fails.
        const { name, times, hits, seen: _, left: __, ...how } = fault;
        return (
          // Names are not unique, so the position is the key.
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>
              <ul class="plain-list">
                {Object.entries(how).map(([member, value]) => (
                  <li key={member}>
                    <span class="quiet">{member}</span> <code>{formatValue(value)}</code>
                  </li>
                ))}
              </ul>
            </td>
            <td>
              <Badge tone={hits >= times ? "quiet" : hits > 0 ? "warn" : "info"}>
                {hits} of {times}
              </Badge>
            </td>
            <td>
              <ActionButton label={`Disarm ${name}`} run={() => removeFaults({ name })}>
                Disarm
              </ActionButton>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
