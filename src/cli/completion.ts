// Shell completion: passes the commands and their values to the completion library, which prints the candidates.
import { type Complete, RootCommand } from "@bomb.sh/tab";
import type { Command, Group } from "./command.ts";
import { findArgumentValues, findOptionValues } from "./completion-values.ts";
import type { Environment, Option } from "./options.ts";

type Entries = readonly (Command | Group)[];

/** Prints the candidates for the last word, which may be empty. Errors produce no candidates, because a shell runs this while the user types. */
export async function printCandidates(
  entries: Entries,
  words: readonly string[],
  environment: Environment,
): Promise<void> {
  const root = new RootCommand();
  for (const entry of entries) {
    root.command(entry.name, entry.summary);
    for (const member of "members" in entry ? entry.members : [])
      root.command(`${entry.name} ${member.name}`, member.summary);
  }
  const named = findCommand(entries, words);
  if (named) await describeCommand(root, named, words, environment);
  root.parse([...words]);
}

interface NamedCommand {
  command: Command;
  /** The typed words. The group name alone runs its default command. */
  typed: string;
  /** The full name, such as `clock show`. */
  path: string;
}

function findCommand(entries: Entries, words: readonly string[]): NamedCommand | undefined {
  const [first, second] = words;
  const entry = entries.find(({ name }) => name === first);
  if (entry === undefined || words.length < 2) return undefined;
  if (!("members" in entry)) return { command: entry, typed: entry.name, path: entry.name };
  const member = words.length > 2 ? entry.members.find(({ name }) => name === second) : undefined;
  if (member) return { command: member, typed: `${entry.name} ${member.name}`, path: `${entry.name} ${member.name}` };
  const byDefault = entry.members.find(({ name }) => name === entry.default);
  return byDefault && { command: byDefault, typed: entry.name, path: `${entry.name} ${byDefault.name}` };
}

/** The completion library is synchronous, so values of the running sandbox are read first. */
async function describeCommand(
  root: RootCommand,
  { command, typed, path }: NamedCommand,
  words: readonly string[],
  environment: Environment,
): Promise<void> {
  const described = root.commands.get(typed);
  for (const [form] of command.arguments ?? []) {
    const name = form.replace(/[<>[\].]/g, "");
    const values = await findArgumentValues(path, name, environment).catch(() => []);
    described?.argument(name, offer(values), form.includes("..."));
  }
  for (const option of command.options) {
    if (option.kind === "flag") described?.option(option.name, option.meaning);
    else {
      const isWanted = words.slice(-2).some((word) => word.split("=")[0] === `--${option.name}`);
      const values = isWanted ? await readValues(option, environment) : [];
      described?.option(option.name, option.meaning, offer(values));
    }
  }
}

async function readValues(option: Option, environment: Environment): Promise<readonly string[]> {
  return option.choices ?? findOptionValues(option.name, environment).catch(() => []);
}

function offer(values: readonly string[]): (complete: Complete) => void {
  return (complete) => {
    for (const value of values) complete(value, "");
  };
}
