// Reads sandbox.config.yaml or sandbox.config.json, which sets options of `start`, from this folder or the nearest one above. The whole
// file is checked, including options that the command does not use. Errors name file, line and column.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { toExcerpt } from "../engine/settings.ts";
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

/** Two of these in one folder are rejected, because neither takes precedence. */
const CONFIG_FILE_NAMES = ["sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"];

/**
 * Returns the wanted options of the named file, or of the nearest configuration file in this folder or above. Returns undefined without a
 * file. Throws a Misuse with file, line and column.
 */
export function readConfig(folder: string, wanted: readonly string[], named?: string): Configured | undefined {
  if (named !== undefined && !existsSync(named)) throw new Misuse(`--config ${named} does not exist. Name a file.`);
  const file = named === undefined ? findConfigFile(resolve(folder)) : resolve(named);
  if (file === undefined) return undefined;
  const configured = readConfigFile(file);
  // The check needs a webhook-url: the file may set webhook-events while the command line sets --webhook-url.
  const typed = configured("webhook-url") ? {} : { "webhook-url": ["http://127.0.0.1/"] };
  readSettings(readOptions(startOptions, typed, {}, configured));
  return (name) => (wanted.includes(name) ? configured(name) : undefined);
}

function findConfigFile(folder: string): string | undefined {
  const [file, other] = CONFIG_FILE_NAMES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  if (file !== undefined && other !== undefined)
    throw new Misuse(`Both ${displayPath(file)} and ${displayPath(other)} exist. Keep one of them.`);
  // The search continues to the root, so that the file applies in every folder of a project.
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
  // An empty file is valid.
  if (values === null) return () => undefined;
  if (!isObject(values))
    throw new Misuse(
      `${formatPosition(positionOf([]))}: The file is not a map of options. Write one option per line, such as port: 4010.`,
    );
  // `$schema` is for editors and is not an option.
  const { $schema: _, ...given } = values;
  const options = startOptions.filter(({ name }) => Object.hasOwn(given, name));
  const unknown = Object.keys(given).find((each) => !options.some(({ name }) => name === each));
  if (unknown !== undefined) throw new Misuse(`${formatPosition(positionOfKey(unknown))}: ${explainUnknown(unknown)}`);
  const texts = new Map(
    options.map((option) => {
      const label = `${formatPosition(positionOfKey(option.name))}: ${option.name}`;
      const written = toOptionTexts(option, given[option.name], label);
      // Paths are relative to the file, not to the working folder.
      const texts = isPath(option, written) ? written.map((text) => resolve(dirname(file), text)) : written;
      const reason = explainNotInFile(option, written, texts, dirname(file));
      if (reason !== undefined) throw new Misuse(`${label} ${reason}`);
      return [option.name, { texts, label }];
    }),
  );
  return (option) => texts.get(option);
}

function explainUnknown(name: string): string {
  const advice = adviseOnRemoved("key", name);
  if (advice !== undefined) return `${name} was removed. ${advice}`;
  return `There is no option ${toExcerpt(name)}.${suggest(name, configurable)} Known: ${configurable.join(", ")}.`;
}

function rethrowAsMisuse<T>(read: () => T, begin: string): T {
  try {
    return read();
  } catch (error) {
    throw new Misuse(`${begin} ${toMessage(error)}`);
  }
}

/** Converts a value of the file to the texts that the command line would give. */
function toOptionTexts(option: Option, value: unknown, label: string): readonly string[] {
  const { kind, placeholder } = option;
  if (kind === "list") return toListTexts(value, label, placeholder);
  // YAML has more types than options have.
  const isFitting =
    kind === "flag" ? typeof value === "boolean" : typeof value === "string" || typeof value === "number";
  if (!isFitting) {
    const wanted = kind === "flag" ? "true or false" : `one value (${placeholder})`;
    throw new Misuse(`${label} is ${toExcerpt(JSON.stringify(value))}. Give it ${wanted}, or leave it out.`);
  }
  return [String(value)];
}

/** A built-in fixture has a name of letters, digits and dashes. Any other fixture is a path. */
function isPath({ name, inFile }: Option, [text = ""]: readonly string[]): boolean {
  return inFile === "path below" && text.trim() !== "" && !(name === "fixture" && isFixtureName(text));
}

/** Explains why a file may not set this value. The folder may come from another person, who must not decide it. */
function explainNotInFile(
  option: Option,
  written: readonly string[],
  texts: readonly string[],
  folder: string,
): string | undefined {
  const { name, kind, placeholder, inFile } = option;
  // The value may be a secret, so the message does not repeat it.
  const value = inFile === "nothing" && kind !== "flag" ? undefined : written.join(",");
  const typed = kind === "flag" ? `--${name}` : `--${name} ${value ?? placeholder}`;
  const advice = `The folder may come from another person, so set it yourself: ${toExcerpt(typed)}, or in ${option.environment}.`;
  if (inFile === "nothing") return `${kind === "flag" ? `is ${value}, and ` : ""}can't be set in a file. ${advice}`;
  if (typeof inFile === "function") {
    const reason = texts.flatMap((text) => inFile(text) ?? [])[0];
    return reason && `${reason} ${advice}`;
  }
  const target = isPath(option, texts) ? findOutside(folder, texts[0] ?? "") : undefined;
  return (
    target && `is ${toExcerpt(written[0] ?? "")}, which is outside the folder of this file, in ${target}. ${advice}`
  );
}

/** Reads a list, or for `assume` also a map of ids to values. */
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
