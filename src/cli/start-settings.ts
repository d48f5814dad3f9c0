// Reads the options of `start` and `exec` as settings, and checks every value before anything is opened.
import {
  checkSettings,
  explainKind,
  SettingError,
  type Settings,
  settings,
  toEnvironment,
  toExcerpt,
  toOption,
} from "../engine/settings.ts";
import { findOutside } from "../platform/bounded-file.ts";
import { type Option, option } from "./command.ts";
import { Misuse, rejectUnknown } from "./failure.ts";
import { type Given, getText, type Source, splitPair } from "./options.ts";

const memory: Option = option.flag("memory", "Write no state to disk.", { inFile: "any" });

/** Adds the environment variable that every option of `start` has. */
export const withVariable = (each: Option): Option => ({ ...each, environment: toEnvironment(each.name) });

/** The settings and the options that only the command line has. `memory` follows `data`, which it excludes. */
export const startOptions: readonly Option[] = [
  ...settings.flatMap((setting) => (setting.name === "data" ? [setting, memory] : [setting])),
  option.flag("json", "Print one line of JSON when ready, and nothing else.", { inFile: "nothing" }),
  option.flag("quiet", "Print nothing but warnings and errors.", { inFile: "any" }),
].map(withVariable);

/** The options that a configuration file may set. */
export const configurable: readonly string[] = startOptions.flatMap(({ name, inFile }) =>
  inFile === "nothing" ? [] : [name],
);

/** The most important options of `start`, which other commands that start a sandbox take directly. */
const OWN_SANDBOX = ["fixture", "clock", "assume", "maturity", "webhook-url"];

/** Moves the help of an option to `sandbox help settings` if that topic has it. */
export const nameTopic = (each: Option): Option =>
  OWN_SANDBOX.includes(each.name) ? { ...each, topic: "settings" } : each;

/** Options that set all other options of `start`. */
const INDIRECT_OPTIONS: readonly Option[] = [
  option.text("config", "FILE", "Read this configuration file; default: the nearest sandbox.config.yaml.", {
    topic: "settings",
  }),
  option.list(
    "option",
    "name=value",
    "Set any other option of `sandbox start`, such as rate-limit=60/min. Repeatable.",
    { topic: "settings" },
  ),
];

/**
 * Creates the options of a command that starts its own sandbox. Rarely needed options of `start` are typed as `--option name=value`.
 * `leftOut` lists options without a meaning there, and `changes` replaces defaults or meanings.
 */
export function createOwnSandboxOptions(
  leftOut: ReadonlySet<string>,
  changes: Readonly<Record<string, Partial<Option>>> = {},
): readonly Option[] {
  const all = startOptions
    .filter(({ name }) => !leftOut.has(name))
    .map((each) => ({ ...nameTopic(each), isTypedByName: !OWN_SANDBOX.includes(each.name), ...changes[each.name] }));
  return [...all, ...INDIRECT_OPTIONS];
}

/** The options that `sandbox help settings` documents for all commands that start a sandbox. */
export const settingsOptions: readonly Option[] = [
  ...OWN_SANDBOX.flatMap((name) => startOptions.filter((each) => each.name === name)),
  ...INDIRECT_OPTIONS,
].map((each) =>
  each.name === "clock"
    ? { ...each, default: "anchor", meaning: "Hold the clock at this instant; `anchor`: the fixture's own." }
    : each,
);

/** Returns the values of `--option name=value` by name. Throws a Misuse that suggests the nearest name. */
export function readNamedOptions(texts: readonly string[], options: readonly Option[]): Record<string, string[]> {
  const named = options.filter(({ isTypedByName }) => isTypedByName).map(({ name }) => name);
  const values: Record<string, string[]> = {};
  for (const text of texts) {
    const [name, value] = splitPair(text, "--option", "name=value", "--option rate-limit=60/min");
    if (options.some((each) => each.name === name && !each.isTypedByName))
      throw new Misuse(`--option does not take ${name}. Write it as --${name}.`);
    if (!named.includes(name))
      throw rejectUnknown("--option does not take", name, named, `It takes: ${named.join(", ")}.`);
    values[name] = [...(values[name] ?? []), value];
  }
  return values;
}

