// sandbox fault: makes operations and deliveries fail a number of times, and shows how often they did.
import type { Schemas } from "../../client/control.ts";
import table from "../../contract/generated/fault-input.json" with { type: "json" };
import { wordsBesideName } from "../../engine/domain/kernel/fault-words.ts";
import { clientOf } from "../client.ts";
import type { Call } from "../command.ts";
import { entryOf, rowOf } from "../control-command.ts";
import { Misuse } from "../fault.ts";
import { readInput } from "../input-options.ts";
import { mustKnowOperation } from "../operations.ts";
import type { Given } from "../options.ts";
import { columns } from "../terminal/terminal.ts";

export const fault = entryOf("fault", { list: { show: shown }, arm: { run: arm } });

async function arm(call: Call): Promise<undefined> {
  const { given, terminal } = call;
  const wanted = readFault(call.args[0], given);
  const { ask, control } = clientOf(given);
  if (wanted.operation !== undefined && wanted.operation !== "*")
    await mustKnowOperation(clientOf(given), wanted.operation);
  const { faults } = await ask(control.GET("/_sandbox/faults"));
  const all = await ask(control.PUT("/_sandbox/faults", { body: { faults: [...faults, wanted] } }));
  if (given.flag("json")) terminal.json(all);
  else for (const line of shown(all, call)) terminal.print(line);
}

/** What the sandbox would say of the operation, in the words of the command line. */
function readFault(operation: string | undefined, given: Given): Schemas["FaultInput"] {
  const isOfDeliveries = given.text("delivery") !== undefined;
  if (isOfDeliveries && operation !== undefined)
    throw new Misuse("A fault of deliveries has no operation. Leave the operation out, and name a kind with --kind.");
  if (!isOfDeliveries && operation === undefined)
    throw new Misuse(
      "Name an operation, such as createBooking, or any; or a fault of deliveries, such as --delivery drop.",
    );
  const sentence = "This fault would do nothing. Choose the failure with";
  const fault = readInput(rowOf("fault arm"), given, { without: table.chosen, sentence });
  return {
    ...fault,
    ...(isOfDeliveries ? {} : { operation: operation === "any" ? "*" : operation }),
  } as Schemas["FaultInput"];
}

function shown({ faults }: Schemas["FaultList"], { terminal }: Call): string[] {
  if (faults.length === 0)
    terminal.say("No fault is armed. Arm one with `sandbox fault arm createBooking --status 503`.");
  const rows = faults.map((each) => [
    terminal.paint("bold", each.name),
    wordsBesideName(each),
    `hits ${each.hits} of ${each.times}`,
  ]);
  return columns(rows);
}
