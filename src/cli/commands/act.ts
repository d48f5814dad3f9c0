// sandbox act: performs a host action, or lists the actions.

import { perform, type Schemas } from "../../client/control.ts";
import { didYouMean } from "../../domain/kernel/nearest.ts";
import { type Client, clientOf } from "../client.ts";
import { type Call, type Command, clientOptions, setOption } from "../command.ts";
import { Misuse } from "../fault.ts";
import { whoListens } from "../listeners.ts";
import { readData, readSets, withSets } from "../set-paths.ts";
import { quoted } from "../terminal/connection-info.ts";
import { outcome } from "../terminal/facts.ts";
import { columns, type Terminal, wrap } from "../terminal/terminal.ts";

export const act: Command = {
  name: "act",
  summary: "Perform a host action, such as cancelBooking.",
  arguments: [["[act]", "Name of the act; --list names all."]],
  options: [
    {
      name: "list",
      kind: "flag",
      default: false,
      meaning: "Name all acts with their input, or show the one that is named.",
    },
    setOption,
    {
      name: "data",
      kind: "text",
      placeholder: "JSON",
      default: undefined,
      environment: "SANDBOX_ACT_DATA",
      meaning:
        "The input as a whole; --set goes on top. (In the environment SANDBOX_ACT_DATA: SANDBOX_DATA is a file.)",
    },
    ...clientOptions,
  ],
  epilogue: "  sandbox act cancelBooking --set booking_id=bkg-1 --set refund=full\n  sandbox act cancelBooking --list",
  run: actOrList,
};

/** An act's input is described by a JSON Schema. */
type Act = Schemas["Act"] & { input: { properties?: Record<string, Schema>; required?: string[] } };

async function actOrList({ args, given, terminal }: Call): Promise<undefined> {
  const [name] = args;
  const client = clientOf(given);
  if (given.flag("list")) return list(client, name, given.flag("json"), terminal);
  if (name === undefined)
    throw new Misuse(
      "Which act? `sandbox act --list` names all; write it as sandbox act cancelBooking --set booking_id=bkg-1.",
    );
  const input = withSets(readData(given.text("data")), readSets(given.list("set")));
  const done = await client.ask(perform(client.control, name, input)).catch(async (error) => {
    mustKnow(await actsOf(client), name);
    throw error;
  });
  if (given.flag("json")) return void terminal.json(done);
  terminal.print(outcome(name, done, terminal));
  for (const line of await whoListens(client, done.facts)) terminal.print(line);
}

async function actsOf(client: Client): Promise<Act[]> {
  return (await client.ask(client.control.GET("/_sandbox/acts"))).items;
}

function mustKnow(acts: readonly Act[], name: string): Act {
  const found = acts.find((each) => each.act === name);
  if (found) return found;
  const names = acts.map((each) => each.act);
  throw new Misuse(`There is no act ${name}.${didYouMean(name, names)} \`sandbox act --list\` names all.`);
}

async function list(client: Client, name: string | undefined, json: boolean, terminal: Terminal): Promise<undefined> {
  const acts = await actsOf(client);
  const found = name === undefined ? undefined : mustKnow(acts, name);
  if (json) terminal.json(found ?? { items: acts });
  else terminal.print(found ? inFull(found, terminal) : acts.map((each) => inBrief(each, terminal)).join("\n"));
}

function inBrief(found: Act, terminal: Terminal): string {
  const members = wrap(membersOf(found).join(" "), Math.min(terminal.width, 80) - 4);
  return `${terminal.paint("bold", found.act)}  ${found.summary}\n${members.map((line) => `    ${terminal.paint("dim", line)}`).join("\n")}`;
}

/** `booking_id refund? amount?`: what has a question mark may be left out. */
function membersOf({ input }: Act): string[] {
  const required = new Set(input.required);
  const names = Object.keys(input.properties ?? {});
  return [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)).map((name) => `${name}?`),
  ];
}

function inFull({ act: name, summary, description, input, example }: Act, { paint, width }: Terminal): string {
  const required = new Set(input.required);
  const rows = Object.entries(input.properties ?? {}).flatMap(([member, schema]) => {
    const [first = "", ...rest] = wrap(typeOf(schema), Math.min(width, 100) - 26);
    const label = required.has(member) ? paint("bold", member) : `${member}?`;
    return [[`  ${label}`, paint("dim", first)], ...rest.map((line) => ["", paint("dim", line)])];
  });
  const data = example === undefined ? [] : ["", `  sandbox act ${name} --data ${quoted(JSON.stringify(example))}`];
  const about = wrap(description, Math.min(width, 100));
  return [`${paint("bold", name)}  ${summary}`, ...about, "", ...columns(rows), ...data].join("\n");
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  items?: Schema;
}

function typeOf({ type, enum: values, description, items }: Schema): string {
  const kind = values
    ? values.join(", ")
    : items
      ? `list of ${typeOf(items) || "anything"}`
      : [type ?? ""].flat().join(" or ");
  return [kind, description].filter(Boolean).join(". ");
}
