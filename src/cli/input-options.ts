// The options that are made of the members of an input, and the input that they ask for.

import { rejectChoice } from "../engine/settings.ts";
import { putAt } from "../platform/member-paths.ts";
import { Misuse } from "./failure.ts";
import type { Given, Option } from "./options.ts";
import { startOptions } from "./start-settings.ts";
import { readAs } from "./value-forms.ts";

/**
 * An option as the build writes it. The build makes it from the schema, so a new member of an input is an option at
 * once.
 */
export interface InputRow extends Omit<Option, "default"> {
  default?: Option["default"];
  /** Where its value goes: `token.expires_in`. */
  put?: string;
  /** The same by its choices, with what is put there. */
  puts?: Readonly<Record<string, readonly [path: string, value: unknown]>>;
  /** `all` stands for true. */
  all?: true;
  /** How its text is read. */
  read?: string;
  /** The setting of `start` that it is. */
  setting?: string;
  range?: Range;
  /** The members without which it has no meaning. */
  beside?: readonly string[];
}

interface Range {
  whole: boolean;
  least?: number;
  /** Greater than that. */
  above?: number;
  most?: number;
}

/** The input of a fault. */
export interface FaultTable {
  /** The members one of which it must have. */
  chosen: readonly string[];
  /** The members as a JSON Schema that stands alone. */
  members: Readonly<Record<string, object>>;
  /** What is sent where nothing is given. */
  defaults: Readonly<Record<string, unknown>>;
}

interface Options {
  options: readonly InputRow[];
}

export interface Idle {
  without: readonly string[];
  sentence: string;
}

/** A setting of `start` has its text there, so that the two never differ; its variable is only for a sandbox that starts. */
export const createOptions = ({ options }: Options): readonly Option[] =>
  options.map((row) => {
    const setting = startOptions.find(({ name }) => name === row.setting);
    return {
      ...row,
      default: row.default ?? EMPTY[row.kind],
      ...setting,
      environment: undefined,
      meaning: row.meaning,
    };
  });

const EMPTY = { flag: false, list: [], number: undefined, text: undefined } as const;

/**
 * `idle`: what is said when none of the members is given that do something, before the options that give one. Throws a
 * Misuse that names the options, never the members.
 */
export function readInput(table: Options, given: Given, idle?: Idle): object {
  const input = {};
  const rows = table.options.filter((row) => isGiven(row, given));
  for (const row of rows) {
    // Some members mean nothing alone, such as a window without its kind.
    const lacking = row.beside?.filter((path) => !rows.some((other) => listPaths(other).includes(path))) ?? [];
    if (lacking.length > 0) throw new Misuse(`--${row.name} needs ${formatOptionNames(table, lacking)}. Give it too.`);
    // A choice may decide which member it is.
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

/** The options that give these members: `--status, --code or --delay`. */
function formatOptionNames({ options }: Options, paths: readonly string[]): string {
  const names = options.filter((row) => listPaths(row).some((path) => paths.includes(path))).map(({ name }) => name);
  return names
    .map((name) => `--${name}`)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1");
}

// From the most special reading to the plainest.
function readOne(row: InputRow, given: Given): unknown {
  const value = given.value(row.name);
  if (row.read) return readAs(row.read, value, given.label(row.name));
  if (row.all && [value].flat().includes("all")) return true;
  if (Array.isArray(value)) return value.map((text) => matchChoice(row, String(text)));
  return row.range && typeof value === "number" ? checkRange(row.name, row.range, value) : value;
}

/** In the case that the sandbox writes it. */
function matchChoice({ name, choices }: InputRow, text: string): string {
  const known = choices?.find((choice) => choice.toLowerCase() === text.toLowerCase());
  const reason = choices && known === undefined && rejectChoice(text, choices);
  if (reason) throw new Misuse(`--${name} ${reason}`);
  return known ?? text;
}

/** Throws Misuse, with the bounds in words. */
function checkRange(name: string, { whole, least, above, most }: Range, value: number): number {
  // Written so that a bound that is absent never excludes anything.
  const fits =
    (!whole || Number.isInteger(value)) && !(value < (least ?? value)) && !(value > (most ?? value)) && value !== above;
  if (fits) return value;
  const from = above === undefined ? (least === undefined ? "" : ` from ${least}`) : ` above ${above}`;
  const to = most === undefined ? "" : least === undefined ? ` and at most ${most}` : ` to ${most}`;
  throw new Misuse(`--${name} is ${value}. Give a ${whole ? "whole " : ""}number${from}${to}.`);
}
