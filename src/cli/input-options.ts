// Creates options from the fields of a request, and reads the request from the options.
import { rejectChoice } from "../engine/settings.ts";
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
  range?: Range;
  /** The paths of the fields that this option requires. */
  beside?: readonly string[];
}

interface Range {
  whole: boolean;
  least?: number;
  /** The value must be greater than this. */
  above?: number;
  most?: number;
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
    // Some fields need another one, such as a window its kind.
    const missing = row.beside?.filter((path) => !rows.some((other) => listPaths(other).includes(path))) ?? [];
    if (missing.length > 0) throw new Misuse(`--${row.name} needs ${formatOptionNames(table, missing)}. Give it too.`);
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

function readOne(row: InputRow, given: Given): unknown {
  const value = given.value(row.name);
  if (row.read) return readAs(row.read, value, given.label(row.name));
  if (row.all && [value].flat().includes("all")) return true;
  if (Array.isArray(value)) return value.map((text) => matchChoice(row, String(text)));
  return row.range && typeof value === "number" ? checkRange(row.name, row.range, value) : value;
}

/** Finds the choice regardless of case, and returns it as the sandbox spells it. */
function matchChoice({ name, choices }: InputRow, text: string): string {
  const known = choices?.find((choice) => choice.toLowerCase() === text.toLowerCase());
  const reason = choices && known === undefined && rejectChoice(text, choices);
  if (reason) throw new Misuse(`--${name} ${reason}`);
  return known ?? text;
}

/** Throws a Misuse that names the bounds. */
function checkRange(name: string, { whole, least, above, most }: Range, value: number): number {
  // A missing bound is replaced by the value itself, so it never rejects.
  const fits =
    (!whole || Number.isInteger(value)) && !(value < (least ?? value)) && !(value > (most ?? value)) && value !== above;
  if (fits) return value;
  const from = above === undefined ? (least === undefined ? "" : ` from ${least}`) : ` above ${above}`;
  const to = most === undefined ? "" : least === undefined ? ` and at most ${most}` : ` to ${most}`;
  throw new Misuse(`--${name} is ${value}. Give a ${whole ? "whole " : ""}number${from}${to}.`);
}
