// `sandbox books compare`: compares an integrator's own postings with the journal of a world.
import { reconcileBooks } from "../../client/books.ts";
import type { Reconciled, ReconcileFinding } from "../../client/reconcile.ts";
import { readBounded } from "../../platform/bounded-file.ts";
import { type Case, formatJunit } from "../../stories/index.ts";
import type { Answer, CallInput } from "../answer.ts";
import type { Client } from "../client.ts";
import { type Call, option } from "../command.ts";
import { readInput } from "../failure.ts";
import { readOwnBooks } from "../own-books.ts";
import { createReportOption, openReports, type Renderers, type ReportStyle } from "../reports.ts";

/** `line` is a line of the file. */
type Finding = Omit<ReconcileFinding, "row"> & { line?: number };

/** The JSON of the report. Its fields are a contract. */
interface Comparison extends Omit<Reconciled, "findings"> {
  file: string;
  findings: Finding[];
}

/** The text report lists at most this many findings per class. The JSON report lists all. */
const MAX_FINDINGS = 10;

const columnsOption = option.list(
  "columns",
  "date=Datum",
  "The column for each of entry, order, date, account, amount, debit, credit and currency.",
);

const RENDERERS: Renderers<Comparison> = {
  spec: renderLines,
  json: (comparison) => `${JSON.stringify(comparison, null, 2)}\n`,
  junit: renderJunit,
};
const FORMATS = Object.keys(RENDERERS);

/** Reads the file before it fetches the journal, so that a mistake in the file is reported immediately. */
async function compareFile(
  { query }: CallInput,
  { args: [file = ""], given }: Call,
  client: Client,
): Promise<Comparison> {
  const text = readInput(() => readBounded(file), file, "");
  const { rows, lines } = readOwnBooks(text, file, given.list("columns"));
  const { findings, ...sums } = await reconcileBooks(client, rows, query);
  const found = findings.map(({ row, ...finding }) => ({ ...finding, ...(row && { line: lines[row - 1] ?? row }) }));
  return { file, ...sums, findings: found };
}

const toExitCode = ({ agrees }: Pick<Comparison, "agrees">): number => (agrees ? 0 : 1);

export const bookComparison: Answer<Comparison> = {
  options: [columnsOption, createReportOption(FORMATS)],
  check: (call) => void openReports(call, FORMATS),
  prepare: compareFile,
  reports: true,
  show(comparison, call) {
    openReports(call, FORMATS)(comparison, RENDERERS);
    return [];
  },
  code: toExitCode,
};

function renderLines({ file, rows, entries, agrees, findings }: Comparison, { paint }: ReportStyle): string {
  const names = [...new Set(findings.map((each) => each.class))];
  const classes = names.map((name) => ({ name, own: findings.filter((each) => each.class === name) }));
  const lines = classes.flatMap(({ name, own }) => [
    `${paint("red", name)}  ${own[0]?.says}`,
    ...own.slice(0, MAX_FINDINGS).flatMap((each) => formatFinding(file, each).map((line) => `  ${line}`)),
    ...(own.length > MAX_FINDINGS ? [`  and ${own.length - MAX_FINDINGS} more: --report json lists all`] : []),
  ]);
  const counts = classes.map(({ name, own }) => `${own.length} ${name}`).join(" · ") || "they agree";
  lines.push(`${rows} rows, ${entries} entries: ${counts}       exit ${toExitCode({ agrees })}`);
  return `${lines.join("\n")}\n`;
}

/** The two values are on consecutive lines, so that differences are easy to see. */
function formatFinding(file: string, { line, expected, found, why }: Finding): string[] {
  const lines = [line && `${file}:${line}`, expected && `journal  ${expected}`, found && `yours    ${found}`, why];
  return lines.filter((each) => typeof each === "string");
}

function renderJunit({ file, rows, findings }: Comparison): string {
  const cases: Case[] = findings.map((finding) => {
    const { class: name, says, line, entry } = finding;
    const failure = { message: says, text: formatFinding(file, finding).join("\n") };
    return { name: `${name} ${line === undefined ? entry : `${file}:${line}`}`, failure };
  });
  // Some CI servers treat a report without test cases as a missing run.
  const all = cases.length > 0 ? cases : [{ name: `${rows} rows agree` }];
  return formatJunit("sandbox books", [{ name: "books", file, classname: "books", ms: 0, cases: all }], 0);
}
