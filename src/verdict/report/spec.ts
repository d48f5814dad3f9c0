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
  const noteLines = notes.flatMap((note) => wrap(" ", note, { width, indent: 0 }));
  const lines = no_verdict
    ? [head, ...wrap("  ", no_verdict.says, look), ...formatOutputTail(no_verdict.output), ...noteLines]
    : [
        [head, ...(about.length > 0 ? [paint("dim", about.join(", "))] : [])].join("   "),
        ...formatResults(results, look),
        ...(profile ? formatProfile(profile, look) : []),
        ...noteLines,
        ...wrap(" ", [formatSummary(report), `exit ${exit_code}`].filter(Boolean).join("       "), {
          width,
          indent: 0,
        }),
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
  return wrap(` ${mark} ${id} `, `${result.says}${formatExemption(result)}`, {
    width,
    indent: 15,
    taken: id.length + 7,
  });
}

function formatDetails({ id, outcome, evidence, add, advice, again }: ReportResult, { width }: Look): string[] {
  const isProblem = outcome === "fail" || outcome === "warn";
  return [
    ...evidence.flatMap(({ id: source, says }) => wrap(`${INDENT}${source}  `, says, { width, indent: 8 })),
    ...(add === undefined ? [] : wrap(INDENT, add, { width })),
    ...(isProblem && advice ? wrap(INDENT, `do: ${advice}`, { width }) : []),
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
    ...wrap(`${INDENT}${what}  `, says, { width, indent: 8 }),
    `        ${paint("dim", close)}`,
  ]),
];

function formatOutputTail(output = ""): string[] {
  const lines = output.trimEnd().split("\n").slice(-MAX_OUTPUT_LINES);
  return output.trim() === "" ? [] : ["", "  Last output:", ...lines.map((line) => `  | ${line}`)];
}

/** Wraps a text after a head that is `taken` characters wide. Later lines have the indent. */
function wrap(head: string, text: string, layout: { width: number; indent?: number; taken?: number }): string[] {
  const { width, indent = head.length, taken = head.length } = layout;
  const [first = "", ...words] = text.split(" ");
  const lines = [`${head}${first}`];
  let used = taken + first.length;
  for (const word of words) {
    const isNewLine = used + word.length + 1 > Math.max(width, indent + MIN_WIDTH);
    used = (isNewLine ? indent : used + 1) + word.length;
    if (isNewLine) lines.push(`${" ".repeat(indent)}${word}`);
    else lines.push(`${lines.pop()} ${word}`);
  }
  return lines;
}
