// The faults screen: armed faults with their hits, and the form that arms one.
import { useState } from "preact/hooks";
import { control, describeError, type Schemas, unwrap } from "../api.ts";
import { formatValue, type Input } from "../forms/form-model.ts";
import { RequestForm } from "../forms/request-form.tsx";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Badge, Button, Loading, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { refresh } from "../stores/world.ts";
import { worldVersion } from "../stores/world-version.ts";

type Fault = Schemas["Fault"];

export function Faults() {
  const { data, problem, reload } = useQuery([worldVersion.value], (api) => unwrap(api.GET("/_sandbox/faults")));
  const [refusal, setRefusal] = useState("");
  const faults = data?.faults ?? [];
  const reloadFaults = () => {
    reload();
    void refresh();
  };
  const add = async (input: Input) => {
    await unwrap(control.peek().POST("/_sandbox/faults", { body: input as Schemas["FaultInput"] }));
    reloadFaults();
    return <p class="said">Fault armed. It applies to the next matching request.</p>;
  };
  const removeFaults = async (name?: string) => {
    const query = name === undefined ? {} : { name };
    const call = unwrap(control.peek().DELETE("/_sandbox/faults", { params: { query } }));
    setRefusal(await call.then(() => "", describeError));
    reloadFaults();
  };
  return (
    <>
      <Problem text={problem || refusal} />
      {!data ? (
        !problem && <Loading />
      ) : faults.length > 0 ? (
        <FaultTable faults={faults} removeFaults={(name) => void removeFaults(name)} />
      ) : (
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

/** The armed faults. `removeFaults` removes the faults of a name, or all. */
function FaultTable({ faults, removeFaults }: { faults: readonly Fault[]; removeFaults: (name?: string) => void }) {
  const all = <ConfirmButton verb="Disarm all" label="Disarm all" onYes={() => removeFaults()} />;
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
              <Button onClick={() => removeFaults(name)}>
                Disarm<span class="for-readers"> {name}</span>
              </Button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
