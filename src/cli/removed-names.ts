// Names of earlier releases and their replacements, generated from spec/removed-names.yaml.
import names from "../contract/generated/removed-names.ts";
import type { Environment } from "./options.ts";

/** `argument` means that the command no longer takes an argument. Option names include the command: `start --certificate-key`. */
type RemovedKind = keyof typeof names;

/** Returns the advice for a removed name, or undefined if the name was not removed. */
export function adviseOnRemoved(kind: RemovedKind, name: string): string | undefined {
  const instead = Object.hasOwn(names[kind], name) ? names[kind][name] : undefined;
  if (instead === undefined) return undefined;
  return instead === null ? "Leave it out." : `Use ${instead}.`;
}

/** Returns a warning for each removed environment variable that is set. */
export function warnOfVariables(environment: Environment): string[] {
  return Object.keys(environment).flatMap((name) => {
    const advice = environment[name] ? adviseOnRemoved("variable", name) : undefined;
    return advice === undefined ? [] : [`Warning: ${name} has no effect. ${advice}`];
  });
}
