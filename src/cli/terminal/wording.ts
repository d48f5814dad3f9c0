// Rewords commander's usage errors: what was typed, the nearest known name, and how to list all names.
import type { Command, CommanderError } from "commander";
import { isDuration } from "../../engine/domain/index.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { suggest } from "../../platform/nearest.ts";
import { adviseOnRemoved } from "../removed-names.ts";

const REWIND_ADVICE =
  "A clock only moves forward. `sandbox rewind` restores a point in time that `sandbox logs --changes` lists.";

/** Returns undefined if commander threw only because it printed help or the version. */
export function explainUsageError({ code, exitCode, message }: CommanderError, command: Command): string | undefined {
  if (exitCode === 0 || code === "commander.help") return undefined;
  const where = formatCommandPath(command);
  const { parent, args } = command;
  // Commander quotes what was typed in its message and nowhere else.
  const [, quoted = ""] = /'(.*)'/s.exec(message) ?? [];
  switch (code) {
    case "commander.unknownOption":
      // A negative duration looks like an option.
      if (isDuration(quoted.slice(1))) return REWIND_ADVICE;
      return (
        describeRemoved("option", `${where} ${quoted}`) ??
        // Commander takes the removed command of a group for an argument of the group's default command.
        (parent && describeRemoved("command", `${formatCommandPath(parent)} ${args[0] ?? ""}`)) ??
        describeUnknown(where, "option", quoted, [...command.options.map(({ long }) => long ?? ""), "--help"])
      );
    case "commander.unknownCommand":
      return describeUnknownCommand(quoted, command);
    case "commander.excessArguments":
      // An extra word after a group is usually a misspelt command of the group.
      if (parent && (command as { usual?: boolean }).usual) return describeUnknownCommand(args[0] ?? "", parent);
      return describeRemoved("argument", where) ?? describeExtraArguments(command);
    case "commander.missingArgument":
      return `Missing argument <${quoted}>. Usage: ${where} ${command.usage()}`;
    case "commander.optionMissingArgument":
      return `${quoted.replace(/ .*/, "")} needs a value: ${quoted}.`;
    default:
      return message.replace(/^error: /, "");
  }
}

export function describeUnknownCommand(name: string, parent: Command): string {
  const where = formatCommandPath(parent);
  const names = parent.commands.map((each) => each.name());
  return describeRemoved("command", `${where} ${name}`) ?? describeUnknown(where, "command", name, names);
}

const describeUnknown = (where: string, kind: string, name: string, known: readonly string[]): string =>
  `${where} has no ${kind} ${toExcerpt(name)}.${suggest(name, known)} \`${where} --help\` lists them.`;

/** `words` is what was typed, including the name of the program. */
function describeRemoved(kind: "command" | "option" | "argument", words: string): string | undefined {
  const advice = adviseOnRemoved(kind, words.replace(/^sandbox /, ""));
  return advice && `${kind === "argument" ? "The argument of " : ""}\`${words}\` was removed. ${advice}`;
}

function describeExtraArguments(command: Command): string {
  const where = formatCommandPath(command);
  const extra = command.args.slice(command.registeredArguments.length);
  const words = extra.map((text) => (text === "" ? "an empty word" : toExcerpt(text))).join(" ");
  return `${where} does not take ${words}. Usage: ${where} ${command.usage()}`;
}

const formatCommandPath = (command: Command): string =>
  [...(command.parent ? [formatCommandPath(command.parent)] : []), command.name()].join(" ");
