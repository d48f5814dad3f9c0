// Reads the input of a request from the command line: options that are made from its fields, texts in a form that the specification names,
// and --data JSON with --set path=value.
import { constants } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { isDuration, readInstant } from "../engine/domain/index.ts";
import { STATE_LIMIT, STATE_TOO_LARGE, toExcerpt } from "../engine/settings.ts";
import { decodeUtf8, explainRead } from "../platform/bounded-file.ts";
import { isObject, parseJson } from "../platform/json.ts";
import { putAt } from "../platform/member-paths.ts";
import { Misuse, readInput as readNamed, toMessage } from "./failure.ts";
import { type Given, type Option, splitPair } from "./options.ts";
import { readKinds, startOptions } from "./start-settings.ts";

/** An option that the build generates from the schema, so that every new field of a request becomes an option. */
export interface InputRow extends Omit<Option, "default"> {
  default?: Option["default"];
  /** The path of the field that gets the value, such as `token.expires_in`. */
  put?: string;
  /** The path and the value for each choice. */
  puts?: Readonly<Record<string, readonly [path: string, value: unknown]>>;
  /** Set if the text `all` means true. */
  all?: true;
  /** The form of the text (see FORMS). */
  read?: string;
  /** The setting of `start` with the same meaning. */
  setting?: string;
}

/** Creates the options. Those that are settings of `start` reuse its definition, but not its variable, which only a start reads. */
export const createOptions = (rows: readonly InputRow[]): readonly Option[] =>
  rows.map((row) => {
    const setting = startOptions.find(({ name }) => name === row.setting);
    const byDefault = row.default ?? DEFAULTS[row.kind];
    return { ...row, default: byDefault, ...setting, environment: undefined, meaning: row.meaning };
  });

const DEFAULTS = { flag: false, list: [], number: undefined, text: undefined } as const;

/** Reads the fields of the request from the options that were given. */
export function readInput(rows: readonly InputRow[], given: Given): object {
  const input = {};
  for (const row of rows) {
    const value = given.value(row.name);
    if (value === false || (given.source(row.name) === "default" && row.default === undefined)) continue;
    // A choice may decide which field is set.
    const [path, member] = row.puts?.[String(value)] ?? [row.put ?? row.name, readOne(row, given)];
    putAt(input, path.split("."), member);
  }
  return input;
}

export const listPaths = ({ put, puts = {} }: InputRow): readonly string[] =>
  put === undefined ? Object.values(puts).map(([path]) => path) : [put];

function readOne({ name, read, all }: InputRow, given: Given): unknown {
  const value = given.value(name);
  if (read) return readAs(read, value, given.label(name));
  return all && [value].flat().includes("all") ? true : value;
}

/** The forms by their name in the generated table (`read`). `label` is the name of the option; an argument has none. */
const FORMS: Readonly<Record<string, (text: string, label?: string) => unknown>> = {
  duration(text, label) {
    if (isDuration(text)) return text;
    const value = label ? `${label} is ${toExcerpt(text)}, which` : toExcerpt(text);
    throw new Misuse(`${value} is not a duration. Write it as P3D for three days, or PT90M for ninety minutes.`);
  },
  instant(text, label) {
    const instant = readInstant(text);
    if (instant !== undefined) return instant;
    // The example is on the given day if the text is a day.
    const example = readInstant(`${text}T09:00:00Z`)?.replace(".000Z", "Z") ?? "2030-06-01T09:00:00Z";
    throw new Misuse(`${label ? `${label}: invalid` : "Invalid"} instant "${toExcerpt(text)}". Use ${example}.`);
  },
  kind: (text, label = "The kind") => readKinds(label, [text])[0],
  /** "none" becomes undefined, which is not sent. */
  amount: (text) => (text === "none" ? undefined : parseJson(text)),
  tokenId(text) {
    if (!/^sbx_/.test(text)) return text;
    throw new Misuse("That is the token itself. Name its id, as `sandbox token list` shows it.");
  },
  document(file) {
    const size = file === "-" ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    // The sandbox would reject a larger file only after the whole upload.
    if (size > STATE_LIMIT) throw new Misuse(`${file} ${STATE_TOO_LARGE}`);
    try {
      // The file is too long for a string, so the sandbox checks its JSON.
      if (size > constants.MAX_STRING_LENGTH) return readFileSync(file);
      return JSON.parse(decodeUtf8(readFileSync(file === "-" ? 0 : file)));
    } catch (error) {
      const reason = error instanceof SyntaxError ? `is not JSON: ${toMessage(error)}.` : explainRead(error);
      throw new Misuse(`${file} ${reason} Give a file that \`sandbox world export\` wrote.`);
    }
  },
};

/** Returns a value without a form unchanged. */
export function readAs(form: string | undefined, value: unknown, label?: string): unknown {
  if (form === undefined) return value;
  if (form === "sets") return Object.fromEntries(readSets(value as readonly string[]));
  const read = FORMS[form];
  if (!read) throw new Error(`no text has the form ${form}`);
  return read(String(value), label);
}

export type JsonMembers = { [member: string]: unknown };

/** Reads --data: `@file` reads a file, `@-` reads stdin. Throws a Misuse, with `member` in the example, unless it is a JSON object. */
export function readData(text: string | undefined, member: string): JsonMembers {
  if (text === undefined) return {};
  const file = text === "@-" ? 0 : text.slice(1);
  const json = text.startsWith("@")
    ? readNamed(() => decodeUtf8(readFileSync(file)), `--data ${text}`, "Name a file of JSON as @file, or stdin as @-.")
    : text;
  const value = parseJson(json);
  if (isObject(value)) return value;
  throw new Misuse(
    `--data is ${toExcerpt(text)}, which is not a JSON object. Write it as --data '{"${member}": "…"}', or @- for stdin.`,
  );
}

/** Returns the path and the value of each --set. A value that is not JSON is a text. */
export function readSets(texts: readonly string[]): [path: string, value: unknown][] {
  return texts.map((text) => {
    const [path, value] = splitPair(text, "--set", "path=value", "--set customer.name=Anna");
    return [path, parseJson(value)];
  });
}

/** Sets fields by path. `items.0.quantity` addresses the first item. Missing objects and lists are created. */
export function withSets(data: JsonMembers, sets: readonly (readonly [path: string, value: unknown])[]): JsonMembers {
  // The copy keeps `data` unchanged.
  const changed = structuredClone(data);
  for (const [path, value] of sets) putAt(changed, path.split("."), value);
  return changed;
}