/** Throws a Misuse that names the option, the variable, or the position in the file. */
export function readSettings(given: Given): Settings {
  const values = Object.fromEntries(settings.map(({ property, name }) => [property, given.value(name)]));
  const isAllEvents = given.source("webhook-events") === "default";
  const read = {
    ...values,
    data: readData(given),
    assume: readAssumptions(given.list("assume"), given.label("assume")),
    webhookEvents: isAllEvents ? undefined : values.webhookEvents,
  };
  return { ...read, ...checkValues(read, given) } as Settings;
}

/** Returns the settings that have a value. Throws a Misuse for an invalid one. */
export function checkValues(values: object, given: Given): Partial<Settings> {
  try {
    return checkSettings(values, (property) => given.label(toOption(property)));
  } catch (error) {
    throw error instanceof SettingError ? new Misuse(error.message) : error;
  }
}

/** Returns an error handler that adds the position in the configuration file to a rejected option of that file. */
export const addPosition =
  (given: Given) =>
  (reason: unknown): never => {
    if (reason instanceof Misuse && reason.option !== undefined && given.source(reason.option) === "file")
      throw new Misuse(`${given.label(reason.option)}: ${reason.message}`);
    throw reason;
  };

const STRONGEST_FIRST: readonly Source[] = ["flag", "environment", "file", "default"];

/** --data, --memory and --database exclude each other. The stronger source of --memory and --data wins. */
function readData(given: Given): string | undefined {
  if (given.text("database") !== undefined) {
    const isGiven = (name: string) => given.source(name) !== "default" && given.value(name) !== false;
    const other = ["data", "memory", "fresh"].find(isGiven);
    if (other === undefined) return undefined;
    throw new Misuse(
      `${given.label("database")} keeps the state in a database, so ${given.label(other)} does not apply. Leave one of them out.`,
    );
  }
  if (!given.flag("memory")) return readDataFile(given);
  const [memory = 0, data = 0] = ["memory", "data"].map((name) => STRONGEST_FIRST.indexOf(given.source(name)));
  if (data < memory) return readDataFile(given);
  if (data > memory) return undefined;
  throw new Misuse(
    `${given.label("memory")} keeps nothing on disk, and ${given.label("data")} says ${toExcerpt(getText(given, "data"))}. Leave one of them out.`,
  );
}

/** Returns the data file. The default path must not be a link that points outside the folder. */
export function readDataFile(given: Given): string | undefined {
  const file = given.text("data");
  if (file === undefined || given.source("data") !== "default") return file;
  const elsewhere = findOutside(".", file);
  if (elsewhere === undefined) return file;
  throw new Misuse(
    `${file} points to ${elsewhere}, outside this folder, and is not opened. To use it anyway, pass --data ${elsewhere}. To store nothing, pass --memory.`,
  );
}

/** Returns the kinds unchanged. Throws a Misuse that suggests the nearest known kind. */
export function readKinds(label: string, kinds: readonly string[]): readonly string[] {
  const [reason] = kinds.flatMap((kind) => explainKind(kind) ?? []);
  if (reason === undefined) return kinds;
  throw new Misuse(`${label}: ${reason}`);
}

/** Parses id=value texts. Throws a Misuse for any other text, and for two values of one id. */
export function readAssumptions(texts: readonly string[], label: string): Record<string, string> {
  const read = new Map<string, string>();
  for (const text of texts) {
    const [id, value] = splitPair(text, label, "id=value", "--assume signature-text=v1");
    const other = read.get(id) ?? value;
    if (other !== value) throw new Misuse(`${label} gives ${id} as ${other} and as ${value}. Give it once.`);
    read.set(id, value);
  }
  return Object.fromEntries(read);
}
