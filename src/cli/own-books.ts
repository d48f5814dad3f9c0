// Reads an integrator's own postings from a file: CSV as spreadsheets write it (commas, semicolons or tabs, a decimal point or comma, a
// byte order mark, quoted cells), or one JSON object per line. Unreadable rows are reported and skipped.
import { isUtf8 } from "node:buffer";
import { CsvError, parse } from "csv-parse/sync";
import type { OwnPosting } from "../client/reconcile.ts";
import { readInstant } from "../engine/domain/index.ts";
import { isObject, parseJson } from "../platform/json.ts";
import { Misuse, rejectUnknown } from "./failure.ts";

type BookMember = keyof OwnPosting;

/** A cell or row that could not be read, with its position, its text and the reason. The whole row is skipped. */
export interface UnreadCell {
  line: number;
  column: string;
  value: string;
  what: string;
}

/** Values are texts. An amount has a decimal point and no grouping; a date is YYYY-MM-DD or an instant. */
export interface OwnBooks {
  rows: OwnPosting[];
  /** The line of each row in the file. */
  lines: number[];
  unread: UnreadCell[];
}

const MEMBERS: readonly BookMember[] = ["entry", "order", "date", "account", "amount", "debit", "credit", "currency"];
const AMOUNTS: readonly BookMember[] = ["amount", "debit", "credit"];
const COLUMNS_ADVICE = `Name one of ${MEMBERS.join(", ")}, as in date=Datum.`;
/** Headings that `sandbox books --format csv` writes under another name. */
const HEADING_ALIASES: Readonly<Record<string, BookMember>> = { booked_on: "date" };

type Mark = "." | ",";

interface BookRecord {
  line: number;
  cells: Readonly<Record<string, unknown>>;
}

/** Decodes UTF-8, UTF-16 or windows-1252: spreadsheets write UTF-16 ("Unicode text") or the Windows code page by default. */
export function decodeText(bytes: Buffer): string {
  const marked = UTF_16.get(bytes.subarray(0, 2).toString("hex"));
  return new TextDecoder(marked ?? (isUtf8(bytes) ? "utf-8" : "windows-1252")).decode(bytes);
}

/** UTF-16 encodings by their byte order mark, which the decoder removes. */
const UTF_16: ReadonlyMap<string, string> = new Map([
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
]);

/**
 * Reads the postings of a file. `named` maps fields to headings, such as `date=Datum`. Throws a Misuse if the columns can't be recognized.
 */
