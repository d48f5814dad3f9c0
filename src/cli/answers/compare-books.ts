// `sandbox books compare`: compares an integrator's own postings with the journal of a world.
import { type Entry, readBookPages } from "../../client/book-pages.ts";
import { type Reconciled, type ReconcileFinding, reconcile } from "../../client/reconcile.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import { type Case, formatJunit } from "../../stories/index.ts";
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { readInput } from "../failure.ts";
import { decodeText, type OwnBooks, readOwnBooks, type UnreadCell } from "../own-books.ts";
import { createReportOption, type Renderers, type ReportStyle, readReports, writeReports } from "../reports.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The JSON of the report. Its fields are a contract. */
interface Comparison extends Omit<Reconciled, "findings"> {
  file: string;
  /** `line` is a line of the file. */
  findings: (Omit<ReconcileFinding, "row"> & { line?: number })[];
  unread: UnreadCell[];
}

/** The text report lists at most this many findings per class. The JSON report lists all. */
const MAX_FINDINGS = 10;

const columnsOption: Option = option.list(
  "columns",
  "date=Datum",
  "The column for each of entry, order, date, account, amount, debit, credit and currency.",
);

const FORMATS = ["spec", "json", "junit"];

/** Reads the file before it fetches the journal, so that a mistake in the file is reported immediately. */
async function compareFile({ query }: CallInput, call: Call, { ask, control }: Client): Promise<Comparison> {
  const { args, given } = call;
  readReports(given, FORMATS);
  const file = args[0] ?? "";
  const text = readInput(() => readBounded(file, { decode: decodeText }), file, "");
  const own = { file, ...readOwnBooks(text, file, given.list("columns")) };
  const pages = readBookPages({ ...query }, (page) =>
    ask(control.GET("/_sandbox/books/entries", { params: { query: page } })),
  );
  const readZone = async () => {
    const { zone } = await ask(control.GET("/_sandbox/books/trial-balance"));
    return typeof query?.zone === "string" ? query.zone : zone;
  };
  return compareBooks(pages, readZone, own);
}

export const bookComparison: Answer<Comparison> = {
  options: [columnsOption, createReportOption(FORMATS)],
  prepare: compareFile,
  reports: true,
  show(comparison, { given, terminal }) {
    writeReports(comparison, readReports(given, FORMATS), RENDERERS, terminal);
    return [];
  },
  // Rows that could not be read are neither equal nor different, so they have their own exit code 2.
  code: toExitCode,
};

/** Compares the postings of a file with the pages of the journal. Line numbers are those of the file. */
async function compareBooks(
  pages: AsyncIterable<readonly Entry[]>,
  readZone: () => Promise<string>,
  { file, rows, lines, unread }: OwnBooks & { file: string },
): Promise<Comparison> {
  const { findings, agrees, ...sums } = await reconcile(pages, rows, readZone);
  return {
    file,
    ...sums,
    agrees: agrees && unread.length === 0,
    unread,
    findings: findings.map(({ row, ...finding }) => ({ ...finding, ...(row && { line: lines[row - 1] ?? row }) })),
  };
}

function toExitCode({ unread, agrees }: Comparison): number {
  if (unread.length > 0) return 2;
  return agrees ? 0 : 1;
}

function renderLines(against: Comparison, { paint }: ReportStyle): string {
  const { file, findings, unread } = against;
  const lines = [
    ...limitFindings(unread.map((each) => [paint("yellow", describeUnread(file, each))])),
    ...groupByClass(findings).flatMap(([name, own]) => [
      `${paint("red", name)}  ${own[0]?.says}`,
      ...limitFindings(own.map((each) => formatFinding(file, each, paint))),
    ]),
    summarizeComparison(against),
  ];
  return `${lines.join("\n")}\n`;
}

type Finding = Comparison["findings"][number];

function formatFinding(file: string, { line, expected, found, why }: Finding, paint: Terminal["paint"]): string[] {
  // The two values are on consecutive lines, so that differences are easy to see.
  const rows = [expected && `journal  ${expected}`, found && `yours    ${found}`, why && paint("dim", why)];
  const at = line === undefined ? [] : [`${file}:${line}`];
  return [...at, ...rows.filter((each) => each !== undefined && each !== "")].map((each) => `  ${each}`);
}

/** Returns the lines of the first findings, and how many more there are. */
function limitFindings(all: readonly (readonly string[])[]): string[] {
  const more = all.length - MAX_FINDINGS;
  const first = all.slice(0, MAX_FINDINGS).flat();
  return more > 0 ? [...first, `  and ${more} more: --report json lists all`] : first;
}

function groupByClass(findings: readonly Finding[]): [name: string, own: readonly Finding[]][] {
  // Classes keep the order of the findings, from general to specific.
  const names = [...new Set(findings.map((each) => each.class))];
  return names.map((name) => [name, findings.filter((each) => each.class === name)]);
}

function describeUnread(file: string, { line, column, value, what }: UnreadCell): string {
  const cell = [column, value && `"${value}"`].filter(Boolean).join(" ");
  return `${file}:${line}: ${cell ? `${cell}: ` : ""}${what}.`;
}

function summarizeComparison(against: Comparison): string {
  const { rows, entries, findings, unread } = against;
  const wrong = groupByClass(findings).map(([name, own]) => `${own.length} ${name}`);
  if (unread.length > 0) wrong.push(`${unread.length} not read`);
  const found = wrong.length === 0 ? "they agree" : wrong.join(" · ");
  return `${rows} rows, ${entries} entries: ${found}       exit ${toExitCode(against)}`;
}

/** A row that can't be read is an error and a difference a failure, because CI servers count them separately. */
function renderJunit({ file, rows, findings, unread }: Comparison): string {
  const cases: Case[] = [
    ...unread.map((each) => ({ name: `${file}:${each.line}`, error: describeUnread(file, each) })),
    ...findings.map(({ class: name, says, line, entry, expected, found, why }) => ({
      name: [name, line === undefined ? entry : `${file}:${line}`].join(" "),
      failure: {
        message: says,
        text: [expected && `journal  ${expected}`, found && `yours    ${found}`, why].filter(Boolean).join("\n"),
      },
    })),
  ];
  // Some CI servers treat a report without test cases as a missing run.
  const whole = cases.length > 0 ? cases : [{ name: `${rows} rows agree` }];
  return formatJunit("sandbox books", [{ name: "books", file, classname: "books", ms: 0, cases: whole }], 0);
}

const RENDERERS: Renderers<Comparison> = {
  spec: renderLines,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  junit: renderJunit,
};
