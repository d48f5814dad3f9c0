// Rewords commander's usage errors: what was typed, the nearest known name, and how to list all names.
import type { Command, CommanderError } from "commander";
import { isDuration } from "../../engine/domain/index.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { suggest } from "../../platform/nearest.ts";
import { adviseOnRemoved } from "../removed-names.ts";

/** Returns undefined if commander threw only because it printed help or the version. */
export function explainUsageError(error: CommanderError, command: Command): string | undefined {
  const where = formatCommandPath(command);
  // Commander quotes what was typed in its message and nowhere else.
  const [, quoted = ""] = /'(.*)'/s.exec(error.message) ?? [];
  switch (error.code) {
    case "commander.unknownOption": {
      // A negative duration looks like an option.
      if (isDuration(quoted.slice(1))) return REWIND_ADVICE;
      const removed = describeRemoved("option", `${where} ${quoted}`) ?? describeRemovedMember(command);
      if (removed !== undefined) return removed;
      return `${where} has no option ${toExcerpt(quoted)}.${suggest(quoted, listOptions(command))} \`${where} --help\` lists them.`;
    }
    case "commander.unknownCommand":
      return describeUnknownCommand(quoted, command);
    case "commander.excessArguments":
      // An extra word after a group is usually a misspelt command of the group.
      return isDefaultMember(command)
        ? describeUnknownCommand(command.args[0] ?? "", command.parent as Command)
        : (describeRemovedArgument(where) ?? describeExtraArguments(command));
    case "commander.missingArgument":
      return `Missing argument <${quoted}>. Usage: ${where} ${command.usage()}`;
    case "commander.optionMissingArgument":
      return `${quoted.replace(/ .*/, "")} needs a value: ${quoted}.`;
    default:
      return error.exitCode === 0 || error.code === "commander.help"
        ? undefined
        : error.message.replace(/^error: /, "");
  }
}

const REWIND_ADVICE =
  "A clock only moves forward. `sandbox rewind` restores a point in time that `sandbox logs --changes` lists.";

export function describeUnknownCommand(name: string, parent: Command): string {
  const names = parent.commands.map((each) => each.name());
  const where = formatCommandPath(parent);
  const removed = describeRemoved("command", `${where} ${name}`);
  if (removed !== undefined) return removed;
  return `${where} has no command ${toExcerpt(name)}.${suggest(name, names)} \`${where} --help\` lists them.`;
}

/** Commander takes the removed command of a group for an argument of the group's default command. */
function describeRemovedMember({ parent, args: [name] }: Command): string | undefined {
  return parent && name !== undefined ? describeRemoved("command", `${formatCommandPath(parent)} ${name}`) : undefined;
}

function describeRemovedArgument(where: string): string | undefined {
  const advice = adviseOnRemoved("argument", where.replace(/^sandbox /, ""));
  return advice && `The argument of \`${where}\` was removed. ${advice}`;
}

/** `words` is what was typed, including the name of the program. */
function describeRemoved(kind: "command" | "option", words: string): string | undefined {
  const advice = adviseOnRemoved(kind, words.replace(/^sandbox /, ""));
  return advice && `\`${words}\` was removed. ${advice}`;
}

function describeExtraArguments(command: Command): string {
  const takes = command.registeredArguments.length;
  const extra = command.args
    .slice(takes)
    .map((text) => (text === "" ? "an empty word" : toExcerpt(text)))
    .join(" ");
  return `${formatCommandPath(command)} does not take ${extra}. Usage: ${formatCommandPath(command)} ${command.usage()}`;
}

const listOptions = ({ options }: Command): string[] => [...options.map(({ long }) => long ?? ""), "--help"];

/** Returns whether the command runs when no command of its group is named. */
const isDefaultMember = (command: Command): boolean => (command as { usual?: boolean }).usual === true;

function formatCommandPath(command: Command): string {
  const above = command.parent ? `${formatCommandPath(command.parent)} ` : "";
  return `${above}${command.name()}`;
}
