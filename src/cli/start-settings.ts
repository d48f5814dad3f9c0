// The options of `start` and `exec` as settings, each value checked before anything is opened: what, with which value, what to do.

import { type EventKind, readInstant } from "../engine/domain/index.ts";
import {
  checkSettings,
  explainKind,
  mustFit,
  rateLimit,
  SettingError,
  type Settings,
  settings,
  toEnvironment,
  toExcerpt,
  toOption,
} from "../engine/settings.ts";
import { findOutside } from "../platform/bounded-file.ts";
import { suggest } from "../platform/nearest.ts";
import { type Option, option } from "./command.ts";
import { Misuse } from "./failure.ts";
import { type Given, getText, type Source } from "./options.ts";

const memory: Option = option.flag("memory", "Write no state to disk.", { inFile: "any" });

/** An option that a variable gives too, as it does each option of `start`. */
export const withVariable = (each: Option): Option => ({ ...each, environment: toEnvironment(each.name) });

/** The settings, and what only a command line has. `memory` stands behind `data`, which it excludes. */
export const startOptions: readonly Option[] = [
  ...settings.flatMap((setting) => (setting.name === "data" ? [setting, memory] : [setting])),
  option.flag("json", "Print one line of JSON when ready, and nothing else.", { inFile: "nothing" }),
  option.flag("quiet", "Print nothing but warnings and errors.", { inFile: "any" }),
].map(withVariable);

/** What a configuration file may give. */
export const configurable: readonly string[] = startOptions.flatMap(({ name, inFile }) =>
  inFile === "nothing" ? [] : [name],
);

/** The options of `start` that each command takes that starts a sandbox of its own. */
const OWN_SANDBOX = ["fixture", "clock", "assume", "maturity", "webhook-url"];

/** Leaves the words about an option to `sandbox help settings`, where that has them. */
export const nameTopic = (each: Option): Option =>
  OWN_SANDBOX.includes(each.name) ? { ...each, topic: "settings" } : each;

/** They give the other options of `start`. */
const GIVES_OTHERS: readonly Option[] = [
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
 * The options of a command that starts a sandbox of its own. Those of `start` that few people need are given as `--option name=value`.
 * `leftOut` has no meaning there; `changes` are another default or meaning.
 */
export function createOwnSandboxOptions(
  leftOut: ReadonlySet<string>,
  changes: Readonly<Record<string, Partial<Option>>> = {},
): readonly Option[] {
  const all = startOptions
    .filter(({ name }) => !leftOut.has(name))
    .map(
      (each): Option => ({
        ...nameTopic(each),
        isTypedByName: !OWN_SANDBOX.includes(each.name),
        ...changes[each.name],
      }),
    );
  return [...all, ...GIVES_OTHERS];
}

/** What `sandbox help settings` documents for all commands that start a sandbox of their own. */
export const settingsOptions: readonly Option[] = [
  ...OWN_SANDBOX.flatMap((name) => startOptions.filter((each) => each.name === name)),
  ...GIVES_OTHERS,
].map((each) =>
  each.name === "clock"
    ? { ...each, default: "anchor", meaning: "Hold the clock at this instant; `anchor`: the fixture's own." }
    : each,
);

/** The values of `--option name=value` by name. Throws a Misuse that has the nearest name. */
export function readNamedOptions(texts: readonly string[], options: readonly Option[]): Record<string, string[]> {
  const named = options.filter(({ isTypedByName }) => isTypedByName).map(({ name }) => name);
  const values: Record<string, string[]> = {};
  for (const text of texts) {
    const at = text.indexOf("=");
    const name = text.slice(0, at);
    if (at < 1)
      throw new Misuse(
        `--option is ${toExcerpt(text)}, which is not name=value. Write it as --option rate-limit=60/min.`,
      );
    if (!named.includes(name)) {
      const own = options.some((each) => each.name === name);
      const advice = own ? ` Write it as --${name}.` : suggest(name, named);
      throw new Misuse(`--option does not take ${toExcerpt(name)}.${advice} It takes: ${named.join(", ")}.`);
    }
    values[name] = [...(values[name] ?? []), text.slice(at + 1)];
  }
  return values;
}

/** What is written in another form than the setting has. The other settings are taken as their kind gives them. */
const READERS: { readonly [Property in keyof Settings]?: (given: Given) => Settings[Property] } = {
  data: readData,
  clock: (given) => readClock(given.text("clock"), given.label("clock")),
  assume: (given) => readAssumptions(given.list("assume"), given.label("assume")),
  webhookEvents: (given) =>
    given.source("webhook-events") === "default" ? undefined : (given.list("webhook-events") as readonly EventKind[]),
  rateLimit: (given) => readRate(given.text("rate-limit"), given.label("rate-limit")),
};

/** Throws a Misuse with the option as it was given. */
export function readSettings(given: Given): Settings {
  const pairs = settings.map(({ property, name }) => {
    const read = READERS[property];
    return [property, read ? read(given) : given.value(name)];
  });
  const read = Object.fromEntries(pairs) as Settings;
  rethrowAsMisuse(() => checkSettings(read, (property) => given.label(toOption(property))));
  return read;
}

/** A rejected setting is wrong usage. */
function rethrowAsMisuse(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof SettingError ? new Misuse(error.message) : error;
  }
}

