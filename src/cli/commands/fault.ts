// sandbox fault: makes operations and deliveries fail a number of times, and shows how often they did.
import type { Schemas } from "../../client/control.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Group } from "../command.ts";
import { faultOptions } from "../fault-options.ts";
import { mustKnowOperation } from "../operations.ts";
import { readFault } from "../read-fault.ts";
import { columns } from "../terminal/terminal.ts";

const armOne: Command = {
  name: "arm",
  summary: "Add a fault to those that are armed, which keep their hits.",
  arguments: [["[operation]", "Such as createBooking, or any; none with --delivery."]],
  options: [...faultOptions.map(({ option }) => option), ...clientOptions],
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
    narrowing(each),
    `struck ${each.hits} of ${each.times}`,
  ]);
  if (given.flag("json")) terminal.json(found);
  else for (const line of columns(rows)) terminal.print(line);
}

function narrowing({ methods, client_id, skip, share, seed, retry_after }: Schemas["Fault"]): string {
  const said = [
    methods && `only ${methods.join(", ")}`,
    client_id && `for ${client_id}`,
    skip && `after ${skip}`,
    share && `a share of ${share}, seed ${seed}`,
    retry_after !== undefined && `Retry-After ${retry_after}`,
  ];
  return said.filter(Boolean).join(", ");
}
