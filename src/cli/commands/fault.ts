// sandbox fault: makes operations fail a number of times, and shows how often they did.
import type { Schemas } from "../../client/control.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, type Group, type Option } from "../command.ts";
import { Misuse } from "../fault.ts";
import { mustKnowOperation } from "../operations.ts";
import type { Given } from "../options.ts";
import { columns } from "../terminal/terminal.ts";

const WAYS = ["reset", "empty", "truncate"];
const MOMENTS = ["before", "after"];
/** As the sandbox takes them. */
const RANGES = { status: [400, 599], delay: [0, 600_000], times: [1, 1_000_000], "retry-after": [0, 86_400] } as const;

const ofFault: readonly Option[] = [
  { ...value("status", "N", "Answer with this status, from 400 to 599."), kind: "number" },
  value("code", "C", "The code of the error; an error code of the service implies its status."),
  { ...value("delay", "MS", "Delay the response by this many milliseconds."), kind: "number" },
  { ...value("connection", "how", "Break the connection: reset, empty or truncate."), choices: WAYS },
  {
    ...value("retry-after", "S", "Seconds in the header Retry-After of the answer, which needs a status or a code."),
    kind: "number",
  },
  value("client", "id", "Only requests of this client id."),
  {
    ...value("when", "moment", "before: fail without executing; after: execute, then lose the response."),
    default: "before",
    choices: MOMENTS,
  },
  { ...value("times", "N", "How many requests it affects."), kind: "number", default: 1 },
];

const armOne: Command = {
  name: "arm",
  summary: "Add a fault to those that are armed, which keep their hits.",
  arguments: [["<operation>", "Such as createBooking."]],
  options: [...ofFault, ...clientOptions],
  epilogue: [
    "  sandbox fault arm createBooking --status 503 --times 2",
    "  sandbox fault arm createBooking --connection reset --when after",
    "  sandbox fault arm getOrder --delay 3000",
    "  sandbox fault arm listBookings --status 429 --retry-after 30",
  ].join("\n"),
  run: arm,
};

export const fault: Group = {
  name: "fault",
  summary: "Make operations fail, and count how often they did.",
  usual: "list",
  members: [
    { name: "list", summary: "The faults that are armed, with their hits.", options: clientOptions, run: list },
    armOne,
    { name: "clear", summary: "Disarm all faults.", options: clientOptions, run: clear },
  ],
};

function value(name: string, placeholder: string, meaning: string): Option {
  return { name, kind: "text", placeholder, default: undefined, meaning };
}

async function arm({ args: [operation = ""], given, terminal }: Call): Promise<undefined> {
  const wanted = readFault(operation, given);
  const client = clientOf(given);
  await mustKnowOperation(client, operation);
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

function readFault(operation: string, given: Given): Schemas["FaultInput"] {
  const [status, code, connection] = [amount("status", given), given.text("code"), given.text("connection")];
  const delay = amount("delay", given);
  if ([status, code, delay, connection].every((each) => each === undefined))
    throw new Misuse("This fault would do nothing. Choose the failure with --status, --code, --delay or --connection.");
  const times = amount("times", given) ?? 1;
  const [retry_after, client_id] = [amount("retry-after", given), given.text("client")];
  if (retry_after !== undefined && status === undefined && code === undefined)
    throw new Misuse("--retry-after is a header of an answer. Give --status or --code too.");
  const fault = {
    operation,
    status,
    code,
    delay_ms: delay,
    connection,
    when: given.text("when"),
    times,
    retry_after,
    client_id,
  };
  return fault as Schemas["FaultInput"];
}

function amount(name: keyof typeof RANGES, given: Given): number | undefined {
  const [least, most] = RANGES[name];
  if (given.source(name) === "default") return undefined;
  const number = given.number(name);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw new Misuse(`--${name} is ${number}. Give a whole number from ${least} to ${most}.`);
}

function show(found: Schemas["FaultList"], { given, terminal }: Pick<Call, "given" | "terminal">): void {
  const rows = found.faults.map(({ operation, when = "before", times, hits, ...rest }) => [
    terminal.paint("bold", operation),
    misbehaviour(rest),
    when,
    `struck ${hits} of ${times}`,
  ]);
  if (given.flag("json")) terminal.json(found);
  else for (const line of columns(rows)) terminal.print(line);
}

function misbehaviour({
  status,
  code,
  delay_ms,
  connection,
  retry_after,
  client_id,
}: Omit<Schemas["Fault"], "operation" | "times" | "hits">): string {
  const answer = [status, code].filter((each) => each !== undefined).join(" ");
  const late = delay_ms === undefined ? "" : `${delay_ms} ms late`;
  const wait = retry_after === undefined ? "" : `Retry-After ${retry_after}`;
  const whose = client_id === undefined ? "" : `for ${client_id}`;
  const broken = connection === undefined ? "" : `connection ${connection}`;
  return [answer, wait, late, broken, whose].filter(Boolean).join(", ");
}
