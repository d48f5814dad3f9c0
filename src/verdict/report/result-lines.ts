// Results of checks for people: what failed first, each with what was seen, what to do, and the command that repeats it.
import { OUTCOMES } from "../result.ts";
import type { ReportResult } from "./check-report.ts";
import { hang, INDENT, indented } from "./lines.ts";
import { isCounted, type Look } from "./reporter.ts";

/** A soak may find hundreds. */
const MAX_LISTED = 40;

const MARKS = { fail: "FAIL", warn: "WARN", undecided: "?", "not-exercised": "–", pass: "ok" };
const COLOURS = { fail: "red", warn: "yellow", undecided: "cyan", "not-exercised": "dim", pass: "green" } as const;

/** Of all but those that passed: these are in the sum alone. */
export function resultLines(results: readonly ReportResult[], look: Look): string[] {
  const open = OUTCOMES.filter((outcome) => outcome !== "pass").flatMap((outcome) =>
    results.filter((each) => each.outcome === outcome),
  );
  const left = open.length - MAX_LISTED;
  return [
    ...open
      .slice(0, MAX_LISTED)
      .flatMap((result) => [...head(result, look), ...(isCounted(result) ? more(result, look) : [])]),
    ...(left > 0 ? [` … and ${left} more; --report json has all.`] : []),
  ];
}

function head(result: ReportResult, { paint, width }: Look): string[] {
  const mark = paint(COLOURS[result.outcome], MARKS[result.outcome].padEnd(4));
  const says = `${result.says}${apartFrom(result)}`;
  const id = result.id.padEnd(8);
  return hang(` ${mark} ${id} `, { taken: id.length + 7, indent: 15 }, says, width);
}

function more({ id, outcome, evidence, add, advice, again }: ReportResult, { width }: Look): string[] {
  const speaksAgainst = outcome === "fail" || outcome === "warn";
  return [
    ...evidence.flatMap(({ id: seen, says }) =>
      hang(`${INDENT}${seen}  `, { taken: INDENT.length + seen.length + 2, indent: INDENT.length + 2 }, says, width),
    ),
    ...(add === undefined ? [] : indented(add, INDENT, width)),
    ...(speaksAgainst && advice ? indented(`do: ${advice}`, INDENT, width) : []),
    ...(speaksAgainst && again !== undefined ? [`${INDENT}again: ${again}`] : []),
    ...(outcome === "not-exercised" && again !== undefined
      ? [`${INDENT}what it takes: sandbox check explain ${id}`]
      : []),
  ];
}

/** Why it does not count. */
function apartFrom({ ignored, known }: ReportResult): string {
  if (ignored) return ` (ignored until ${ignored.until}: ${ignored.reason})`;
  return known ? " (known)" : "";
}
