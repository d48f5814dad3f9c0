// sandbox.config.yaml or sandbox.config.json, found from here upwards: options of `start` by their names. A mistake in it is wrong usage
// and is named with its file, line and column, whichever options a command takes from it.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { toEnvironment, toExcerpt } from "../engine/settings.ts";
import { findOutside, readBounded } from "../platform/bounded-file.ts";
import { isFixtureName } from "../platform/fixture-name.ts";
import { isObject } from "../platform/json.ts";
import { suggest } from "../platform/nearest.ts";
import { type Position, readPositioned } from "../platform/positions.ts";
import { Misuse, toMessage } from "./failure.ts";
import { type Configured, type Option, readOptions } from "./options.ts";
import { adviseOnRemoved } from "./removed-names.ts";
import { displayPath } from "./server-file.ts";
import { configurable, readSettings, startOptions } from "./start-settings.ts";

/** Two of them side by side are refused, since nobody could say which holds. */
const CONFIG_FILE_NAMES = ["sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"];

/**
 * The configuration for a command that takes these options from it: of the named file, or of the nearest one of this folder or above.
 * Undefined where there is none. Throws a Misuse with file, line and column.
 */
export function readConfig(folder: string, wanted: readonly string[], named?: string): Configured | undefined {
  if (named !== undefined && !existsSync(named)) throw new Misuse(`--config ${named} does not exist. Name a file.`);
  const file = named === undefined ? findConfigFile(resolve(folder)) : resolve(named);
  if (file === undefined) return undefined;
  const configured = readConfigFile(file);
  // Every option is checked, also one that the command line overrides. --webhook-url may be given there for the kinds that stand here.
  const typed = configured("webhook-url") ? {} : { "webhook-url": ["http://127.0.0.1/"] };
  readSettings(readOptions(startOptions, typed, {}, configured));
  return (name) => (wanted.includes(name) ? configured(name) : undefined);
}

function findConfigFile(folder: string): string | undefined {
  const [file, other] = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (file !== undefined && other !== undefined)
    throw new Misuse(`There are ${displayPath(file)} and ${displayPath(other)}. Keep one of them.`);
  // Upwards to the root, so that it holds in every folder of a project.
  const above = dirname(folder);
  return file ?? (above === folder ? undefined : findConfigFile(above));
}

function readConfigFile(file: string): Configured {
  const name = displayPath(file);
  const formatPosition = ({ line, column }: Position) => `${name}:${line}:${column}`;
  const { document, errors, positionOf, positionOfKey } = rethrowAsMisuse(
    () => readPositioned(readBounded(file, { most: 1024 * 1024 })),
    name,
  );
  const [error] = errors;
  if (error) throw new Misuse(`${formatPosition(error)}: ${error.message}`);
  const values: unknown = rethrowAsMisuse(() => document.toJS(), `${name} can't be read:`);
  // An empty file says nothing, and is no mistake.
  if (values === null) return () => undefined;
  if (!isObject(values))
    throw new Misuse(
      `${formatPosition(positionOf([]))}: This is no map of options. Write it as port: 4010, one option a line.`,
    );
  // Editors want the schema in the file; it is no option.
  const { $schema: _, ...given } = values;
  const options = startOptions.filter(({ name }) => Object.hasOwn(given, name));
  // All of them at once, so that a file is mended in one go.
  const unknown = Object.keys(given).filter((each) => !options.some(({ name }) => name === each));
  if (unknown.length > 0) {
    const sentences = unknown.map((each) => `${formatPosition(positionOfKey(each))}: ${explainUnknown(each)}`);
    throw new Misuse(`${sentences.join("\n")}\nKnown: ${configurable.join(", ")}.`);
  }
  const texts = new Map(
    options.map((option) => {
      const label = `${formatPosition(positionOfKey(option.name))}: ${option.name}`;
      const written = toOptionTexts(option, given[option.name], label);
      // A path counts from the file, wherever the command was typed.
      const texts = isPath(option, written) ? written.map((text) => resolve(dirname(file), text)) : written;
      const reason = explainNotInFile(option, written, texts, dirname(file));
      if (reason !== undefined) throw new Misuse(`${label} ${reason}`);
      return [option.name, { texts, label }];
    }),
  );
  return (option) => texts.get(option);
}

