// For people: what failed first, each with what was seen, what to do, and the command that repeats it.

import { duration } from "../../platform/duration-text.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import type { Result, Verdict } from "../result.ts";
import { OUTCOMES } from "../result.ts";
import { hang, tailOf, wrap } from "./lines.ts";
import { isCounted, type Look, shareOf, summaryOf } from "./reporter.ts";

const MARKS = { fail: "FAIL", warn: "WARN", undecided: "?", "not-exercised": "–", pass: "ok" };
const COLOURS = { fail: "red", warn: "yellow", undecided: "cyan", "not-exercised": "dim", pass: "green" } as const;
const INDENT = " ".repeat(6);

export function spec(verdict: Verdict, { paint, width }: Look): string {
  const { command, seed, results, took_ms, no_verdict } = verdict;
  const head = `sandbox verdict -- ${command.join(" ")}`;
  const about = `seed ${seed}, ${results.length} checks, ${duration(took_ms)}`;
  const wrapped = (text: string, indent: string) =>
    wrap(text, Math.max(30, width - indent.length)).map((line) => `${indent}${line}`);
  if (no_verdict) return [head, ...wrapped(no_verdict.says, "  "), ...tailOf(no_verdict.output), ""].join("\n");

  const line = (result: Result): string[] => {
    const mark = paint(COLOURS[result.outcome], MARKS[result.outcome].padEnd(4));
    return hang(
      ` ${mark} ${result.id.padEnd(8)} `,
      { taken: 15, indent: 15 },
      `${result.says}${apartFrom(result)}`,
      width,
    );
  };
  const more = (result: Result): string[] => [
    ...(["fail", "warn", "undecided"].includes(result.outcome) ? result.evidence : []).flatMap(({ id, says }) =>
      hang(`${INDENT}${id}  `, { taken: INDENT.length + id.length + 2, indent: INDENT.length + 2 }, says, width),
    ),
    ...(result.add === undefined ? [] : wrapped(result.add, INDENT)),
    ...(result.outcome === "fail"
      ? [...wrapped(`do: ${result.advice}`, INDENT), `${INDENT}again: ${result.again}`]
      : []),
  ];
  const profileLines = (profile: ProfileJudged): string[] => [
    ` ${paint(profile.gaps.length > 0 ? "red" : "green", shareOf(profile))}`,
    ...profile.gaps.flatMap(({ what, says, close }) => [
      ...hang(`${INDENT}${what}  `, { taken: INDENT.length + what.length + 2, indent: 8 }, says, width),
      `        ${paint("dim", close)}`,
    ]),
  ];
  // What passed is in the sum alone.
  const lines = OUTCOMES.filter((outcome) => outcome !== "pass").flatMap((outcome) =>
    results.filter((each) => each.outcome === outcome),
  );
  return [
    `${head}   ${paint("dim", about)}`,
    ...lines.flatMap((result) => [...line(result), ...(isCounted(result) ? more(result) : [])]),
    ...(verdict.profile ? profileLines(verdict.profile) : []),
    ...wrap(` ${summaryOf(verdict)}       exit ${verdict.exit_code}`, width),
    "",
  ].join("\n");
}

/** Why it does not count. */
function apartFrom({ ignored, known }: Result): string {
  if (ignored) return ` (ignored until ${ignored.until}: ${ignored.reason})`;
  return known ? " (known)" : "";
}
