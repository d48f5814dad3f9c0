// Creates the commands that send requests to the control API. Names, arguments, options and messages come from a generated table, and
// hooks (answer.ts) adapt single commands.
import type { Schemas } from "../client/control.ts";
import rows from "../contract/generated/commands.json" with { type: "json" };
import { toExcerpt } from "../engine/settings.ts";
import { getMember, getValue, putAt } from "../platform/member-paths.ts";
import type { Answer, CallInput, SentCall } from "./answer.ts";
import { ANSWERS } from "./answers/index.ts";
import { type Client, createClient, type NameValue, nameByOptions } from "./client.ts";
import { type Call, type Command, clientOptions, type Group, nameWorld } from "./command.ts";
import { Misuse } from "./failure.ts";
import { createOptions, type InputRow, listPaths, readAs, readInput } from "./input-options.ts";
import { replaceTexts } from "./options.ts";
import { formatCell } from "./terminal/line.ts";
import { formatColumns, type Terminal } from "./terminal/terminal.ts";

/** A row that the build generates from `x-cli` in spec/control.yaml. The comment above `x-cli-groups` there explains each field. */
interface ControlRow {
  /** The full name, such as `snapshot save`. */
  command: string;
  summary: string;
  /** The command sends one of these. A given `flag` decides first, then `begins`, then whether an id is given. */
  calls: readonly {
    method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
    path: string;
    flag?: string;
    /** The prefix of the ids that select this request. */
    begins?: string;
    /** Fields that are always sent. */
    body?: object;
  }[];
  arguments: readonly {
    form: string;
    meaning: string;
    put: string;
    default?: string;
    /** The form of the text (see input-options.ts). */
    read?: string;
    /** Set if the default is the team of the token. */
    own?: true;
  }[];
  /** Options that set a value in `path`, `query` or `body`. */
  options: readonly (InputRow & {
    /** The indexes of the calls that take the option; default: all. */
    of?: readonly number[];
    chooses?: true;
    own?: true;
  })[];
  epilogue?: string;
  /** True if the command has --world. */
  ofWorld: boolean;
  /** The printed sentence. Names in braces are replaced by fields of the input and the response. */
  says?: string;
  /** The message for an empty list. */
  none?: string;
  /** Fields that --json prints together with the arguments if the response is empty. */
  gives?: object;
}

/** The type of the generated table. */
export interface ControlRows {
  groups: Readonly<Record<string, { summary: string; default?: string; order: readonly string[] }>>;
  commands: readonly ControlRow[];
  quotas: readonly Quota[];
}

interface Quota {
  option: string;
  member: keyof Schemas["Quotas"];
  /** The text after the number. */
  unit: string;
  meaning: string;
}

/** Creates the command or group with this first word. Throws for an unknown name, which is an error in the order of the help. */
export function createEntry(name: string): Command | Group {
  const own = rows.commands.filter(({ command }) => command.split(" ")[0] === name);
  const members = own.map((row) => createCommand(row));
  const group = rows.groups[name];
  if (!group && members[0]) return members[0];
  if (!group) throw new Error(`no operation has the command ${name}`);
  const { order, ...about } = group;
  // Commands that the group does not list come last.
  const getPosition = (member: Command) => (order.includes(member.name) ? order.indexOf(member.name) : order.length);
  return { name, ...about, members: members.sort((one, other) => getPosition(one) - getPosition(other)) };
}

/** Creates a group of the specification and adds commands that are more than one request. */
export function addMembers(name: string, members: readonly Command[]): Group {
  const group = createEntry(name);
  if (!("members" in group)) throw new Error(`${name} is no group`);
  return { ...group, members: [...members, ...group.members] };
}

/** Creates the commands and groups of the specification that are not in `entries`. */
export function createRemainingEntries(entries: readonly { name: string }[]): readonly (Command | Group)[] {
  const names = new Set(rows.commands.map(({ command }) => command.split(" ")[0] ?? ""));
  for (const { name } of entries) names.delete(name);
  return [...names].map(createEntry);
}

