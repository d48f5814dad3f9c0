// Warns of environment variables that begin with SANDBOX_ and have no effect: removed, misspelt, or not used by the command.
import { toEnvironment } from "../engine/settings.ts";
import { findNearest } from "../platform/nearest.ts";
import { clientOptions } from "./command.ts";
import { start } from "./commands/start.ts";
import type { Environment, Option } from "./options.ts";
import { adviseOnRemoved, hasFormerVariable } from "./removed-names.ts";
import { VARIABLE_NAMES } from "./terminal/connection-info.ts";

const PREFIX = "SANDBOX_";
/** Variables of runs of a program, of the redirect preload, and of the tests of this project. */
const OTHER_NAMES = [
  ...["RUN_FOLDER", "DAY_MS", "WEBHOOK_SECRETS"],
  ...["REDIRECT", "LONG", "FUZZ", "FUZZ_MINUTES", "SOAK_MINUTES"],
].map((name) => PREFIX + name);
const OPTION_VARIABLES: readonly string[] = [...start.options, ...clientOptions].flatMap(
  ({ environment }) => environment ?? [],
);
const KNOWN = new Set([...OPTION_VARIABLES, ...VARIABLE_NAMES, ...OTHER_NAMES]);

/** Returns a warning for each removed variable and each misspelt name. */
export function warnOfVariables(environment: Environment): string[] {
  const unknown = Object.keys(environment).filter((name) => name.startsWith(PREFIX) && !KNOWN.has(name));
  return unknown.flatMap((name) => {
    if (environment[name] === "") return [];
    const advice = adviseOnRemoved("variable", name);
    if (advice !== undefined) return [`Warning: ${name} has no effect. ${advice}`];
    // Names are compared without the prefix, because the prefix would make all names similar.
    const meant = findNearest(
      name.slice(PREFIX.length),
      [...KNOWN].map((known) => known.slice(PREFIX.length)),
    );
    return meant === undefined ? [] : [`Warning: ${name} has no effect. Did you mean ${PREFIX}${meant}?`];
  });
}

/** Returns a warning for each set variable of `start` whose option the command reads only when typed. `command` is such as `clock show`. */
export function warnOfUnread(environment: Environment, options: readonly Option[], command: string): string[] {
  return options.flatMap(({ name, environment: own }) => {
    const variable = toEnvironment(name);
    if (own !== undefined || !OPTION_VARIABLES.includes(variable) || hasFormerVariable(name, command)) return [];
    return environment[variable]
      ? [`Warning: ${variable} has no effect on \`sandbox ${command}\`. Use --${name}.`]
      : [];
  });
}
