// Faults: those that are armed, and how often they hit; arming one, and disarming.
import type { Schemas } from "../../client/control.ts";
import { wordsBesideName } from "../../engine/domain/index.ts";
import type { Answer } from "../answer.ts";
import type { Call } from "../command.ts";
import { Misuse } from "../failure.ts";
import { assertOperation } from "../public-operations.ts";
import { columnsWithin } from "../terminal/terminal.ts";

/** What the sandbox would say of the operation, in the words of the command line. */
function mustSayWhere({ args: [operation], given }: Call): void {
  // A fault is either of an operation or of deliveries; the sandbox refuses one that is both.
  const isOfDeliveries = given.text("delivery") !== undefined;
  if (isOfDeliveries && operation !== undefined)
    throw new Misuse("A fault of deliveries has no operation. Leave the operation out, and name a kind with --kind.");
  if (!isOfDeliveries && operation === undefined)
    throw new Misuse(
      "Name an operation, such as createBooking, or any; or a fault of deliveries, such as --delivery drop.",
    );
}

function faultLines({ faults }: Schemas["FaultList"], { terminal }: Call): string[] {
  if (faults.length === 0)
    terminal.say("No fault is armed. Arm one with `sandbox fault add createBooking --status 503`.");
  const rows = faults.map((each) => [
    terminal.paint("bold", each.name),
    wordsBesideName(each),
    `hits ${each.hits} of ${each.times}`,
  ]);
  return columnsWithin(rows, terminal.width);
}

const arm: Answer<Schemas["FaultList"]> = {
  check: mustSayWhere,
  async prepare(input, _, client) {
    const fault = input.body as Schemas["FaultInput"];
    // A star would be expanded by the shell, so people write a word.
    if (fault.operation === "any") fault.operation = "*";
    if (fault.operation !== undefined && fault.operation !== "*") await assertOperation(client, fault.operation);
  },
  show: faultLines,
};

/** What is armed afterwards: nothing, unless a name was given or somebody arms one meanwhile. */
const clear: Answer<Schemas["FaultList"]> = {
  settle: (_, { ask, control }) => ask(control.GET("/_sandbox/faults")),
  show: (list, call) => (list.faults.length === 0 ? ["No fault is armed any more."] : faultLines(list, call)),
};

export const faults = { "fault list": { show: faultLines }, "fault add": arm, "fault clear": clear };
