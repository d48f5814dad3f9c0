// A command that carries one control call, made of its row: its words, its arguments and its options come from the specification, and it
// prints a sentence, a table of members, or what is given to show the answer.
import type { Schemas } from "../client/control.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import { memberOf, putAt, valueAt } from "../engine/domain/kernel/member-paths.ts";
import { clientOf } from "./client.ts";
import { type Call, type Command, clientOptions, type Group, type Option } from "./command.ts";
import { type InputRow, optionsOf, readInput } from "./input-options.ts";
import { columns, type Terminal } from "./terminal/terminal.ts";

export interface ControlRow {
  /** Its words: `snapshot save`. */
  command: string;
  summary: string;
  method: "GET" | "PUT" | "POST" | "DELETE";
  path: string;
  arguments: readonly { form: string; meaning: string; put: string; default?: string }[];
  /** Each puts its value into `path`, `query` or `body`. */
  options: readonly InputRow[];
  epilogue?: string;
  /** Whether it is about a world. */
  ofWorld: boolean;
  /** What is printed, with members of what was given and of the answer in braces. */
  says?: string;
  /** What is said where a list has no items. */
  none?: string;
  /** What --json prints beside the arguments, where the answer is empty. */
  gives?: object;
}

export interface ControlRows {
  groups: Readonly<Record<string, { summary: string; usual?: string; order: readonly string[] }>>;
  commands: readonly ControlRow[];
  quotas: readonly Quota[];
}

export interface Quota {
  option: string;
  member: keyof Schemas["Quotas"];
  /** Behind the number. */
  unit: string;
  meaning: string;
}

/** What is done by hand with a row: the answer is shown, or all of it is run. */
export interface ByHand {
  show?(answer: never, call: Call): readonly string[];
  /** Of how it is shown. */
  options?: readonly Option[];
  run?: Command["run"];
}

/** The commands and groups by their first word. `others`: members of a group that carry no single call. */
export function entryOf(
  name: string,
  byHand: Readonly<Record<string, ByHand>> = {},
  others: readonly Command[] = [],
): Command | Group {
  const own = rows.commands.filter(({ command }) => command.split(" ")[0] === name);
  const made = own.map((row) => commandOf(row, byHand[row.command.split(" ").at(-1) ?? ""] ?? {}));
  const group = rows.groups[name];
  if (!group) return made[0] ?? commandOf(rowOf(name), {});
  const { order, ...about } = group;
  const at = (member: Command) => (order.includes(member.name) ? order.indexOf(member.name) : order.length);
  return { name, ...about, members: [...made, ...others].sort((one, other) => at(one) - at(other)) };
}

/** The row of a command, for whoever runs it by hand. */
export function rowOf(name: string): ControlRow {
  const row = rows.commands.find(({ command }) => command === name);
  if (!row) throw new Error(`no operation has the command ${name}`);
  return row;
}

/** Those that nobody has given a place in the help. */
export function othersThan(entries: readonly { name: string }[]): readonly (Command | Group)[] {
  const names = new Set(rows.commands.map(({ command }) => command.split(" ")[0] ?? ""));
  for (const { name } of entries) names.delete(name);
  return [...names].map((name) => entryOf(name));
}

function commandOf(row: ControlRow, { show, run, options = [] }: ByHand): Command {
  const { command, summary, epilogue } = row;
  return {
    name: command.split(" ").at(-1) ?? "",
    summary,
    ...(row.arguments.length > 0 ? { arguments: row.arguments.map(({ form, meaning }) => [form, meaning]) } : {}),
    options: [...optionsOf(row), ...options, ...clientOptions.filter(({ name }) => row.ofWorld || name !== "world")],
    ...(epilogue ? { epilogue } : {}),
    run: run ?? ((call) => carry(row, call, show)),
  };
}

/** Sends the call, and prints its answer. */
async function carry(row: ControlRow, call: Call, show: ByHand["show"]): Promise<undefined> {
  const { given, terminal } = call;
  const { input, named } = readCall(row, call);
  const { ask, control } = clientOf(
    row.ofWorld ? given : { ...given, text: (name) => (name === "world" ? "default" : given.text(name)) },
  );
  const { path, query, body } = input;
  const send = control[row.method] as (path: string, init: object) => Promise<never>;
  const answer = await ask<unknown>(send(row.path, { params: { path, query }, ...(body ? { body } : {}) }));
  if (given.flag("json")) return void terminal.json(answer ?? { ...named, ...row.gives });
  const members = { ...named, ...(answer as object | undefined) };
  const lines = show
    ? show(answer as never, call)
    : row.says
      ? [filled(row.says, members)]
      : tableOf(members, terminal);
  for (const line of lines) terminal.print(line);
  const items = memberOf(answer, "items");
  if (row.none && Array.isArray(items) && items.length === 0) terminal.say(row.none);
}

/** The parts of the request, and what the arguments are called in it. */
function readCall(row: ControlRow, { args, given }: Call) {
  const typed = Object.fromEntries(
    row.arguments
      .map(({ put, default: usual }, at): [string, unknown] => [put, args[at] ?? usual])
      .filter(([, value]) => value !== undefined),
  );
  const input: Partial<Record<"path" | "query" | "body", object>> = readInput(row, given);
  for (const [put, value] of Object.entries(typed)) putAt(input, put.split("."), value);
  const named = Object.fromEntries(Object.entries(typed).map(([put, value]) => [put.split(".").at(-1), value]));
  return { input, named };
}

const filled = (sentence: string, members: object): string =>
  sentence.replace(/\{([\w.]+)\}/g, (_, path: string) => String(valueAt(members, path.split(".")) ?? ""));

/** A line for each item of a list, and for each member of anything else. */
function tableOf(answer: object, { paint }: Terminal): string[] {
  const items = memberOf(answer, "items");
  const cell = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  if (!Array.isArray(items))
    return columns(Object.entries(answer).map(([name, value]) => [paint("dim", name), cell(value)]));
  const names = [...new Set(items.flatMap((item: object) => Object.keys(item)))];
  return columns(items.map((item: object) => names.map((name) => cell(memberOf(item, name)))));
}
