// Reads the rows of a scenario with `each`, from its list or from a JSON or CSV file in its folder. Every row is a separate run in a fresh
// world.
import { dirname, join } from "node:path";
import { CsvError, parse } from "csv-parse/sync";
import { explainRead, findOutside, readBounded } from "../../platform/bounded-file.ts";
import { count } from "../../platform/count.ts";
import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import { readValue } from "./read-value.ts";
import { findReferences, ReferenceUnknown, resolve } from "./refs.ts";
import type { Loaded } from "./scenario.ts";
import type { ShapeProblem } from "./schema.ts";

const MAX_BYTES = 4 * 1024 * 1024;
/** The limit keeps the number of runs reasonable. */
const MAX_ROWS = 1000;

interface Rows {
  rows?: readonly JsonObject[];
  misfits: readonly ShapeProblem[];
}

export function readRows(file: string, each: unknown): Rows {
  if (each === undefined) return { misfits: [] };
  if (typeof each === "string") return readRowsFile(file, each);
  return checkRows(each, (reason, ...index) => ({ path: ["each", ...index], reason }));
}

function readRowsFile(file: string, name: string): Rows {
  const folder = dirname(file);
  const path = join(folder, name);
  const createProblem = (reason: string): ShapeProblem => ({ path: ["each"], reason });
  const rejectRows = (reason: string): Rows => ({ misfits: [createProblem(reason)] });
  // Scenarios are untrusted, so they must not read files elsewhere.
  if (findOutside(folder, path) !== undefined)
    return rejectRows(`\`${name}\` leads out of the folder of the scenario; put the rows into it`);
  let text: string;
  try {
    text = readBounded(path, { most: MAX_BYTES, within: folder });
  } catch (reason) {
    return rejectRows(`\`${name}\` ${explainRead(reason)}`);
  }
  if (name.endsWith(".csv")) {
    const { rows, problems } = parseCsvRows(text);
    if (problems.length > 0)
      return { misfits: problems.map(({ line, reason }) => createProblem(`${path}:${line}: ${reason}`)) };
    return checkRows(rows, (reason) => createProblem(`${path}: ${reason}`));
  }
  const { errors, positionOf, value } = readValue(text);
  const [error] = errors;
  if (error) return rejectRows(`${path}:${error.line}:${error.column}: ${error.message}`);
  return checkRows(value, (reason, ...index) => {
    const { line, column } = positionOf(index);
    return createProblem(`${path}:${line}:${column}: ${reason}`);
  });
}

/** Checks that rows are objects with the same columns. */
function checkRows(rows: unknown, createProblem: (reason: string, ...index: number[]) => ShapeProblem): Rows {
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > MAX_ROWS)
    return { misfits: [createProblem(`rows are a list of 1 to ${MAX_ROWS} objects`)] };
  // The first row defines the columns.
  const columns = isObject(rows[0]) ? Object.keys(rows[0]) : [];
  const misfits = rows.flatMap((row: Json, index) => {
    if (!isObject(row)) return [createProblem("a row is an object: column and value", index)];
    const lacks = columns.filter((name) => !Object.hasOwn(row, name));
    const extra = Object.keys(row).filter((name) => !columns.includes(name));
    return [
      ...lacks.map((name) => createProblem(`the row has no \`${name}\`, which the first row has`, index)),
      ...extra.map((name) => createProblem(`the row has \`${name}\`, which the first row has not`, index)),
    ];
  });
  return misfits.length > 0 ? { misfits } : { rows: rows as JsonObject[], misfits };
}

/** Returns one run for each row, with the row in the title. */
export function expandRuns(loaded: Loaded): Loaded[] {
  const { rows, scenario } = loaded;
  if (!rows) return [loaded];
  return rows.map((row, index) => ({
    ...loaded,
    row,
    scenario: { ...scenario, title: formatTitle(scenario.title, row, index) },
  }));
}

function formatTitle(title: string, row: JsonObject, index: number): string {
  const [first = ""] = Object.values(row);
  const numbered = `${title} (row ${index + 1}: ${typeof first === "string" ? first : JSON.stringify(first)})`;
  if (findReferences(title).length === 0) return numbered;
  try {
    return String(resolve(title as Json, new Map([["row", row]])));
  } catch (reason) {
    if (!(reason instanceof ReferenceUnknown)) throw reason;
    return numbered;
  }
}

// Reads rows of a CSV file, whose first row names the columns. An unquoted cell that is a JSON number, true, false or null has that value.
// Everything else is text, including quoted cells and numbers that are too large to be exact.

interface CsvProblem {
  line: number;
  reason: string;
}

/** A record with the line on which it ends. */
interface Recorded {
  record: Json[];
  info: { lines: number; empty_lines: number };
}

const SYNTAX: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "a quote is opened and not closed; a quote within a cell is written twice",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote; quote the whole cell, and write a quote within it twice",
  INVALID_OPENING_QUOTE: "a quote stands within a cell; quote the whole cell, and write a quote within it twice",
};

/** Returns every problem with its line. If the file can't be parsed, there is only one problem. */
export function parseCsvRows(text: string): { rows: JsonObject[]; problems: readonly CsvProblem[] } {
  // Rows of another length are reported below with a better message.
  const options = { info: true, skip_empty_lines: true, relax_column_count: true };
  let found: Recorded[];
  try {
    found = parse(text, { ...options, cast: (cell, { quoting }) => parseCell(cell, quoting) }) as unknown as Recorded[];
  } catch (reason) {
    if (!(reason instanceof CsvError)) throw reason;
    const line = Number((reason as CsvError & { lines?: number }).lines ?? 1);
    return { rows: [], problems: [{ line, reason: SYNTAX[reason.code] ?? reason.message }] };
  }
  const [header, ...records] = found;
  const names = (header?.record ?? []).map(String);
  const problems = [
    ...findHeaderProblems(names),
    ...records.flatMap((each, index) => findCellProblems(each, found[index], names)),
  ];
  return { rows: records.map(({ record }) => toRow(names, record)), problems };
}

function toRow(names: readonly string[], record: readonly Json[]): JsonObject {
  return Object.fromEntries(names.map((name, index): [string, Json] => [name, record[index] ?? null]));
}

function parseCell(cell: string, isQuoted: boolean): Json {
  if (isQuoted || !/^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)$/.test(cell)) return cell;
  const value = JSON.parse(cell) as Json;
  // A long number, such as an external reference, would lose digits.
  return typeof value === "number" && !isExact(value) ? cell : value;
}

const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

function findHeaderProblems(names: readonly string[]): CsvProblem[] {
  const toHeaderProblem = (reason: string) => [{ line: 1, reason }];
  if (names.length === 0) return toHeaderProblem("there is no row; the first one names the columns");
  if (names.length === 1 && /[;\t]/.test(names[0] ?? "")) return toHeaderProblem("separate the cells by commas");
  if (names.includes("")) return toHeaderProblem("a column has no name; the first row names all of them");
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? [] : toHeaderProblem(`two columns are called \`${twice}\`; give each a name of its own`);
}

/** `before` is the previous record, whose last line precedes this one. */
function findCellProblems(
  { record, info }: Recorded,
  before: Recorded | undefined,
  names: readonly string[],
): CsvProblem[] {
  if (record.length === names.length) return [];
  // Empty lines are skipped but count as lines.
  const empty = info.empty_lines - (before?.info.empty_lines ?? 0);
  const line = (before?.info.lines ?? 0) + empty + 1;
  const cells = count(record.length, "cell");
  return [{ line, reason: `the row has ${cells}, and the header ${names.length}; quote a cell that has a comma` }];
}
