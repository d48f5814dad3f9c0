// Names that earlier releases had, and what to use instead: spec/removed-names.yaml.
import names from "../contract/generated/removed-names.json" with { type: "json" };

/** `argument`: the command takes none any more. Options have their command before them: `start --certificate-key`. */
type RemovedKind = keyof typeof names;

/** What to do without a removed name, as a sentence; undefined if the name was not removed. */
export function adviseOnRemoved(kind: RemovedKind, name: string): string | undefined {
  const instead = Object.hasOwn(names[kind], name) ? names[kind][name] : undefined;
  if (instead === undefined) return undefined;
  return instead === null ? "Leave it out." : `Use ${instead}.`;
}

/** Whether the variable of an option was not SANDBOX_ and its name. */
export function hasFormerVariable(option: string, command: string): boolean {
  return Object.values(names.variable).includes(`--${option} of \`sandbox ${command}\``);
}
