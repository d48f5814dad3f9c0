// Results of checks for people: what failed first, each with what was seen, what to do, and the command that repeats it.
import type { Schemas } from "../../client/control.ts";
import { countsOf, OUTCOMES, type Result } from "../result.ts";
import { hang, INDENT, indented, wrap } from "./lines.ts";
import { isCounted, type Look, summaryOf } from "./reporter.ts";

/** One that was judged by the log alone has no command of its own, and is never ignored. */
type ResultLine = Schemas["LintResult"] & Partial<Pick<Result, "again" | "ignored" | "known">>;

const MARKS = { fail: "FAIL", warn: "WARN", undecided: "?", "not-exercised": "–", pass: "ok" };
const COLOURS = { fail: "red", warn: "yellow", undecided: "cyan", "not-exercised": "dim", pass: "green" } as const;

/** Of all but those that passed: these are in the sum alone. */
export function resultLines(results: readonly ResultLine[], look: Look): string[] {
  return OUTCOMES.filter((outcome) => outcome !== "pass").flatMap((outcome) =>
    results
      .filter((each) => each.outcome === outcome)
      .flatMap((result) => [...head(result, look), ...(isCounted(result) ? more(result, look) : [])]),
  );
}

/** What a log shows. */
export function lintLines(results: readonly ResultLine[], look: Look): string[] {
  return [...resultLines(results, look), ...wrap(` ${summaryOf({ counts: countsOf(results) })}`, look.width)];
}

function head(result: ResultLine, { paint, width }: Look): string[] {
  const mark = paint(COLOURS[result.outcome], MARKS[result.outcome].padEnd(4));
  const says = `${result.says}${apartFrom(result)}`;
  return hang(` ${mark} ${result.id.padEnd(8)} `, { taken: 15, indent: 15 }, says, width);
}

function more({ id, outcome, evidence, add, advice, again }: ResultLine, { width }: Look): string[] {
  return [
    ...(["fail", "warn", "undecided"].includes(outcome) ? evidence : []).flatMap(({ id: seen, says }) =>
      hang(`${INDENT}${seen}  `, { taken: INDENT.length + seen.length + 2, indent: INDENT.length + 2 }, says, width),
    ),
    ...(add === undefined ? [] : indented(add, INDENT, width)),
    ...(outcome === "fail" ? indented(`do: ${advice}`, INDENT, width) : []),
    ...(outcome === "fail" && again !== undefined ? [`${INDENT}again: ${again}`] : []),
    ...(outcome === "not-exercised" && again !== undefined
      ? [`${INDENT}what it takes: sandbox check explain ${id}`]
      : []),
  ];
}

/** Why it does not count. */
function apartFrom({ ignored, known }: ResultLine): string {
  if (ignored) return ` (ignored until ${ignored.until}: ${ignored.reason})`;
  return known ? " (known)" : "";
}
