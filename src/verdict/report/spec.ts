// Renders a report for the terminal: failures first, each with its evidence, what to do, and the command that repeats it.
import type { JudgedProfile } from "../profiles/index.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { formatShare, formatSummary, isCounted, type Look, sortByOutcome } from "./check-report.ts";

/** A soak may find hundreds of differences. */
const MAX_LISTED = 40;
/** The end of the program's output, in lines. */
const MAX_OUTPUT_LINES = 12;
/** A narrower column, in characters, would be hard to read. */
const MIN_WIDTH = 12;
const INDENT = " ".repeat(6);

const MARKS = { fail: "FAIL", warn: "WARN", undecided: "?", "not-exercised": "–", pass: "ok" };
const COLOURS = { fail: "red", warn: "yellow", undecided: "cyan", "not-exercised": "dim", pass: "green" } as const;

export function renderSpec(report: CheckReport, look: Look): string {
  const { name, command, about, results, notes, no_verdict, profile, exit_code } = report;
  const { paint, width } = look;
  const head = [name, ...(command.length > 0 ? ["--", ...command] : [])].join(" ");
  const noteLines = notes.flatMap((note) => wrap(` ${note}`, width));
  const lines = no_verdict
    ? [head, ...wrapIndented(no_verdict.says, "  ", width), ...formatOutputTail(no_verdict.output), ...noteLines]
    : [
        [head, ...(about.length > 0 ? [paint("dim", about.join(", "))] : [])].join("   "),
        ...formatResults(results, look),
        ...(profile ? formatProfile(profile, look) : []),
        ...noteLines,
        ...wrap(` ${[formatSummary(report), `exit ${exit_code}`].filter(Boolean).join("       ")}`, width),
      ];
  return [...lines, ""].join("\n");
}

/** Formats all results but the passed ones, which are only counted. */
function formatResults(results: readonly ReportResult[], look: Look): string[] {
  const open = sortByOutcome(results).filter(({ outcome }) => outcome !== "pass");
  const left = open.length - MAX_LISTED;
  return [
    ...open
      .slice(0, MAX_LISTED)
      .flatMap((result) => [...formatHead(result, look), ...(isCounted(result) ? formatDetails(result, look) : [])]),
    ...(left > 0 ? [` … and ${left} more; --report json lists all of them.`] : []),
  ];
}

function formatHead(result: ReportResult, { paint, width }: Look): string[] {
  const mark = paint(COLOURS[result.outcome], MARKS[result.outcome].padEnd(4));
  const id = result.id.padEnd(8);
  // The mark may contain colour codes, which have no width.
  return wrapHanging(` ${mark} ${id} `, `${result.says}${formatExemption(result)}`, {
    width,
    indent: 15,
    taken: id.length + 7,
  });
}

function formatDetails({ id, outcome, evidence, add, advice, again }: ReportResult, { width }: Look): string[] {
  const isProblem = outcome === "fail" || outcome === "warn";
  return [
    ...evidence.flatMap(({ id: source, says }) => wrapHanging(`${INDENT}${source}  `, says, { width, indent: 8 })),
    ...(add === undefined ? [] : wrapIndented(add, INDENT, width)),
    ...(isProblem && advice ? wrapIndented(`do: ${advice}`, INDENT, width) : []),
    ...(isProblem && again !== undefined ? [`${INDENT}again: ${again}`] : []),
    ...(outcome === "not-exercised" && again !== undefined
      ? [`${INDENT}what it takes: sandbox check explain ${id}`]
      : []),
  ];
}

/** Formats the reason why the result does not count. */
function formatExemption({ ignored, known }: ReportResult): string {
  if (ignored) return ` (ignored until ${ignored.until}: ${ignored.reason})`;
  return known ? " (known)" : "";
}

const formatProfile = (profile: JudgedProfile, { paint, width }: Look): string[] => [
  ` ${paint(profile.gaps.length > 0 ? "red" : "green", formatShare(profile))}`,
  ...[...profile.gaps, ...(profile.besides ?? [])].flatMap(({ what, says, close }) => [
    ...wrapHanging(`${INDENT}${what}  `, says, { width, indent: 8 }),
    `        ${paint("dim", close)}`,
  ]),
];

function formatOutputTail(output = ""): string[] {
  const lines = output.trimEnd().split("\n").slice(-MAX_OUTPUT_LINES);
  return output.trim() === "" ? [] : ["", "  Last output:", ...lines.map((line) => `  | ${line}`)];
}

/** Wraps a text after a head that is `taken` characters wide. Later lines have the indent. */
function wrapHanging(head: string, text: string, layout: { width: number; indent: number; taken?: number }): string[] {
  const { width, indent, taken = head.length } = layout;
  const [first = "", ...rest] = wrap(text, Math.max(MIN_WIDTH, width - indent), Math.max(MIN_WIDTH, width - taken));
  return [`${head}${first}`, ...rest.map((line) => " ".repeat(indent) + line)];
}

const wrapIndented = (text: string, indent: string, width: number): string[] =>
  wrap(text, Math.max(30, width - indent.length)).map((line) => `${indent}${line}`);

function wrap(text: string, width: number, firstWidth = width): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    const available = lines.length <= 1 ? firstWidth : width;
    if (last === undefined || last.length + word.length + 1 > available) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
