// Names of earlier releases and their replacements, generated from spec/removed-names.yaml.
import names from "../contract/generated/removed-names.json" with { type: "json" };

/** `argument` means that the command no longer takes an argument. Option names include the command: `start --certificate-key`. */
type RemovedKind = keyof typeof names;

/** Returns the advice for a removed name, or undefined if the name was not removed. */
export function adviseOnRemoved(kind: RemovedKind, name: string): string | undefined {
  const instead = Object.hasOwn(names[kind], name) ? names[kind][name] : undefined;
  if (instead === undefined) return undefined;
  return instead === null ? "Leave it out." : `Use ${instead}.`;
}

/** Returns true if the option once had a variable with another name than SANDBOX_ and the option's name. */
export function hasFormerVariable(option: string, command: string): boolean {
  return Object.values(names.variable).includes(`--${option} of \`sandbox ${command}\``);
}
