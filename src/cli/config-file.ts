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
import { Misuse, readInput } from "./failure.ts";
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
  const { document, errors, positionOf, positionOfKey } = readInput(
    () => readPositioned(readBounded(file, { most: 1024 * 1024 })),
    name,
    "",
  );
  const [error] = errors;
  if (error) throw new Misuse(`${formatPosition(error)}: ${error.message}`);
  // Excessive aliases are found only here.
  const values: unknown = readInput(() => document.toJS(), name, "");
  // An empty file is valid.
  if (values === null) return () => undefined;
  if (!isObject(values))
    throw new Misuse(
      `${formatPosition(positionOf([]))}: The file is not a map of options. Write one option per line, such as port: 4010.`,
    );
  const texts = new Map<string, ReturnType<Configured>>();
  for (const [key, value] of Object.entries(values)) {
    // `$schema` is for editors and is not an option.
    if (key === "$schema") continue;
    const option = startOptions.find((each) => each.name === key);
    const position = formatPosition(positionOfKey(key));
    if (option === undefined) throw new Misuse(`${position}: ${explainUnknown(key)}`);
    const label = `${position}: ${key}`;
    texts.set(key, { texts: readValue(option, value, label, dirname(file)), label });
  }
  return (option) => texts.get(option);
}

function explainUnknown(name: string): string {
  const advice = adviseOnRemoved("key", name);
  if (advice !== undefined) return `${name} was removed. ${advice}`;
  return `There is no option ${toExcerpt(name)}.${suggest(name, configurable)} Known: ${configurable.join(", ")}.`;
}

/** Returns the texts that the command line would give. Paths are relative to `folder`, which contains the file. */
function readValue(option: Option, value: unknown, label: string, folder: string): readonly string[] {
  const written = toTexts(option, value, label);
  const { name, kind, inFile, environment } = option;
  const isPath = inFile === "path below" && written[0]?.trim() && !(name === "fixture" && isFixtureName(written[0]));
  const texts = isPath ? written.map((text) => resolve(folder, text)) : written;
  const outside = isPath ? findOutside(folder, texts[0] ?? "") : undefined;
  let reason: string | undefined;
  if (inFile === "nothing") reason = `${kind === "flag" ? `is ${written}, and ` : ""}can't be set in a file.`;
  else if (typeof inFile === "function") reason = texts.flatMap((text) => inFile(text) ?? [])[0];
  else if (outside)
    reason = `is ${toExcerpt(written[0] ?? "")}, which is outside the folder of this file, in ${outside}.`;
  if (reason === undefined) return texts;
  // The value may be a secret, so the message does not repeat it.
  const typed = kind === "flag" ? `--${name}` : `--${name} ${inFile === "nothing" ? option.placeholder : written}`;
  throw new Misuse(
    `${label} ${reason} The folder may come from another person, so set it yourself: ${toExcerpt(typed)}, or in ${environment}.`,
  );
}

/** Converts a value of the file to texts. A list may be a single value, and `assume` a map of ids to values. */
function toTexts({ kind, placeholder = "" }: Option, value: unknown, label: string): readonly string[] {
  const isMap = isObject(value) && placeholder === "id=value";
  const items = isMap ? Object.values(value) : kind === "list" ? [value].flat() : [value];
  // YAML has more types than options have.
  const types = { flag: ["boolean"], list: ["string", "number", "boolean"] }[kind as string] ?? ["string", "number"];
  if (!items.every((item) => types.includes(typeof item))) {
    const wanted = { flag: "true or false", list: `a list of texts (${placeholder})` }[kind as string];
    throw new Misuse(
      `${label} is ${toExcerpt(JSON.stringify(value))}. Give it ${wanted ?? `one value (${placeholder})`}, or leave it out.`,
    );
  }
  return isMap ? Object.entries(value).map((entry) => entry.join("=")) : items.map(String);
}
