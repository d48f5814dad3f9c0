// sandbox act: performs a host action, or lists the acts.
import { perform, type Schemas } from "../../client/control.ts";
import { nameMember } from "../../client/sandbox-error.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { quote } from "../../platform/shell-quoted.ts";
import { type Client, createClient, type NameValue } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, option, setOption } from "../command.ts";
import { findByName, Misuse } from "../failure.ts";
import { readData, readSets, withSets } from "../input-options.ts";
import { describeListeners } from "../listeners.ts";
import type { Given } from "../options.ts";
import { formatOutcome } from "../terminal/facts.ts";
import { formatMembers, listNames, toMembers } from "../terminal/operation-view.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const act: Command = {
  name: "act",
  summary: "Perform a host action, such as cancelBooking.",
  arguments: [["[act]", "Name of the act; --list shows all."]],
  options: [
    option.flag("list", "List all acts, or show the input of the named one."),
    setOption,
    option.text("data", "JSON", "The complete input; --set overrides single fields."),
    ...clientOptions,
  ],
  epilogue: "  sandbox act cancelBooking --set booking_id=bkg-1 --set refund=full\n  sandbox act cancelBooking --list",
  changes: (call) => (call.given.flag("list") ? undefined : nameWorld(call)),
  run: performOrList,
};

type Act = Schemas["Act"] & { input: JsonSchema };

async function performOrList({ args: [name], given, terminal }: Call): Promise<undefined> {
  const client = createClient(given, createFieldNamer(given));
  if (given.flag("list")) return listActs(client, name, given.flag("json"), terminal);
  if (name === undefined)
    throw new Misuse(
      "Name an act, as in sandbox act cancelBooking --set booking_id=bkg-1. `sandbox act --list` lists all acts.",
    );
  const input = withSets(readData(given.text("data"), "booking_id"), readSets(given.list("set")));
  const done = await client.ask(perform(client.control, name, input));
  if (given.flag("json")) return void terminal.json(done);
  terminal.print([formatOutcome(name, done, terminal), ...(await describeListeners(client, done.facts))].join("\n"));
}

/** Returns a function that names a field by the option that sets it. */
function createFieldNamer(given: Given): NameValue {
  return (error) => {
    const path = nameMember(error);
    if (path === "") return "--data";
    const [first] = path.split(".");
    const isSet = given.list("set").some((text) => text.split(/[.=]/)[0] === first);
    return isSet || given.text("data") === undefined ? `--set ${path}` : `--data ${path}`;
  };
}

async function listActs(
  { ask, control }: Client,
  name: string | undefined,
  json: boolean,
  terminal: Terminal,
): Promise<undefined> {
  const { items } = await ask(control.GET("/_sandbox/acts"));
  const acts: readonly Act[] = items;
  const found = name === undefined ? undefined : findByName(acts, ["act", name], "There is no act", LIST_ADVICE);
  if (json) return void terminal.json(found ?? { items });
  terminal.print(found ? formatAct(found, terminal) : acts.map((each) => formatSummary(each, terminal)).join("\n"));
}

const LIST_ADVICE = "`sandbox act --list` lists all.";

function formatSummary(found: Act, { paint }: Terminal): string {
  const members = listNames(toMembers(found.input)).join(" ");
  return `${paint("bold", found.act)}  ${found.summary}\n    ${paint("dim", members)}`;
}

function formatAct({ act: name, summary, description, input, example }: Act, terminal: Terminal): string {
  const data = example === undefined ? [] : ["", `  sandbox act ${name} --data ${quote(JSON.stringify(example))}`];
  const fields = formatMembers(toMembers(input), terminal);
  return [`${terminal.paint("bold", name)}  ${summary}`, description, "", ...fields, ...data].join("\n");
}
