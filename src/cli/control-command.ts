// A command that carries control calls, made of its row: its words, its arguments and its options come from the specification, and it
// prints a sentence, a table of members, or what is given to show the answer.
import type { Schemas } from "../client/control.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import { toExcerpt } from "../engine/settings.ts";
import { getMember, getValue, putAt } from "../platform/member-paths.ts";
import type { Answer, CallInput, SentCall } from "./answer.ts";
import { ANSWERS } from "./answers/index.ts";
import { type Client, createClient } from "./client.ts";
import { type Call, type Command, clientOptions, type Group, nameWorld } from "./command.ts";
import { Misuse } from "./failure.ts";
import { createOptions, type Idle, type InputRow, listPaths, readInput } from "./input-options.ts";
import { replaceTexts } from "./options.ts";
import { type NameValue, nameByOptions } from "./rejection.ts";
import { columnsWithin, fitted, type Terminal } from "./terminal/terminal.ts";
import { readAs } from "./value-forms.ts";

/**
 * As the build writes it from `x-cli` of the specification; the head of `x-cli-groups` in spec/control.yaml says what
 * each member means.
 */
interface ControlRow {
  /** Its words: `snapshot save`. */
  command: string;
  summary: string;
  /** The first whose flag is given; then the one whose `begins` fits; then the one that has what the argument names in its path. */
  calls: readonly {
    method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
    path: string;
    flag?: string;
    /** How an id begins that this call is for. */
    begins?: string;
    /** Members that it always has. */
    body?: object;
  }[];
  arguments: readonly {
    form: string;
    meaning: string;
    put: string;
    default?: string;
    /** How its text is read. */
    read?: string;
    /** The caller's own team stands for it. */
    own?: true;
    /** What lists its values, and the member that is one. */
    list?: { path: string; member: string };
  }[];
  /** Each puts its value into `path`, `query` or `body`. */
  options: readonly (InputRow & {
    /** Of these calls only. */
    of?: readonly number[];
    chooses?: true;
    own?: true;
  })[];
  epilogue?: string;
  /** Members one of which it must have, and what is said where it has none. */
  idle?: Idle;
  /** Whether it is about a world. */
  ofWorld: boolean;
  /** What is printed, with members of what was given and of the answer in braces. */
  says?: string;
  /** What is said where a list has no items. */
  none?: string;
  /** What --json prints beside the arguments, where the answer is empty. */
  gives?: object;
}

/** The whole table, which is generated. */
export interface ControlRows {
  groups: Readonly<Record<string, { summary: string; default?: string; order: readonly string[] }>>;
  commands: readonly ControlRow[];
  quotas: readonly Quota[];
}

interface Quota {
  option: string;
  member: keyof Schemas["Quotas"];
  /** Behind the number. */
  unit: string;
  meaning: string;
}

/**
 * The commands and groups by their first word. Throws for a name that no operation has: the table of the help is wrong
 * then.
 */
export function createEntry(name: string): Command | Group {
  const own = rows.commands.filter(({ command }) => command.split(" ")[0] === name);
  const members = own.map((row) => createCommand(row));
  const group = rows.groups[name];
  if (!group && members[0]) return members[0];
  if (!group) throw new Error(`no operation has the command ${name}`);
  const { order, ...about } = group;
  // Members that the group does not list come last.
  const getPosition = (member: Command) => (order.includes(member.name) ? order.indexOf(member.name) : order.length);
  return { name, ...about, members: members.sort((one, other) => getPosition(one) - getPosition(other)) };
}

/** The group of the specification with commands that are no single request. */
export function addMembers(name: string, members: readonly Command[]): Group {
  const group = createEntry(name);
  if (!("members" in group)) throw new Error(`${name} is no group`);
  return { ...group, members: [...members, ...group.members] };
}

/** Those that nobody has given a place in the help. */
export function createRemainingEntries(entries: readonly { name: string }[]): readonly (Command | Group)[] {
  const names = new Set(rows.commands.map(({ command }) => command.split(" ")[0] ?? ""));
  for (const { name } of entries) names.delete(name);
  return [...names].map(createEntry);
}

