// Faults: what is armed and how often it has hit; arming one more, taking one away, taking all away.
import { control, dataOf, type Schemas } from "../api.ts";
import { AskForm } from "../forms/ask-form.tsx";
import { type Input, textOf } from "../forms/form-model.ts";
import { ConfirmButton } from "../parts/confirm-button.tsx";
import { Badge, Loading, Problem } from "../parts/primitives.tsx";
import { Table } from "../parts/table.tsx";
import { useQuery } from "../query.ts";
import { worldId } from "../router.ts";
import { newest } from "../stores/newest.ts";
import { refresh } from "../stores/world.ts";

type Fault = Schemas["Fault"];

/** Arming replaces the list, so all that stay are sent again. */
const arm = (faults: readonly Fault[]) =>
  dataOf(control.peek().PUT("/_sandbox/faults", { body: { faults: faults as Schemas["FaultInput"][] } }));

export function Faults() {
  const { data, problem, again } = useQuery(
    () => dataOf(control.peek().GET("/_sandbox/faults")),
    [worldId.value, newest.value],
  );
  const faults = data?.faults ?? [];
  const armOnly = async (next: readonly Fault[]) => {
    await arm(next);
    again();
    void refresh();
  };
  const add = async (input: Input) => {
    // What has hit as often as it was to is over, and would only stay in the list.
    await armOnly([...faults.filter(({ hits, times }) => hits < times), input as unknown as Fault]);
    return <p class="said">Armed. The next requests that fit meet it.</p>;
  };
  return (
    <>
      <Problem text={problem} />
      {!data ? (
        !problem && <Loading />
      ) : faults.length > 0 ? (
        <Armed faults={faults} onChange={(next) => void armOnly(next)} />
      ) : (
        <p class="quiet">
          No fault is armed. A fault makes operations or deliveries fail on purpose, so that you see what your program
          does then.
        </p>
      )}
      <section class="panel narrow">
        <h2>Arm a fault</h2>
        <AskForm
          schema="FaultInput"
          // Counted by the sandbox, and no part of what is armed.
          without={["hits", "seen", "left"]}
          first={["operation"]}
          // Most people want to see one failure, and then how the program goes on.
          begin={{ times: 1 }}
          name="input"
          verb="Arm"
          send={add}
          // The call takes a list; in the form the member stands alone.
          inside={/^faults\.\d+\.?/}
        />
      </section>
    </>
  );
}

/** The control API takes the whole list, so a removal sends the others. */
function Armed({ faults, onChange }: { faults: readonly Fault[]; onChange: (next: readonly Fault[]) => void }) {
  const disarm = <ConfirmButton verb="Disarm all" label="Disarm all" onYes={() => onChange([])} />;
  return (
    <Table columns={["What misbehaves", "How", "Hits", { cell: disarm }]} label="Armed faults">
      {faults.map((fault, at) => {
        // Counters of the sandbox say nothing of how it fails.
        const { name, times, hits, seen: _, left: __, ...how } = fault;
        return (
          // Names are not unique; the position is, and the call takes the list in this order.
          <tr key={at}>
            <th scope="row">{name}</th>
            <td>
              <ul class="plain-list">
                {Object.entries(how).map(([member, value]) => (
                  <li key={member}>
                    <span class="quiet">{member}</span> <code>{textOf(value)}</code>
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
              <button type="button" onClick={() => onChange(faults.filter((_, other) => other !== at))}>
                Disarm<span class="for-readers"> {name}</span>
              </button>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
