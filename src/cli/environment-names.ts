// The names that begin with SANDBOX_: those of options, those that the sandbox gives to other programs, and a few more. A variable that
// has no effect, and was meant to have one, gets a warning.
import { toEnvironment } from "../engine/settings.ts";
import { findNearest } from "../platform/nearest.ts";
import { clientOptions } from "./command.ts";
import { start } from "./commands/start.ts";
import type { Environment, Option } from "./options.ts";
import { adviseOnRemoved, hasFormerVariable } from "./removed-names.ts";
import { VARIABLE_NAMES } from "./terminal/connection-info.ts";

const PREFIX = "SANDBOX_";
/** Of runs of a program, of the redirecting preload, and of this project's own tests. */
const OTHERS = [
  ...["RUN_FOLDER", "DAY_MS", "WEBHOOK_SECRETS"],
  ...["REDIRECT", "LONG", "FUZZ", "FUZZ_MINUTES", "SOAK_MINUTES"],
].map((name) => PREFIX + name);
const OF_OPTIONS: readonly string[] = [...start.options, ...clientOptions].flatMap(
  ({ environment }) => environment ?? [],
);
const KNOWN = new Set([...OF_OPTIONS, ...VARIABLE_NAMES, ...OTHERS]);

/** A warning for each variable that was removed, and for each misspelt name. */
export function warnOfVariables(environment: Environment): string[] {
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !KNOWN.has(name));
  return unknown.flatMap((name) => {
    if (environment[name] === "") return [];
    const advice = adviseOnRemoved("variable", name);
    if (advice !== undefined) return [`Warning: ${name} has no effect. ${advice}`];
    // Compared without the prefix, which would make all names look alike.
    const meant = findNearest(
      name.slice(PREFIX.length),
      [...KNOWN].map((known) => known.slice(PREFIX.length)),
    );
    return meant === undefined ? [] : [`Warning: ${name} has no effect. Did you mean ${PREFIX}${meant}?`];
  });
}

/** Warnings for variables of `start` that a command with an option of that name once read. `command`: its words, such as `clock show`. */
export function warnOfUnread(environment: Environment, options: readonly Option[], command: string): string[] {
  return options.flatMap(({ name, environment: own }) => {
    const variable = toEnvironment(name);
    if (own !== undefined || !OF_OPTIONS.includes(variable) || hasFormerVariable(name, command)) return [];
    return environment[variable]
      ? [`Warning: ${variable} has no effect on \`sandbox ${command}\`. Use --${name}.`]
      : [];
  });
}
