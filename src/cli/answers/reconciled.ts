// `sandbox books --against`: an integrator's own postings held against the journal, and what is wrong with them for people, programs and CI.
import type { Entry } from "../../client/book-pages.ts";
import { type Reconciled, type ReconcileFinding, reconcile } from "../../client/reconcile.ts";
import { readBounded, whyUnread } from "../../platform/bounded-file.ts";
import { type Case, junitText } from "../../stories/junit.ts";
import { type Call, type Option, option } from "../command.ts";
import { Misuse } from "../failure.ts";
import { textOf } from "../options.ts";
import { decoded, type OwnBooks, readOwnBooks, type Unread } from "../own-books.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** It is the JSON of the report, so its members are a contract. */
export interface Against extends Omit<Reconciled, "findings"> {
  file: string;
  /** `line` in the file, instead of the number of the row. */
  findings: (Omit<ReconcileFinding, "row"> & { line?: number })[];
  unread: Unread[];
}

/** So many of each class are shown to people. Programs get all of them. */
const MOST = 10;

const columnsOption: Option = option.list(
  "columns",
  "date=Datum",
  "Which of its columns is the entry, order, date, account, amount, debit, credit or currency.",
);

export const againstOptions: readonly Option[] = [
  option.text("against", "file", "Your own postings, as CSV or as one JSON object a line: says which of them differ."),
  columnsOption,
  option.text("reporter", "how", "What is printed of --against: spec for people, json, or junit for CI servers.", {
    choices: ["spec", "json", "junit"],
    default: "spec",
  }),
];

/** Undefined without --against. */
export function ownBooksOf({ given }: Call): (OwnBooks & { file: string }) | undefined {
  const file = given.text("against");
  if (file === undefined) {
    // An option that has no effect would hide that --against is missing.
    const idle = ["columns", "reporter"].find((name) => given.source(name) === "flag");
    if (idle) throw new Misuse(`--${idle} goes with --against: sandbox books --against mine.csv.`);
    return undefined;
  }
  if (given.source("format") === "flag")
    throw new Misuse("--format is of the entries. With --against, say --reporter spec, json or junit.");
  return { file, ...readOwnBooks(textIn(file), file, given.list("columns")) };
}

function textIn(file: string): string {
  try {
    return readBounded(file, { decode: decoded });
  } catch (reason) {
    throw new Misuse(`--against ${file} ${whyUnread(reason)}`);
  }
}

/** Compares the postings of a file with the pages of the journal; line numbers are those of the file. */
export async function compareBooks(
  pages: AsyncIterable<readonly Entry[]>,
  readZone: () => Promise<string>,
  { file, rows, lines, unread }: OwnBooks & { file: string },
): Promise<Against> {
  const { findings, agrees, ...sums } = await reconcile(pages, rows, readZone);
  return {
    ...{ file, ...sums, agrees: agrees && unread.length === 0, unread },
    findings: findings.map(({ row, ...finding }) => ({ ...finding, ...(row && { line: lines[row - 1] ?? row }) })),
  };
}

/** 2 where a row could not be read: then nothing is known about it. 0 where all agree, 1 otherwise. */
export const codeOfAgainst = ({ unread, agrees }: Against): number => (unread.length > 0 ? 2 : agrees ? 0 : 1);

/** One text for programs, or lines for people, as --reporter says. */
export function comparisonLines(against: Against, { given, terminal }: Call): string[] {
  const reporter = textOf(given, "reporter");
  if (reporter === "json") return [JSON.stringify(against, null, 2)];
  return reporter === "junit" ? [junit(against).trimEnd()] : againstLines(against, terminal);
}

/** For people. */
function againstLines(against: Against, { paint }: Terminal): string[] {
  const { file, findings, unread } = against;
  return [
    ...cut(unread.map((each) => [paint("yellow", unreadText(file, each))])),
    ...byClass(findings).flatMap(([name, own]) => [
      `${paint("red", name)}  ${own[0]?.says}`,
      ...cut(own.map((each) => findingLines(file, each, paint))),
    ]),
    summaryOf(against),
  ];
}

type Finding = Against["findings"][number];

function findingLines(file: string, { line, expected, found, why }: Finding, paint: Terminal["paint"]): string[] {
  // What the journal has stands above what the file has, so that the eye compares columns.
  const rows = [expected && `journal  ${expected}`, found && `yours    ${found}`, why && paint("dim", why)];
  const at = line === undefined ? [] : [`${file}:${line}`];
  return [...at, ...rows.filter((each) => each !== undefined && each !== "")].map((each) => `  ${each}`);
}

/** The first ones, and how many more there are. */
function cut(all: readonly (readonly string[])[]): string[] {
  const more = all.length - MOST;
  return [...all.slice(0, MOST).flat(), ...(more > 0 ? [`  and ${more} more: --reporter json has all of them`] : [])];
}

function byClass(findings: readonly Finding[]): [name: string, own: readonly Finding[]][] {
  // In the order of the findings: what is more general was ruled out first.
  const names = [...new Set(findings.map((each) => each.class))];
  return names.map((name) => [name, findings.filter((each) => each.class === name)]);
}

function unreadText(file: string, { line, column, value, what }: Unread): string {
  const cell = [column, value && `"${value}"`].filter(Boolean).join(" ");
  return `${file}:${line}: ${cell ? `${cell}: ` : ""}${what}.`;
}

function summaryOf(against: Against): string {
  const { rows, entries, findings, unread } = against;
  const wrong = byClass(findings).map(([name, own]) => `${own.length} ${name}`);
  if (unread.length > 0) wrong.push(`${unread.length} not read`);
  const found = wrong.length === 0 ? "they agree" : wrong.join(" · ");
  return `${rows} rows, ${entries} entries: ${found}       exit ${codeOfAgainst(against)}`;
}

/** A row that can't be read is an error, a difference is a failure: CI servers count them apart. */
function junit({ file, rows, findings, unread }: Against): string {
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
