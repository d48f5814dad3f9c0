// `sandbox books compare`: an integrator's own postings compared with the journal, reported for people, programs and CI.
import { type Entry, readBookPages } from "../../client/book-pages.ts";
import { type Reconciled, type ReconcileFinding, reconcile } from "../../client/reconcile.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import { type Case, junitText } from "../../stories/index.ts";
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, type Option, option } from "../command.ts";
import { readInput } from "../failure.ts";
import { decodeText, type OwnBooks, readOwnBooks, type UnreadCell } from "../own-books.ts";
import { createReportOption, type Renderers, type ReportLook, readReports, writeReports } from "../reports.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** It is the JSON of the report, so its members are a contract. */
interface Comparison extends Omit<Reconciled, "findings"> {
  file: string;
  /** `line` in the file, instead of the number of the row. */
  findings: (Omit<ReconcileFinding, "row"> & { line?: number })[];
  unread: UnreadCell[];
}

/** So many of each class are shown to people. Programs get all of them. */
const MOST = 10;

const columnsOption: Option = option.list(
  "columns",
  "date=Datum",
  "Which of its columns is the entry, order, date, account, amount, debit, credit or currency.",
);

const FORMATS = ["spec", "json", "junit"];

/** Reads the file before the journal, so that a mistake in it is found at once. */
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
  // 2 where a row could not be read: then nothing is known about it.
  code: toExitCode,
};

/** Compares the postings of a file with the pages of the journal; line numbers are those of the file. */
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

/** For people. */
function renderLines(against: Comparison, { paint }: ReportLook): string {
  const { file, findings, unread } = against;
  const lines = [
    ...cut(unread.map((each) => [paint("yellow", unreadText(file, each))])),
    ...byClass(findings).flatMap(([name, own]) => [
      `${paint("red", name)}  ${own[0]?.says}`,
      ...cut(own.map((each) => findingLines(file, each, paint))),
    ]),
    summarizeComparison(against),
  ];
  return `${lines.join("\n")}\n`;
}

type Finding = Comparison["findings"][number];

function findingLines(file: string, { line, expected, found, why }: Finding, paint: Terminal["paint"]): string[] {
  // What the journal has stands above what the file has, so that the eye compares columns.
  const rows = [expected && `journal  ${expected}`, found && `yours    ${found}`, why && paint("dim", why)];
  const at = line === undefined ? [] : [`${file}:${line}`];
  return [...at, ...rows.filter((each) => each !== undefined && each !== "")].map((each) => `  ${each}`);
}

/** The first ones, and how many more there are. */
function cut(all: readonly (readonly string[])[]): string[] {
  const more = all.length - MOST;
  return [...all.slice(0, MOST).flat(), ...(more > 0 ? [`  and ${more} more: --report json has all of them`] : [])];
}

function byClass(findings: readonly Finding[]): [name: string, own: readonly Finding[]][] {
  // In the order of the findings: what is more general was ruled out first.
  const names = [...new Set(findings.map((each) => each.class))];
  return names.map((name) => [name, findings.filter((each) => each.class === name)]);
}

function unreadText(file: string, { line, column, value, what }: UnreadCell): string {
  const cell = [column, value && `"${value}"`].filter(Boolean).join(" ");
  return `${file}:${line}: ${cell ? `${cell}: ` : ""}${what}.`;
}

function summarizeComparison(against: Comparison): string {
  const { rows, entries, findings, unread } = against;
  const wrong = byClass(findings).map(([name, own]) => `${own.length} ${name}`);
  if (unread.length > 0) wrong.push(`${unread.length} not read`);
  const found = wrong.length === 0 ? "they agree" : wrong.join(" · ");
  return `${rows} rows, ${entries} entries: ${found}       exit ${toExitCode(against)}`;
}

/** A row that can't be read is an error, a difference is a failure: CI servers count them apart. */
function junit({ file, rows, findings, unread }: Comparison): string {
  const cases: Case[] = [
    ...unread.map((each) => ({ name: `${file}:${each.line}`, error: unreadText(file, each) })),
    ...findings.map(({ class: name, says, line, entry, expected, found, why }) => ({
      name: [name, line === undefined ? entry : `${file}:${line}`].join(" "),
      failure: {
        message: says,
        text: [expected && `journal  ${expected}`, found && `yours    ${found}`, why].filter(Boolean).join("\n"),
      },
    })),
  ];
  // Some CI servers take a report without a case for a run that did not happen.
  const whole = cases.length > 0 ? cases : [{ name: `${rows} rows agree` }];
  return junitText("sandbox books", [{ name: "books", file, classname: "books", ms: 0, cases: whole }], 0);
}

const RENDERERS: Renderers<Comparison> = {
  spec: renderLines,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  junit,
};
