// Shows the armed faults with their hits, and arms and disarms faults.
import type { Schemas } from "../../client/control.ts";
import { describeFaultDetails } from "../../engine/domain/index.ts";
import type { Answer } from "../answer.ts";
import type { Call } from "../command.ts";
import { Misuse } from "../failure.ts";
import { fitColumns } from "../terminal/terminal.ts";

/** Repeats a check of the sandbox, because the error has to name options and arguments. */
function mustNameTarget({ args: [operation], given }: Call): void {
  // A fault applies either to an operation or to deliveries.
  const isOfDeliveries = given.text("delivery") !== undefined;
  if (isOfDeliveries && operation !== undefined)
    throw new Misuse("A delivery fault has no operation. Leave out the operation; --kind selects the event type.");
  if (!isOfDeliveries && operation === undefined)
    throw new Misuse(
      "Name an operation (such as createBooking, or any), or a delivery fault (such as --delivery drop).",
    );
}

function formatFaultList({ faults }: Schemas["FaultList"], { terminal }: Call): string[] {
  if (faults.length === 0)
    terminal.say("No fault is armed. Arm one with `sandbox fault add createBooking --status 503`.");
  const rows = faults.map((each) => [
    terminal.paint("bold", each.name),
    describeFaultDetails(each),
    `hits ${each.hits} of ${each.times}`,
  ]);
  return fitColumns(rows, terminal.width);
}

const arm: Answer<Schemas["FaultList"]> = {
  check: mustNameTarget,
  prepare(input) {
    const fault = input.body as Schemas["FaultInput"];
    // A shell would expand a star, so the command line takes the word `any`.
    if (fault.operation === "any") fault.operation = "*";
  },
  show: formatFaultList,
};

/** Shows the faults that are still armed: none, unless a name was given or another client has armed one. */
const clear: Answer<Schemas["FaultList"]> = {
  settle: (_, { ask, control }) => ask(control.GET("/_sandbox/faults")),
  show: (list, call) => (list.faults.length === 0 ? ["No fault is armed."] : formatFaultList(list, call)),
};

export const faults = { "fault list": { show: formatFaultList }, "fault add": arm, "fault clear": clear };
