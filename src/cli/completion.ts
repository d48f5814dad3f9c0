// Candidates for the word at the cursor, from the table of commands. A shell asks while somebody types: whatever goes wrong, there are
// none, and nothing is said.
import type { Command, Group } from "./command.ts";
import { type CompletionRequest, valuesOfArgument, valuesOfOption } from "./completion-values.ts";
import type { Environment, Option } from "./options.ts";

type Entries = readonly (Command | Group)[];

/** The last word is the one at the cursor; it may be empty. */
export async function candidates(
  entries: Entries,
  words: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const last = words.at(-1) ?? "";
  // PowerShell's stand-in for an empty word.
  const current = last === '""' ? "" : last;
  const found = await possible(entries, words.slice(0, -1), current, environment).catch(() => []);
  const fitting = [...new Set(found)].filter((each) => each.startsWith(current));
  // An id and its `=` come before its values: those wait until it is typed.
  return fitting.filter(
    (each) =>
      !fitting.some((other) => other.endsWith("=") && other !== each && each.startsWith(other) && other !== current),
  );
}

async function possible(
  entries: Entries,
  before: readonly string[],
  current: string,
  environment: Environment,
): Promise<readonly string[]> {
  const [name, ...rest] = before;
  if (name === undefined) return [...entries.map((each) => each.name), ...dashed(current, ["--help", "--version"])];
  const entry = entries.find((each) => each.name === name);
  if (entry === undefined) return [];
  if (!("members" in entry)) return ofCommand(entry, entry.name, { before: rest, current }, environment);
  const member = entry.members.find((each) => each.name === rest[0]);
  if (member) return ofCommand(member, `${name} ${member.name}`, { before: rest.slice(1), current }, environment);
  // A group with a default takes the words of that member too.
  const byDefault = entry.members.find((each) => each.name === entry.default);
  const names = rest.length === 0 ? entry.members.map((each) => each.name) : [];
  const others = byDefault
    ? await ofCommand(byDefault, `${name} ${byDefault.name}`, { before: rest, current }, environment)
    : [];
  return [...names, ...others];
}

async function ofCommand(
  command: Command,
  path: string,
  { before, current }: { before: readonly string[]; current: string },
  environment: Environment,
): Promise<readonly string[]> {
  // Where an option waits for its value, nothing but its values can follow.
  const { typed, waiting, position } = readTyped(command, before);
  const request = { typed, environment };
  // What follows is another program's, which completes itself.
  if (command.wraps && position > 0) return [];
  if (waiting) return valuesOf(waiting, current, request);
  const [, name, value] = /^--([^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) {
    const option = command.options.find((each) => each.name === name);
    const values = option ? await valuesOf(option, value ?? "", request) : [];
    return values.map((each) => `--${name}=${each}`);
  }
  // One that may be repeated is offered again.
  const open = command.options.filter((option) => option.kind === "list" || typed[option.name] === undefined);
  if (current.startsWith("-")) return [...open.map((option) => `--${option.name}`), "--help"];
  const forms = command.arguments ?? [];
  const [form = ""] = forms[position] ?? forms.filter(([each]) => each.includes("...")).slice(-1)[0] ?? [];
  return valuesOfArgument(path, form.replace(/[<>[\].]/g, ""), request);
}

/** What stands before the cursor: the options with their values, the one that waits for its value, and how many arguments. */
function readTyped(command: Command, before: readonly string[]) {
  const typed: Record<string, readonly string[] | true> = {};
  let waiting: Option | undefined;
  let position = 0;
  for (const word of before) {
    const [, name = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = command.options.find((each) => each.name === name);
    if (waiting) {
      typed[waiting.name] = [word];
      waiting = undefined;
    } else if (!option) position += word.startsWith("-") ? 0 : 1;
    else if (option.kind === "flag") typed[name] = true;
    else if (value === undefined) waiting = option;
    else typed[name] = [value];
  }
  return { typed, waiting, position };
}

async function valuesOf(option: Option, current: string, request: CompletionRequest): Promise<readonly string[]> {
  const values = option.choices ?? (await valuesOfOption(option.name, request));
  // What is typed of the list stays in front of each candidate.
  const done = option.placeholder === "a,b" ? current.slice(0, current.lastIndexOf(",") + 1) : "";
  return values.map((each) => done + each);
}

function dashed(current: string, options: readonly string[]): readonly string[] {
  return current.startsWith("-") ? options : [];
}
