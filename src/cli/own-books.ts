// Reads an integrator's own postings from a CSV file with commas, semicolons or tabs, whose header names the columns.
import { CsvError, parse } from "csv-parse/sync";
import type { OwnPosting } from "../client/reconcile.ts";
import { readInstant } from "../engine/domain/index.ts";
import { Misuse, rejectUnknown } from "./failure.ts";

type BookField = keyof OwnPosting;

const FIELDS: readonly BookField[] = ["entry", "order", "date", "account", "amount", "debit", "credit", "currency"];
const AMOUNTS: readonly BookField[] = ["amount", "debit", "credit"];
/** One of each list is required. */
const REQUIRED_COLUMNS: readonly (readonly [fields: readonly BookField[], what: string, example: string])[] = [
  [AMOUNTS, "the amount", "amount=Total"],
  [["entry", "order", "date"], "entry, order or date", "date=Day"],
];
/** Headings that `sandbox books --format csv` writes under another name. */
const HEADING_ALIASES: Readonly<Record<string, BookField>> = { booked_on: "date" };
/** The error lists at most this many cells. */
const MAX_PROBLEMS = 10;

/**
 * Reads the postings of a file, and the line of each. `named` maps fields to headings, such as `date=Datum`. Throws a Misuse for unknown
 * or duplicate columns, rows without an amount, and cells that are not an amount or a date.
 */
export function readOwnBooks(text: string, file: string, named: readonly string[]) {
  const [header, ...records] = parseRecords(text, file);
  if (header === undefined) throw new Misuse(`${file} has no row. The first row must name the columns.`);
  const headings = header.record.map((each) => each.trim());
  const columns = chooseColumns(named, headings, file);
  const problems: string[] = [];
  const rows = records.map(({ record, info: { lines: line } }) => {
    const row: OwnPosting = {};
    // A row without an amount would count as 0.
    if (!AMOUNTS.some((field) => record[columns.get(field) ?? -1]?.trim()))
      problems.push(`${file}:${line}: the row "${record.join(", ")}" has no amount. Write 0 if none was booked.`);
    for (const [field, at] of columns) {
      const cell = record[at] ?? "";
      const value = readCell(field, cell.trim());
      if (value === undefined) problems.push(`${file}:${line}: ${headings[at]} ${describeProblem(field, cell)}`);
      else if (value !== "") row[field] = value;
    }
    return row;
  });
  if (problems.length === 0) return { rows, lines: records.map(({ info }) => info.lines) };
  const more = problems.length - MAX_PROBLEMS;
  throw new Misuse([...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])].join("\n"));
}

function parseRecords(text: string, file: string): { record: string[]; info: { lines: number } }[] {
  const [header = ""] = text.split("\n", 1);
  const delimiter = [";", "\t"].find((each) => header.includes(each)) ?? ",";
  try {
    return parse(text, { delimiter, info: true, skip_empty_lines: true }) as never;
  } catch (reason) {
    if (reason instanceof CsvError) throw new Misuse(`${file} is not valid CSV: ${reason.message}.`);
    throw reason;
  }
}

/** Returns the position of each field in a record. Throws a Misuse if several columns could be meant. */
function chooseColumns(named: readonly string[], headings: readonly string[], file: string): Map<BookField, number> {
  const columns = new Map<BookField, number>();
  const choose = (field: BookField, isWanted: (heading: string) => boolean) => {
    const positions = headings.flatMap((heading, at) => (isWanted(heading) ? [at] : []));
    if (positions[0] !== undefined) columns.set(field, positions[0]);
    const columnList = positions.map((at) => `${at + 1} "${headings[at]}"`).join(" and ");
    if (positions.length > 1) throw new Misuse(`${file}:1: columns ${columnList} are all for ${field}. Keep one.`);
  };
  // A comma separates pairs only before a field name and an equals sign, because a heading may contain a comma.
  for (const pair of named.flatMap((each) => each.split(/,(?=[a-z]+=)/))) {
    const [, name = pair, heading = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    const field = FIELDS.find((each) => each === name);
    if (field === undefined) throw rejectUnknown(`--columns ${pair}: there is no`, name || pair, FIELDS);
    if (!headings.includes(heading))
      throw rejectUnknown(`${file} has no column`, heading, headings, `It has ${headings.join(", ")}.`);
    choose(field, (each) => each === heading);
  }
  for (const field of FIELDS) if (!columns.has(field)) choose(field, (heading) => toField(heading) === field);
  for (const [fields, what, example] of REQUIRED_COLUMNS)
    if (!fields.some((field) => columns.has(field)))
      throw new Misuse(
        `${file} has no column for ${what}. Name one, as in --columns ${example}. Its columns: ${headings.join(", ")}.`,
      );
  return columns;
}

const toField = (heading: string): string => HEADING_ALIASES[heading.toLowerCase()] ?? heading.toLowerCase();

/** Returns the value as the comparison expects it, and undefined if it is not an amount or a date. */
function readCell(field: BookField, text: string): string | undefined {
  if (text === "") return "";
  if (AMOUNTS.includes(field)) return parseAmount(text);
  return field === "date" ? parseDay(text) : text;
}

const describeProblem = (field: BookField, cell: string): string =>
  field === "date"
    ? `"${cell}" is not a date. Write 2030-06-01 or 01.06.2030.`
    : `"${cell}" is not an amount. Write 1234.50 or 1234,50.`;

/** "1.234,50" → "1234.50". The last comma or point is the decimal mark. */
function parseAmount(text: string): string | undefined {
  const [, whole, part = "0"] = /^(-?(?:\d+|\d{1,3}(?:[.,]\d{3})+))(?:[.,](\d+))?$/.exec(text) ?? [];
  return whole && `${whole.replace(/[.,]/g, "")}.${part}`;
}

/** Parses "2030-06-01" and "01.06.2030". An instant is kept, because its day depends on the zone of the company. */
function parseDay(text: string): string | undefined {
  const iso = text.replace(/^(\d\d)\.(\d\d)\.(\d{4})$/, "$3-$2-$1");
  const instant = /^\d{4}-\d\d-\d\d$/.test(iso) ? `${iso}T00:00:00Z` : iso;
  return readInstant(instant) === undefined ? undefined : iso;
}