function createCommand(row: ControlRow): Command {
  const { command, summary, epilogue } = row;
  // Most commands have none, and are made of their row alone.
  const by: Answer = ANSWERS[command] ?? {};
  const ofClient = clientOptions.filter(({ name }) => row.ofWorld || name !== "world");
  return {
    name: command.split(" ").at(-1) ?? "",
    summary,
    ...(row.arguments.length > 0 ? { arguments: row.arguments.map(({ form, meaning }) => [form, meaning]) } : {}),
    options: [...createOptions(row), ...(by.options ?? []), ...ofClient],
    ...(epilogue ? { epilogue } : {}),
    changes: by.changes ?? ((call) => nameChanged(row, call)),
    run: by.run ?? ((call) => runControlCommand(row, call, by)),
  };
}

/** What the chosen call changes: a world where it is about one, otherwise something of the whole sandbox. */
function nameChanged(row: ControlRow, call: Call): string | undefined {
  if (row.calls[chooseCall(row, call)]?.method === "GET") return undefined;
  if (row.ofWorld) return nameWorld(call);
  const world = call.args[row.arguments.findIndex(({ put }) => put === "path.worldId")];
  return world === undefined ? "the sandbox" : `world ${world}`;
}

/** Sends the call, and prints its answer. The steps are always these: check, read, prepare, send, settle, print. */
async function runControlCommand(row: ControlRow, call: Call, by: Answer): Promise<number | undefined> {
  const { given, terminal } = call;
  const client = createClient(
    // A command about no world has no --world; the client wants one all the same.
    row.ofWorld ? given : replaceTexts(given, { world: "default" }),
    createNameValue(row, call),
  );
  by.check?.(call);
  const { input, named, labelled, chosen } = readCall(row, call);
  if (isOwnTeamNeeded(row, input)) putAt(input, ["path", "teamId"], await fetchOwnTeam(row, client));
  // What prepare answers stands for the call, which is then not sent.
  const found = (await by.prepare?.(input, call, client)) ?? (await send(row, chosen, { input, client }));
  const answer = by.settle ? await by.settle(found as never, client, call) : found;
  // The answer comes last, so that its members win over what was typed.
  const members = { ...named, ...input.path, ...(answer as object | undefined) };
  if (given.flag("json") && !by.reports) terminal.json(answer ?? { ...labelled, ...row.gives });
  else {
    const lines = by.show
      ? await by.show(answer as never, call, { client, input })
      : row.says
        ? [fitted(fillTemplate(row.says, members), terminal.width)]
        : formatTable(members, terminal);
    for (const line of lines) terminal.print(line);
    if (by.say) terminal.say(by.say(answer as never));
    const items = getMember(answer, "items");
    if (row.none && Array.isArray(items) && items.length === 0) terminal.say(fillTemplate(row.none, members));
  }
  return by.code?.(answer as never);
}

function send(row: ControlRow, chosen: number, { input, client }: SentCall): Promise<unknown> {
  const { method = "GET", path = "", body: always, flag } = row.calls[chosen] ?? {};
  const what = nameArgument(row);
  // The flag chose a call that needs an id, and none was given.
  if (path.includes("{") && input.path === undefined)
    throw new Misuse(
      `--${flag} needs the id of a ${what}: sandbox ${row.command} <${what}> --${flag}. \`sandbox ${row.command}\` lists them.`,
    );
  const body = always ? { body: { ...always, ...input.body } } : "body" in input ? { body: input.body } : {};
  // The row is data, so the types of the operation can't be followed here.
  const request = client.control[method] as (path: string, init: object) => Promise<never>;
  return client.ask<unknown>(request(path, { params: { path: input.path, query: input.query }, ...body }));
}

/** By the option or the argument that puts the value there. */
function createNameValue(row: ControlRow, { given }: Call): NameValue {
  const puts = [
    ...row.arguments.map(({ form, put }) => ({ put, label: `<${toLabel(form)}>` })),
    ...row.options.flatMap((option) => listPaths(option).map((put) => ({ put, label: given.label(option.name) }))),
  ];
  return (error) => {
    const { path, parameter } = error;
    const paths = path === undefined ? [`query.${parameter}`, `path.${parameter}`] : [path, `body.${path}`];
    for (const { put, label } of puts) {
      const found = paths.find((each) => each === put || each.startsWith(`${put}.`));
      if (found === undefined) continue;
      const rest = found.slice(put.length + 1);
      // The position in a list says nothing that the sentence does not.
      return rest === "" || /^\d+$/.test(rest) ? label : `${label} ${rest}`;
    }
    return nameByOptions()(error);
  };
}