function createCommand(row: ControlRow): Command {
  const { command, summary, epilogue } = row;
  const hooks: Answer = ANSWERS[command] ?? {};
  const ofClient = clientOptions.filter(({ name }) => row.ofWorld || name !== "world");
  return {
    name: command.split(" ").at(-1) ?? "",
    summary,
    ...(row.arguments.length > 0 ? { arguments: row.arguments.map(({ form, meaning }) => [form, meaning]) } : {}),
    options: [...createOptions(row.options), ...(hooks.options ?? []), ...ofClient],
    ...(epilogue ? { epilogue } : {}),
    changes: hooks.changes ?? ((call) => nameChanged(row, call)),
    run: hooks.run ?? ((call) => runControlCommand(row, call, hooks)),
  };
}

/** Names what the command changes: a world, or the sandbox as a whole. Undefined for a GET. */
function nameChanged(row: ControlRow, call: Call): string | undefined {
  if (row.calls[chooseCall(row, call)]?.method === "GET") return undefined;
  if (row.ofWorld) return nameWorld(call);
  const world = call.args[row.arguments.findIndex(({ put }) => put === "path.worldId")];
  return world === undefined ? "the sandbox" : `world ${world}`;
}

/** Runs a command in fixed steps: check, read, prepare, send, settle, print. */
async function runControlCommand(row: ControlRow, call: Call, hooks: Answer): Promise<number | undefined> {
  const { given, terminal } = call;
  const client = createClient(
    // A command without --world uses the default world, because the client needs one.
    row.ofWorld ? given : replaceTexts(given, { world: "default" }),
    createNameValue(row, call),
  );
  hooks.check?.(call);
  const { input, named, labelled, chosen } = readCall(row, call);
  if (isOwnTeamNeeded(row, input)) putAt(input, ["path", "teamId"], await fetchOwnTeam(row, client));
  const found = (await hooks.prepare?.(input, call, client)) ?? (await sendCommand(row, chosen, { input, client }));
  const answer = hooks.settle ? await hooks.settle(found as never, client, call) : found;
  // Fields of the response replace fields of the input with the same name.
  const members = { ...named, ...input.path, ...(answer as object | undefined) };
  if (given.flag("json") && !hooks.reports) terminal.json(answer ?? { ...labelled, ...row.gives });
  else {
    const lines = hooks.show
      ? await hooks.show(answer as never, call, { client, input })
      : row.says
        ? [fillTemplate(row.says, members)]
        : formatTable(members, terminal);
    for (const line of lines) terminal.print(line);
    const items = getMember(answer, "items");
    if (row.none && Array.isArray(items) && items.length === 0) terminal.say(fillTemplate(row.none, members));
  }
  return hooks.code?.(answer as never);
}

function sendCommand(row: ControlRow, chosen: number, { input, client }: SentCall): Promise<unknown> {
  const { method = "GET", path = "", body: always, flag } = row.calls[chosen] ?? {};
  // The flag selected a request that needs an id, but the id is missing.
  if (path.includes("{") && input.path === undefined)
    throw new Misuse(`--${flag} needs an id: sandbox ${row.command} <id> --${flag}.`);
  const body = always ? { body: { ...always, ...input.body } } : "body" in input ? { body: input.body } : {};
  // The path is data here, so the request can't be type-checked.
  const request = client.control[method] as (path: string, init: object) => Promise<never>;
  return client.ask<unknown>(request(path, { params: { path: input.path, query: input.query }, ...body }));
}

/** Creates a function that names a wrong value by its option or argument. */
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
      // A position in a list is omitted, because the message contains the value.
      return rest === "" || /^\d+$/.test(rest) ? label : `${label} ${rest}`;
    }
    return nameByOptions()(error);
  };
}