/** Options of `start` that are of one start, and no setting of its sandbox. */
const COMMAND_LINE_ONLY = ["log", "watch"];

function explainUnknown(name: string): string {
  const advice = adviseOnRemoved("key", name);
  if (advice !== undefined) return `${name} was removed. ${advice}`;
  return COMMAND_LINE_ONLY.includes(name)
    ? `${name} is of one start, and can't be set in a file. Type --${name}, or set ${toEnvironment(name)}.`
    : `There is no option ${toExcerpt(name)}.${suggest(name, configurable)}`;
}

/** Throws a Misuse that names the file. */
function rethrowAsMisuse<T>(read: () => T, begin: string): T {
  try {
    return read();
  } catch (error) {
    throw new Misuse(`${begin} ${toMessage(error)}`);
  }
}

/** A value as the command line would give it. */
function toOptionTexts(option: Option, value: unknown, label: string): readonly string[] {
  const { kind, placeholder } = option;
  if (kind === "list") return toListTexts(value, label, placeholder);
  // YAML has types of its own; an option takes only what its kind can mean.
  const isFitting =
    kind === "flag" ? typeof value === "boolean" : typeof value === "string" || typeof value === "number";
  if (!isFitting) {
    const wanted = kind === "flag" ? "true or false" : `one value (${placeholder})`;
    throw new Misuse(`${label} is ${toExcerpt(JSON.stringify(value))}. Give it ${wanted}, or leave it out.`);
  }
  return [String(value)];
}

/** A shipped fixture has a name of letters, digits and dashes; everything else is a path. */
function isPath({ name, inFile }: Option, [text = ""]: readonly string[]): boolean {
  return inFile === "path below" && text.trim() !== "" && !(name === "fixture" && isFixtureName(text));
}

/** Why a file may not say so: who has made the folder has not made the decision. */
function explainNotInFile(
  option: Option,
  written: readonly string[],
  texts: readonly string[],
  folder: string,
): string | undefined {
  const { name, kind, placeholder, inFile } = option;
  // Not repeated: it may be a secret.
  const value = inFile === "nothing" && kind !== "flag" ? undefined : written.join(",");
  const typed = kind === "flag" ? `--${name}` : `--${name} ${value ?? placeholder}`;
  const aloud = `A folder may come from another person, so say it yourself: ${toExcerpt(typed)}, or in ${option.environment}.`;
  if (inFile === "nothing") return `${kind === "flag" ? `is ${value}, and ` : ""}can't be set in a file. ${aloud}`;
  if (typeof inFile === "function") {
    const reason = texts.flatMap((text) => inFile(text) ?? [])[0];
    return reason && `${reason} ${aloud}`;
  }
  const elsewhere = isPath(option, texts) ? findOutside(folder, texts[0] ?? "") : undefined;
  return (
    elsewhere &&
    `is ${toExcerpt(written[0] ?? "")}, which leads out of the folder of this file, to ${elsewhere}. ${aloud}`
  );
}

/** `assume` may also be a map of ids to values. */
function toListTexts(value: unknown, label: string, placeholder = ""): readonly string[] {
  const items: unknown[] =
    isObject(value) && placeholder === "id=value"
      ? Object.entries(value).map(([id, each]) => (isPlain(each) ? `${id}=${each}` : each))
      : Array.isArray(value)
        ? value
        : [value];
  if (items.every(isPlain)) return items.map(String);
  throw new Misuse(`${label} is ${toExcerpt(JSON.stringify(value))}. Give it a list of texts (${placeholder}).`);
}

const isPlain = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
