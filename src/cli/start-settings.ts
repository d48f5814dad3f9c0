// The options of `start` and `exec` as settings, each value checked before anything is opened: what, with which value, what to do.
import { readInstant } from "../domain/kernel/instant.ts";
import { rateLimit } from "../setting-forms.ts";
import { shown, whyNotKind } from "../setting-values.ts";
import { asOption, checkedSettings, mustFit, SettingFault, type Settings, settings } from "../settings.ts";
import type { Option } from "./command.ts";
import { Misuse } from "./fault.ts";
import { type Given, textOf } from "./options.ts";

const memory: Option = { name: "memory", kind: "flag", default: false, meaning: "Write nothing to disk." };

/** The settings, and what only a command line has. */
export const startOptions: readonly Option[] = [
  ...settings.flatMap((setting) => (setting.name === "data" ? [setting, memory] : [setting])),
  { name: "json", kind: "flag", default: false, meaning: "Print one line of JSON when ready, and nothing else." },
  { name: "quiet", kind: "flag", default: false, meaning: "Print nothing but errors." },
];

/** What is written in another form than the setting has. */
const READERS: { readonly [Property in keyof Settings]?: (given: Given) => Settings[Property] } = {
  data: readData,
  clock: (given) => readClock(given.text("clock")),
  assume: (given) => readAssumptions(given.list("assume")),
  rateLimit: (given) => readRate(given.text("rate-limit")),
};

export function readSettings(given: Given): Settings {
  const pairs = settings.map(({ property, name }) => {
    const read = READERS[property];
    return [property, read ? read(given) : given.value(name)];
  });
  const read = Object.fromEntries(pairs) as Settings;
  orMisuse(() => checkedSettings(read, asOption));
  return read;
}

/** A rejected setting is wrong usage. */
function orMisuse(check: () => void): void {
  try {
    check();
  } catch (error) {
    throw error instanceof SettingFault ? new Misuse(error.message) : error;
  }
}

/** --data asks for a file, --memory for none: given in the same way, one of the two is a mistake. */
function readData(given: Given): string | undefined {
  const [inMemory, data] = [given.flag("memory") && given.source("memory"), given.source("data")];
  if (!inMemory) return given.text("data");
  if (data === inMemory) {
    throw new Misuse(
      `--memory keeps nothing on disk, and --data says ${shown(textOf(given, "data"))}. Leave one of them out.`,
    );
  }
  return inMemory === "environment" && data === "flag" ? given.text("data") : undefined;
}

export function readClock(text: string | undefined, label = "--clock"): string | undefined {
  orMisuse(() => mustFit("clock", text, label));
  return readInstant(text ?? "");
}

export function readSeed(text: string | undefined): string | undefined {
  orMisuse(() => mustFit("seed", text, "--seed"));
  return text;
}

export function readKinds(label: string, kinds: readonly string[]): readonly string[] {
  const [reason] = kinds.flatMap((kind) => whyNotKind(kind) ?? []);
  if (reason === undefined) return kinds;
  throw new Misuse(`${label}: ${reason}`);
}

function readAssumptions(texts: readonly string[]): Record<string, string> {
  const read: Record<string, string> = {};
  for (const text of texts) {
    const [, id = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (id === "")
      throw new Misuse(`--assume is ${shown(text)}, which is not id=value. Write it as --assume signature-text=v1.`);
    if (read[id] !== undefined && read[id] !== value) {
      throw new Misuse(`--assume gives ${id} as ${read[id]} and as ${value}. Give it once.`);
    }
    read[id] = value;
  }
  return read;
}

function readRate(text: string | undefined): number | undefined {
  const rate = rateLimit(text);
  if (text === undefined || typeof rate === "number") return rate as number | undefined;
  throw new Misuse(`--rate-limit is ${shown(text)}, which is not so many a minute. Write it as --rate-limit 60/min.`);
}