const toLabel = (form: string): string => form.replace(/\W/g, "");

/** Returns the index of the call to send: by flag, by prefix of the id, or by whether an id is given. */
function chooseCall(row: ControlRow, { args: [id], given }: Call): number {
  const { calls, options } = row;
  if (calls.length === 1) return 0;
  const flagged = calls.findIndex(({ flag }) => flag !== undefined && given.flag(flag));
  const begun = calls.findIndex(({ begins }) => begins !== undefined && id?.startsWith(begins));
  const named = calls.findIndex(
    ({ flag, begins, path }) => !flag && !begins && path.includes("{") === (id !== undefined),
  );
  const at = [flagged, begun, named].find((each) => each >= 0) ?? 0;
  // An option of another call would silently have no effect.
  const odd = options.find(({ name, of }) => of?.includes(at) === false && given.source(name) === "flag");
  if (odd === undefined) return at;
  throw new Misuse(
    id === undefined ? `--${odd.name} needs an id.` : `--${odd.name} has no effect on ${toExcerpt(id)}. Leave it out.`,
  );
}

const isOwnTeamNeeded = (row: ControlRow, input: CallInput): boolean =>
  [...row.arguments, ...row.options].some(({ own }) => own) && input.path?.teamId === undefined;

/** Returns the team of the token. Throws a Misuse for the token of the operator. */
async function fetchOwnTeam({ command, arguments: [argument] }: ControlRow, { ask, control }: Client): Promise<string> {
  const { team } = await ask(control.GET("/_sandbox/me"));
  if (team !== null) return team;
  const how = argument?.own ? `sandbox ${command} <team>` : "--team <id>";
  throw new Misuse(`The operator is in no team. Name one: ${how}.`);
}

/** Reads the input of the request, and the arguments by their names in the request and in the help. */
function readCall(row: ControlRow, call: Call) {
  const { args, given } = call;
  const chosen = chooseCall(row, call);
  const options = row.options.filter(({ of, chooses }) => !chooses && of?.includes(chosen) !== false);
  const typed = row.arguments
    .map(({ put: firstPut, form, default: byDefault, read }, at) => {
      // Each call of a command may use another name for the argument in its path.
      const [, parameter] = /\{(\w+)\}/.exec(row.calls[chosen]?.path ?? "") ?? [];
      const put = row.calls.length > 1 && parameter ? `path.${parameter}` : firstPut;
      // A variadic argument takes all remaining words.
      const text = form.endsWith("...]") ? args.slice(at) : (args[at] ?? byDefault);
      return { put, form, value: text === undefined || Array.isArray(text) ? text : readAs(read, text) };
    })
    .filter(({ value }) => value !== undefined);
  const input: CallInput = readInput(options, given);
  for (const { put, value } of typed) putAt(input, put.split("."), value);
  const named = Object.fromEntries(typed.map(({ put, value }) => [put.split(".").at(-1), value]));
  const labelled = Object.fromEntries(typed.map(({ form, value }) => [toLabel(form), value]));
  return { input, named, labelled, chosen };
}

// A missing field is replaced by an empty text.
const fillTemplate = (sentence: string, members: object): string =>
  sentence.replace(/\{([\w.]+)\}/g, (_, path: string) => String(getValue(members, path.split(".")) ?? ""));

/** Formats a list as a table with a heading, and any other object as one line per field. */
function formatTable(answer: object, { paint }: Terminal): string[] {
  const items = getMember(answer, "items");
  if (!Array.isArray(items))
    return formatColumns(Object.entries(answer).map(([name, value]) => [paint("dim", name), formatCell(value)]));
  // Every field of any item gets a column.
  const names = [...new Set(items.flatMap((item: object) => Object.keys(item)))];
  const rows = items.map((item: object) => names.map((name) => formatCell(getMember(item, name))));
  return rows.length === 0 ? [] : formatColumns([names.map((name) => paint("dim", name)), ...rows]);
}
