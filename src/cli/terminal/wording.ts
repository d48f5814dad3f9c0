// The sentences about wrong usage that commander finds: what was typed, the nearest known name, and how to list all names.
import type { Command, CommanderError } from "commander";
import { isDuration } from "../../engine/domain/index.ts";
import { toExcerpt } from "../../engine/settings.ts";
import { suggest } from "../../platform/nearest.ts";
import { adviseOnRemoved } from "../removed-names.ts";

/**
 * Undefined where nothing is wrong: help or the version was printed. Commander's own texts are in another style, and
 * name no way out.
 */
export function wordingOf(error: CommanderError, command: Command): string | undefined {
  const where = pathOf(command);
  // Commander gives what was typed only within its sentence.
  const [, quoted = ""] = /'(.*)'/s.exec(error.message) ?? [];
  switch (error.code) {
    case "commander.unknownOption": {
      if (isDuration(quoted.slice(1))) return BACKWARDS;
      const removed = describeRemoved("option", `${where} ${quoted}`) ?? describeRemovedMember(command);
      if (removed !== undefined) return removed;
      return `${where} has no option ${toExcerpt(quoted)}.${suggest(quoted, optionsOf(command))} \`${where} --help\` lists them.`;
    }
    case "commander.unknownCommand":
      return describeUnknownCommand(quoted, command);
    case "commander.excessArguments":
      // Surplus words of a default member are mostly a misspelt name.
      return isDefault(command)
        ? describeUnknownCommand(command.args[0] ?? "", command.parent as Command)
        : (describeRemovedArgument(where) ?? tooMany(command));
    case "commander.missingArgument":
      return `${where} lacks its ${quoted}. Write it as ${where} ${command.usage()}.`;
    case "commander.optionMissingArgument":
      return `${quoted.replace(/ .*/, "")} needs a value: ${quoted}.`;
    default:
      return error.exitCode === 0 || error.code === "commander.help"
        ? undefined
        : error.message.replace(/^error: /, "");
  }
}

/** A negative duration looks like an option. */
const BACKWARDS =
  "A clock goes forward. `sandbox rewind` goes back to a point in time that `sandbox logs --changes` lists.";

export function describeUnknownCommand(name: string, parent: Command): string {
  const names = parent.commands.map((each) => each.name());
  const where = pathOf(parent);
  const removed = describeRemoved("command", `${where} ${name}`);
  if (removed !== undefined) return removed;
  return `${where} has no command ${toExcerpt(name)}.${suggest(name, names)} \`${where} --help\` lists them.`;
}

/** A removed member of a group is an argument of the default member. */
function describeRemovedMember({ parent, args: [name] }: Command): string | undefined {
  return parent && name !== undefined ? describeRemoved("command", `${pathOf(parent)} ${name}`) : undefined;
}

function describeRemovedArgument(where: string): string | undefined {
  const advice = adviseOnRemoved("argument", where.replace(/^sandbox /, ""));
  return advice && `The argument of \`${where}\` was removed. ${advice}`;
}

/** `words`: what was typed, with the name of the program. */
function describeRemoved(kind: "command" | "option", words: string): string | undefined {
  const advice = adviseOnRemoved(kind, words.replace(/^sandbox /, ""));
  return advice && `\`${words}\` was removed. ${advice}`;
}

function tooMany(command: Command): string {
  const takes = command.registeredArguments.length;
  const extra = command.args
    .slice(takes)
    .map((text) => (text === "" ? "an empty word" : toExcerpt(text)))
    .join(" ");
  return `${pathOf(command)} does not take ${extra}. Write it as ${pathOf(command)} ${command.usage()}.`;
}

function optionsOf(command: Command): string[] {
  return [...command.options.map(({ long }) => long ?? ""), "--help"];
}

/** The default member of a group gets the words that are no name of a member. */
function isDefault(command: Command): boolean {
  return (command as { usual?: boolean }).usual === true;
}

function pathOf(command: Command): string {
  const above = command.parent ? `${pathOf(command.parent)} ` : "";
  return `${above}${command.name()}`;
}
