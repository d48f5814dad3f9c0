// Creates options from the fields of a request, and reads the request from the options.
import { putAt } from "../platform/member-paths.ts";
import { Misuse } from "./failure.ts";
import type { Given, Option } from "./options.ts";
import { startOptions } from "./start-settings.ts";
import { readAs } from "./value-forms.ts";

/** An option that the build generates from the schema, so that every new field of a request becomes an option. */
export interface InputRow extends Omit<Option, "default"> {
  default?: Option["default"];
  /** The path of the field that gets the value, such as `token.expires_in`. */
  put?: string;
  /** The path and the value for each choice. */
  puts?: Readonly<Record<string, readonly [path: string, value: unknown]>>;
  /** Set if the text `all` means true. */
  all?: true;
  /** The form of the text (see value-forms.ts). */
  read?: string;
  /** The setting of `start` with the same meaning. */
  setting?: string;
}

/** The generated table for the input of a fault. */
export interface FaultTable {
  /** The fields of which one is required. */
  chosen: readonly string[];
  /** A self-contained JSON Schema per field. */
  members: Readonly<Record<string, object>>;
  /** The values that are sent by default. */
  defaults: Readonly<Record<string, unknown>>;
}

interface Options {
  options: readonly InputRow[];
}

export interface RequiredFields {
  without: readonly string[];
  sentence: string;
}

/** Creates the options. Those that are settings of `start` reuse its definition, but not its variable, which only a start reads. */
export const createOptions = ({ options }: Options): readonly Option[] =>
  options.map((row) => {
    const setting = startOptions.find(({ name }) => name === row.setting);
    return {
      ...row,
      default: row.default ?? DEFAULTS[row.kind],
      ...setting,
      environment: undefined,
      meaning: row.meaning,
    };
  });

const DEFAULTS = { flag: false, list: [], number: undefined, text: undefined } as const;

/** Reads the request. `idle` lists fields of which one is required, and the error without one. Throws a Misuse that names options, not fields. */
export function readInput(table: Options, given: Given, idle?: RequiredFields): object {
  const input = {};
  const rows = table.options.filter((row) => isGiven(row, given));
  for (const row of rows) {
    // A choice may decide which field is set.
    const [path, value] = row.puts?.[String(given.value(row.name))] ?? [row.put ?? row.name, readOne(row, given)];
    putAt(input, path.split("."), value);
  }
  if (idle && !rows.some((row) => listPaths(row).some((path) => idle.without.includes(path))))
    throw new Misuse(`${idle.sentence} ${formatOptionNames(table, idle.without)}.`);
  return input;
}

const isGiven = ({ name, default: byDefault }: InputRow, given: Given): boolean =>
  given.value(name) !== false && (given.source(name) !== "default" || byDefault !== undefined);

export const listPaths = ({ put, puts = {} }: InputRow): readonly string[] =>
  put === undefined ? Object.values(puts).map(([path]) => path) : [put];

/** Formats the options that set these fields, such as `--status, --code or --delay`. */
function formatOptionNames({ options }: Options, paths: readonly string[]): string {
  const names = options.filter((row) => listPaths(row).some((path) => paths.includes(path))).map(({ name }) => name);
  return names
    .map((name) => `--${name}`)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
}

function readOne({ name, read, all }: InputRow, given: Given): unknown {
  const value = given.value(name);
  if (read) return readAs(read, value, given.label(name));
  return all && [value].flat().includes("all") ? true : value;
}
