// Renders a report for the terminal: failures first, each with its evidence, what to do, and the command that repeats it.
import type { CheckReport, JudgedProfile, ReportResult } from "./check-report.ts";
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
  const noteLines = notes.flatMap((note) => wrap(" ", note, width));
  const lines = no_verdict
    ? [head, ...wrap("  ", no_verdict.says, width), ...formatOutputTail(no_verdict.output), ...noteLines]
    : [
        [head, ...(about.length > 0 ? [paint("dim", about.join(", "))] : [])].join("   "),
        ...formatResults(results, look),
        ...(profile ? formatProfile(profile, look) : []),
        ...noteLines,
        ...wrap(" ", [formatSummary(report), `exit ${exit_code}`].filter(Boolean).join("       "), width),
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
  const mark = MARKS[result.outcome].padEnd(4);
  const says = `${result.says}${formatExemption(result)}`;
  const [first = "", ...more] = wrap(` ${mark} ${result.id.padEnd(8)} `, says, width, 15);
  // Colour codes have no width, so they are added to the wrapped line.
  return [first.replace(mark, paint(COLOURS[result.outcome], mark)), ...more];
}

function formatDetails({ id, outcome, evidence, add, advice, again }: ReportResult, { width }: Look): string[] {
  const isProblem = outcome === "fail" || outcome === "warn";
  return [
    ...evidence.flatMap(({ id: source, says }) => wrap(`${INDENT}${source}  `, says, width, 8)),
    ...(add === undefined ? [] : wrap(INDENT, add, width)),
    ...(isProblem && advice ? wrap(INDENT, `do: ${advice}`, width) : []),
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
    ...wrap(`${INDENT}${what}  `, says, width, 8),
    `        ${paint("dim", close)}`,
  ]),
];

function formatOutputTail(output = ""): string[] {
  const lines = output.trimEnd().split("\n").slice(-MAX_OUTPUT_LINES);
  return output.trim() === "" ? [] : ["", "  Last output:", ...lines.map((line) => `  | ${line}`)];
}

/** Wraps a text after a head. Later lines have the indent. */
function wrap(head: string, text: string, width: number, indent = head.length): string[] {
  const [first = "", ...words] = text.split(" ");
  const lines = [`${head}${first}`];
  for (const word of words) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length + 1 > Math.max(width, indent + MIN_WIDTH)) lines.push(`${" ".repeat(indent)}${word}`);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
