// sandbox fault: makes operations and deliveries fail a number of times, and shows how often they did.
import type { Schemas } from "../../client/control.ts";
import { wordsBesideName } from "../../domain/kernel/fault-words.ts";
import table from "../../generated/fault-input.json" with { type: "json" };
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Group } from "../command.ts";
import { Misuse } from "../fault.ts";
import { optionsOf, readInput } from "../input-options.ts";
import { mustKnowOperation } from "../operations.ts";
import type { Given } from "../options.ts";
import { columns } from "../terminal/terminal.ts";

const armOne: Command = {
  name: "arm",
  summary: "Add a fault to those that are armed, which keep their hits.",
  arguments: [["[operation]", "Such as createBooking, or any; none with --delivery."]],
  options: [...optionsOf(table), ...clientOptions],
  epilogue: [
    "  sandbox fault arm createBooking --status 503 --times 2",
    "  sandbox fault arm createBooking --connection reset --when after",
    "  sandbox fault arm any --method GET --status 503 --share 0.3 --times 10",
    "  sandbox fault arm listBookings --status 429 --retry-after 30",
    "  sandbox fault arm any --token revoke --skip 3",
    "  sandbox fault arm getOrder --unknown-value all",
    "  sandbox fault arm listBookings --page short",
    "  sandbox fault arm --delivery duplicate --kind v1.booking.created",
  ].join("\n"),
  run: arm,
};

export const fault: Group = {
  name: "fault",
  summary: "Make operations and deliveries fail, and count how often they did.",
  usual: "list",
  members: [
    { name: "list", summary: "The faults that are armed, with their hits.", options: clientOptions, run: list },
    armOne,
    { name: "clear", summary: "Disarm all faults.", options: clientOptions, run: clear },
  ],
};

async function arm({ args: [operation], given, terminal }: Call): Promise<undefined> {
  const wanted = readFault(operation, given);
  const client = clientOf(given);
  if (wanted.operation !== undefined && wanted.operation !== "*") await mustKnowOperation(client, wanted.operation);
  const { faults } = await armed(client);
  show(await client.ask(client.control.PUT("/_sandbox/faults", { body: { faults: [...faults, wanted] } })), {
    given,
    terminal,
  });
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
  const fault = readInput(table, given, "This fault would do nothing. Choose the failure with");
  return {
    ...fault,
    ...(isOfDeliveries ? {} : { operation: operation === "any" ? "*" : operation }),
  } as Schemas["FaultInput"];
}

async function list({ given, terminal }: Call): Promise<undefined> {
  const found = await armed(clientOf(given));
  show(found, { given, terminal });
  if (found.faults.length === 0)
    terminal.say("No fault is armed. Arm one with `sandbox fault arm createBooking --status 503`.");
}

async function clear({ given, terminal }: Call): Promise<undefined> {
  const client = clientOf(given);
  await client.ask(client.control.DELETE("/_sandbox/faults"));
  if (given.flag("json")) terminal.json({ faults: [] });
  else terminal.print("No fault is armed any more.");
}

function armed(client: Client): Promise<Schemas["FaultList"]> {
  return client.ask(client.control.GET("/_sandbox/faults"));
}

function show(found: Schemas["FaultList"], { given, terminal }: Pick<Call, "given" | "terminal">): void {
  const rows = found.faults.map((each) => [
    terminal.paint("bold", each.name),
    wordsBesideName(each),
    `hits ${each.hits} of ${each.times}`,
  ]);
  if (given.flag("json")) terminal.json(found);
  else for (const line of columns(rows)) terminal.print(line);
}