/** For a start that was rejected: whose value stands in the configuration file is named with its position there. */
export const addPosition =
  (given: Given) =>
  (reason: unknown): never => {
    if (reason instanceof Misuse && reason.option !== undefined && given.source(reason.option) === "file")
      throw new Misuse(`${given.label(reason.option)}: ${reason.message}`);
    throw reason;
  };

const STRONGEST_FIRST: readonly Source[] = ["flag", "environment", "file", "default"];

/** --data asks for a file, --memory for none: given in the same way, one of the two is a mistake. */
function readData(given: Given): string | undefined {
  if (given.text("database") !== undefined) return assertOnlyDatabase(given);
  if (!given.flag("memory")) return readDataFile(given);
  // The stronger source wins: a file says --data, and one run wants --memory.
  const [memory = 0, data = 0] = ["memory", "data"].map((name) => STRONGEST_FIRST.indexOf(given.source(name)));
  if (data === memory) {
    throw new Misuse(
      `${given.label("memory")} keeps nothing on disk, and ${given.label("data")} says ${toExcerpt(getText(given, "data"))}. Leave one of them out.`,
    );
  }
  return data < memory ? readDataFile(given) : undefined;
}

/** Where nobody has named it, a link that lies in the folder leads nowhere else. */
export function readDataFile(given: Given): string | undefined {
  const file = given.text("data");
  if (file === undefined || given.source("data") !== "default") return file;
  const elsewhere = findOutside(".", file);
  if (elsewhere === undefined) return file;
  throw new Misuse(
    `${file} leads to ${elsewhere}, out of this folder, and is not opened. If that is meant, say it aloud: --data ${elsewhere}; or keep nothing with --memory.`,
  );
}

/** A database takes the place of the file; asking for both, or for none to be kept, is a mistake. */
function assertOnlyDatabase(given: Given): undefined {
  for (const name of ["data", "memory", "fresh"]) {
    if (given.source(name) === "default" || given.value(name) === false) continue;
    throw new Misuse(
      `${given.label("database")} keeps the state in a database, so ${given.label(name)} does not apply. Leave one of them out.`,
    );
  }
  return undefined;
}

export function readClock(text: string | undefined, label = "--clock"): string | undefined {
  rethrowAsMisuse(() => mustFit("clock", text, label));
  return readInstant(text ?? "") ?? text;
}

export function readSeed(text: string | undefined): string | undefined {
  rethrowAsMisuse(() => mustFit("seed", text, "--seed"));
  return text;
}

/** Returns them as they are, or throws a Misuse with the nearest known kind. */
export function readKinds(label: string, kinds: readonly string[]): readonly string[] {
  const [reason] = kinds.flatMap((kind) => explainKind(kind) ?? []);
  if (reason === undefined) return kinds;
  throw new Misuse(`${label}: ${reason}`);
}

/** Throws a Misuse for what is not id=value. A value may have an equals sign. */
export function readAssumptions(texts: readonly string[], label: string): Record<string, string> {
  const read: Record<string, string> = {};
  for (const text of texts) {
    const [, id = "", value = ""] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (id === "")
      throw new Misuse(
        `${label} is ${toExcerpt(text)}, which is not id=value. Write it as --assume signature-text=v1.`,
      );
    // The same twice is no contradiction.
    if (read[id] !== undefined && read[id] !== value) {
      throw new Misuse(`${label} gives ${id} as ${read[id]} and as ${value}. Give it once.`);
    }
    read[id] = value;
  }
  return read;
}

function readRate(text: string | undefined, label: string): number | undefined {
  const rate = rateLimit(text);
  if (text === undefined || typeof rate === "number") return rate as number | undefined;
  throw new Misuse(`${label} is ${toExcerpt(text)}, which is not a rate. Write it as --rate-limit 60/min.`);
}