const toLabel = (form: string): string => form.replace(/\W/g, "");
const nameArgument = ({ arguments: [argument] }: ControlRow): string => toLabel(argument?.form ?? "");

/** Which of the calls it is, by the flag that is given, or by whether the id of one thing is. */
function chooseCall(row: ControlRow, { args: [id], given }: Call): number {
  const { calls, options } = row;
  if (calls.length === 1) return 0;
  // A flag is stronger than an argument.
  const flagged = calls.findIndex(({ flag }) => flag !== undefined && given.flag(flag));
  const begun = calls.findIndex(({ begins }) => begins !== undefined && id?.startsWith(begins));
  const named = calls.findIndex(
    ({ flag, begins, path }) => !flag && !begins && path.includes("{") === (id !== undefined),
  );
  const at = [flagged, begun, named].find((each) => each >= 0) ?? 0;
  // An option of the other call would be dropped without a word.
  const odd = options.find(({ name, of }) => of?.includes(at) === false && given.source(name) === "flag");
  if (odd === undefined) return at;
  throw new Misuse(
    id === undefined ? `--${odd.name} needs an id.` : `--${odd.name} has no effect on ${toExcerpt(id)}. Leave it out.`,
  );
}

const isOwnTeamNeeded = (row: ControlRow, input: CallInput): boolean =>
  [...row.arguments, ...row.options].some(({ own }) => own) && input.path?.teamId === undefined;

/** The team that the token is of. */
async function fetchOwnTeam({ command, arguments: [argument] }: ControlRow, { ask, control }: Client): Promise<string> {
  const { team } = await ask(control.GET("/_sandbox/me"));
  if (team !== null) return team;
  const how = argument?.own ? ["sandbox", command, "<team>"].join(" ") : "--team <id>";
  throw new Misuse(`The operator is in no team. Name one: ${how}.`);
}

/** The parts of the request, and the arguments by what they are called in it, and in the help. */
function readCall(row: ControlRow, call: Call) {
  const { args, given } = call;
  const chosen = chooseCall(row, call);
  const options = row.options.filter(({ of, chooses }) => !chooses && of?.includes(chosen) !== false);
  const typed = row.arguments
    .map(({ put: firstPut, form, default: byDefault, read }, at) => {
      // The calls of a command may name the same argument differently in their paths.
      const [, parameter] = /\{(\w+)\}/.exec(row.calls[chosen]?.path ?? "") ?? [];
      const put = row.calls.length > 1 && parameter ? `path.${parameter}` : firstPut;
      // The last argument may take all the rest.
      const text = form.endsWith("...]") ? args.slice(at) : (args[at] ?? byDefault);
      return { put, form, value: text === undefined || Array.isArray(text) ? text : readAs(read, text) };
    })
    .filter(({ value }) => value !== undefined);
  const input: CallInput = readInput({ options }, given, row.idle);
  for (const { put, value } of typed) putAt(input, put.split("."), value);
  const named = Object.fromEntries(typed.map(({ put, value }) => [put.split(".").at(-1), value]));
  const labelled = Object.fromEntries(typed.map(({ form, value }) => [toLabel(form), value]));
  return { input, named, labelled, chosen };
}

// A member that is missing is left out: the sentence is written for the answer that most calls get.
const fillTemplate = (sentence: string, members: object): string =>
  sentence.replace(/\{([\w.]+)\}/g, (_, path: string) => String(getValue(members, path.split(".")) ?? ""));

/** A line for each item of a list, and for each member of anything else. */
function formatTable(answer: object, { paint, width }: Terminal): string[] {
  const items = getMember(answer, "items");
  const formatCell = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  if (!Array.isArray(items))
    return columnsWithin(
      Object.entries(answer).map(([name, value]) => [paint("dim", name), formatCell(value)]),
      width,
    );
  // A column for each member that any item has.
  const names = [...new Set(items.flatMap((item: object) => Object.keys(item)))];
  return columnsWithin(
    items.map((item: object) => names.map((name) => formatCell(getMember(item, name)))),
    width,
  );
}