export function readOwnBooks(text: string, file: string, named: readonly string[]): OwnBooks {
  if (/^\s*\[/.test(text))
    throw new Misuse(`${file} is a list. Write one JSON object on each line, as \`jq -c '.[]'\` does.`);
  const isJson = /^\s*\{/.test(text);
  const choose = (headings: readonly string[]) => chooseHeadings(named, headings, file);
  const { headingOf, records, unread, defaultMark } = isJson ? readJson(text, choose) : readCsv(text, choose);
  // The decimal mark is found for the whole file, because a single amount is often ambiguous.
  const mark = findMark(records, headingOf, defaultMark);
  const books: OwnBooks = { rows: [], lines: [], unread: [...unread] };
  for (const { line, cells } of records) {
    const row: Record<string, string> = {};
    const problems: UnreadCell[] = [];
    for (const [member, heading] of headingOf) {
      const value = String(cells[heading] ?? "").trim();
      if (value === "") continue;
      const read = readCell(member, value, mark);
      if (read.what) problems.push({ line, column: heading, value, what: read.what });
      else row[member] = read.value ?? value;
    }
    if (problems.length === 0 && !AMOUNTS.some((member) => member in row))
      problems.push({ line, column: headingOf.get("amount") ?? "debit", value: "", what: "the amount is missing" });
    books.unread.push(...problems);
    if (problems.length > 0) continue;
    books.rows.push(row);
    books.lines.push(line);
  }
  return books;
}

type ChooseHeadings = (headings: readonly string[]) => Map<BookMember, string>;

interface BookRecords {
  headingOf: ReadonlyMap<BookMember, string>;
  records: BookRecord[];
  unread: UnreadCell[];
  /** The decimal mark if every amount is ambiguous. */
  defaultMark: Mark;
}

function readJson(text: string, choose: ChooseHeadings): BookRecords {
  const [headings, records, unread] = [new Set<string>(), [] as BookRecord[], [] as UnreadCell[]];
  for (const [index, each] of text.split("\n").entries()) {
    if (each.trim() === "") continue;
    const line = index + 1;
    const cells = parseJson(each);
    if (!isObject(cells))
      unread.push({ line, column: "", value: each.slice(0, 60), what: "the line is not a JSON object" });
    else {
      // Lines may have different fields. Every field of any line is a column.
      for (const name of Object.keys(cells)) headings.add(name);
      records.push({ line, cells });
    }
  }
  return { headingOf: choose([...headings]), records, unread, defaultMark: "." };
}

/** The optional first line that names the delimiter. It becomes an empty line, so that line numbers stay correct. */
const SEPARATOR = /^sep=(.)(?=\r?\n)/i;

function readCsv(whole: string, choose: ChooseHeadings): BookRecords {
  const text = whole.replace(SEPARATOR, "");
  const delimiter = SEPARATOR.exec(whole)?.[1] ?? findDelimiter(text);
  let columns = 0;
  let headingOf: Map<BookMember, string> | undefined;
  /** The index of each column that is read. */
  let read: [heading: string, at: number][] = [];
  const records: BookRecord[] = [];
  const unread: UnreadCell[] = [];
  let above = 0;
  const take = (cells: string[], { lines }: { lines: number }) => {
    // The parser reports the last line of a record. The next record begins on the line below.
    const line = above + 1;
    above = lines;
    if (!headingOf) {
      const headings = cells.map((cell) => cell.trim());
      columns = headings.length;
      headingOf = choose(headings);
      read = [...headingOf.values()].map((heading) => [heading, headings.indexOf(heading)]);
    } else if (cells.length === columns)
      records.push({ line, cells: Object.fromEntries(read.map(([heading, at]) => [heading, cells[at]])) });
    else {
      const what = `the row has ${cells.length} cells, and the header ${columns}; quote a cell that has a "${delimiter}"`;
      unread.push({ line, column: "", value: cells.join(delimiter).slice(0, 60), what });
    }
    return null;
  };
  const options = { delimiter, relax_column_count: true, skip_empty_lines: true };
  try {
    parse(text, { ...options, on_record: take as never });
  } catch (reason) {
    // Rows before the invalid quote are kept.
    if (!(reason instanceof CsvError)) throw reason;
    unread.push({
      line: above + 1,
      column: "",
      value: "",
      what: "a quote is not closed, or is in the middle of a cell",
    });
  }
  return { headingOf: headingOf ?? choose([]), records, unread, defaultMark: delimiter === "," ? "." : "," };
}

function findDelimiter(text: string): string {
  const header = (text.split("\n", 1)[0] ?? "").replaceAll(/"[^"]*"/g, "");
  // Quoted cells were removed above, because a heading may contain a comma.
  const counted = [",", ";", "\t"].map((each) => [each, header.split(each).length] as const);
  return counted.reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}

/** Finds the decimal mark by the first unambiguous amount: the mark is not followed by exactly three digits, or follows the other mark. */
function findMark(records: readonly BookRecord[], headingOf: ReadonlyMap<BookMember, string>, defaultMark: Mark): Mark {
  const headings = AMOUNTS.flatMap((member) => headingOf.get(member) ?? []);
  for (const { cells } of records)
    for (const heading of headings) {
      const [, before = "", mark, part = ""] = /^(.*)([.,])(\d+)\D*$/.exec(String(cells[heading] ?? "")) ?? [];
      if (mark && (part.length !== 3 || before.includes(mark === "." ? "," : "."))) return mark as Mark;
    }
  return defaultMark;
}

function chooseHeadings(named: readonly string[], headings: readonly string[], file: string): Map<BookMember, string> {
  if (headings.length === 0) throw new Misuse(`${file} has no row. The first row must name the columns.`);
  const chosen = new Map<BookMember, string>();
  for (const heading of headings) {
    const name = heading.toLowerCase();
    const member = HEADING_ALIASES[name] ?? MEMBERS.find((each) => each === name);
    if (member && !chosen.has(member)) chosen.set(member, heading);
  }
  // A comma separates pairs only before a field name and an equals sign, because a heading may contain a comma.
  for (const pair of named.flatMap((each) => each.split(/,(?=[a-z]+=)/))) {
    const [, member = "", heading = ""] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    if (!MEMBERS.includes(member as BookMember))
      throw rejectUnknown(`--columns ${pair}: there is no`, member || pair, MEMBERS, COLUMNS_ADVICE);
    if (!headings.includes(heading))
      throw rejectUnknown(`${file} has no column`, heading, headings, `It has ${headings.join(", ")}.`);
    chosen.set(member as BookMember, heading);
  }
  if (!AMOUNTS.some((member) => chosen.has(member)))
    throw new Misuse(
      `${file} has no column for the amount. Name one, as in --columns amount=Total. Its columns: ${headings.join(", ")}.`,
    );
  if (!(["entry", "order", "date"] as const).some((member) => chosen.has(member)))
    throw new Misuse(
      `${file} has no column for entry, order or date. Name one, as in --columns date=Day. Its columns: ${headings.join(", ")}.`,
    );
  return chosen;
}

function readCell(member: BookMember, value: string, mark: Mark): { value?: string; what?: string } {
  if (AMOUNTS.includes(member)) {
    const amount = parseAmount(value, mark);
    return amount === undefined ? { what: `it is not an amount; write 1234${mark}50` } : { value: amount };
  }
  if (member !== "date") return { value };
  const day = parseDay(value);
  if (day !== undefined) return { value: day };
  const isEither = /^\d{1,2}\/\d{1,2}\/\d{4}$/.test(value);
  return { what: isEither ? AMBIGUOUS_DATE : "it is not a date; write 2030-06-01" };
}

const AMBIGUOUS_DATE =
  "a date with slashes is ambiguous: the day or the month may come first; write the column as 2030-06-01, or with the day first as 01.06.2030";

/** "1.234,50" → "1234.50"; parentheses are a minus. */
function parseAmount(text: string, mark: Mark): string | undefined {
  const digits = text.replace(/^[(-]/, "").replace(/[)-]$/, "").trim();
  const group = mark === "." ? "," : ".";
  const [whole = "", part, ...more] = digits.split(mark);
  const groups = whole.split(new RegExp(`[${group}\u00a0\u202f' ]`));
  // A text such as 1.2345,00 is not a valid number in any format.
  const isGrouped = groups.every(
    (each, at) => /^\d+$/.test(each) && (at === 0 ? groups.length === 1 || each.length <= 3 : each.length === 3),
  );
  if (!isGrouped || more.length > 0 || (part !== undefined && !/^\d+$/.test(part))) return undefined;
  return `${/^[(-]|-$/.test(text) ? "-" : ""}${groups.join("")}${part === undefined ? "" : `.${part}`}`;
}

/** Parses "2030/06/01", "01.06.2030" and "01-06-2030". "01/06/2030" is ambiguous, because it may begin with the month. */
function parseDay(text: string): string | undefined {
  const [, y, m, d] = /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ].*)?$/.exec(text) ?? [];
  const [, day, month, year] = /^(\d{1,2})[.-](\d{1,2})[.-](\d{4})$/.exec(text) ?? [];
  // The day of an instant depends on the zone of the company, so the instant is kept.
  if (/T[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text)) return readInstant(text) === undefined ? undefined : text;
  const found = y ? `${y}-${m}-${d}` : year ? `${year}-${month?.padStart(2, "0")}-${day?.padStart(2, "0")}` : "";
  return readInstant(`${found}T00:00:00Z`) !== undefined ? found : undefined;
}
