// sandbox act: performs a host action, or lists the actions.

import { perform, type Schemas } from "../../client/control.ts";
import { nameMember } from "../../client/format-error.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { suggest } from "../../platform/nearest.ts";
import { quote } from "../../platform/shell-quoted.ts";
import { type Client, createClient } from "../client.ts";
import { type Call, type Command, clientOptions, nameWorld, option, setOption } from "../command.ts";
import { Misuse, rejectUnknown } from "../failure.ts";
import { describeListeners } from "../listeners.ts";
import type { Given } from "../options.ts";
import type { NameValue } from "../rejection.ts";
import { readData, readSets, withSets } from "../set-paths.ts";
import { outcome } from "../terminal/facts.ts";
import { memberNames, memberRows, membersOf } from "../terminal/input-view.ts";
import { fitted, type Terminal, wrap } from "../terminal/terminal.ts";

export const act: Command = {
  name: "act",
  summary: "Perform a host action, such as cancelBooking.",
  arguments: [["[act]", "Name of the act; --list names all."]],
  options: [
    option.flag("list", "Name all acts with their input, or show the one that is named."),
    setOption,
    option.text("data", "JSON", "The input as a whole; --set goes on top."),
    ...clientOptions,
  ],
  epilogue: "  sandbox act cancelBooking --set booking_id=bkg-1 --set refund=full\n  sandbox act cancelBooking --list",
  changes: (call) => (call.given.flag("list") ? undefined : nameWorld(call)),
  run: actOrList,
};

/** An act's input is described by a JSON Schema. */
type Act = Schemas["Act"] & { input: JsonSchema };

async function actOrList({ args, given, terminal }: Call): Promise<undefined> {
  const [name] = args;
  const client = createClient(given, nameMemberOf(given));
  if (given.flag("list")) return list(client, name, given.flag("json"), terminal);
  if (name === undefined)
    throw new Misuse(
      "Which act? `sandbox act --list` names all; write it as sandbox act cancelBooking --set booking_id=bkg-1.",
    );
  const input = withSets(readData(given.text("data"), "booking_id"), readSets(given.list("set")));
  // The happy path is one request; the list of acts is only fetched to word a refusal.
  const done = await client.ask(perform(client.control, name, input)).catch(async (error) => {
    mustFit(mustKnow(await actsOf(client), name), input);
    // The sandbox's own sentence, where the command line has no better one.
    throw error;
  });
  if (given.flag("json")) return void terminal.json(done);
  terminal.print(outcome(name, done, terminal));
  for (const line of await describeListeners(client, done.facts)) terminal.print(fitted(line, terminal.width));
}

/** A member of --data is named within it. */
function nameMemberOf(given: Given): NameValue {
  return (error) => {
    const path = nameMember(error);
    if (path === "") return "--data";
    const [first] = path.split(".");
    const isSet = given.list("set").some((text) => text.split(/[.=]/)[0] === first);
    return isSet || given.text("data") === undefined ? `--set ${path}` : `--data ${path}`;
  };
}

async function actsOf(client: Client): Promise<Act[]> {
  return (await client.ask(client.control.GET("/_sandbox/acts"))).items;
}

function mustKnow(acts: readonly Act[], name: string): Act {
  const found = acts.find((each) => each.act === name);
  if (found) return found;
  const names = acts.map((each) => each.act);
  throw rejectUnknown("There is no act", name, names, "`sandbox act --list` names all.");
}

/** Which members are missing or unknown, in the words of the command line; any other problem of the input is the sandbox's to tell. */
function mustFit({ act: name, input: { properties = {}, required = [] } }: Act, input: object): void {
  const lacking = required.filter((member) => !Object.hasOwn(input, member));
  // Own properties only: `constructor` is no member.
  const odd = Object.keys(input).filter((member) => !Object.hasOwn(properties, member));
  const unknown = odd.map(
    (member) => `${name} takes no ${toExcerpt(member)}.${suggest(member, Object.keys(properties))}`,
  );
  const needs =
    lacking.length === 0
      ? []
      : [`${name} needs ${lacking.map((member) => `${member}: --set ${member}=…`).join(", and ")}.`];
  if (lacking.length + odd.length === 0) return;
  throw new Misuse([...unknown, ...needs, `\`sandbox act ${name} --list\` shows its input.`].join(" "));
}

async function list(client: Client, name: string | undefined, json: boolean, terminal: Terminal): Promise<undefined> {
  const acts = await actsOf(client);
  const found = name === undefined ? undefined : mustKnow(acts, name);
  if (json) terminal.json(found ?? { items: acts });
  else terminal.print(found ? inFull(found, terminal) : acts.map((each) => inBrief(each, terminal)).join("\n"));
}

function inBrief(found: Act, terminal: Terminal): string {
  // Half of a very wide line would be hard to read.
  const members = wrap(memberNames(membersOf(found.input)).join(" "), Math.min(terminal.width, 80) - 4);
  const head = fitted(`${terminal.paint("bold", found.act)}  ${found.summary}`, terminal.width);
  return `${head}\n${members.map((line) => `    ${terminal.paint("dim", line)}`).join("\n")}`;
}

function inFull({ act: name, summary, description, input, example }: Act, terminal: Terminal): string {
  const { paint, width } = terminal;
  const data = example === undefined ? [] : ["", `  sandbox act ${name} --data ${quote(JSON.stringify(example))}`];
  const about = wrap(description, Math.min(width, 100));
  return [`${paint("bold", name)}  ${summary}`, ...about, "", ...memberRows(membersOf(input), terminal), ...data].join(
    "\n",
  );
}
