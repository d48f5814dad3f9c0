// Reads rows of a CSV file, whose first row names the columns. An unquoted cell that is a JSON number, true, false or null has that value.
// Everything else is text, including quoted cells and numbers that are too large to be exact.
import { CsvError, parse } from "csv-parse/sync";
import { count } from "../../platform/count.ts";
import type { Json, JsonObject } from "../../platform/json.ts";

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
