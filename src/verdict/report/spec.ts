// For people: what failed first, each with what was seen, what to do, and the command that repeats it.

import { count } from "../../platform/count.ts";
import { duration } from "../../platform/duration-text.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import type { Verdict } from "../result.ts";
import { hang, INDENT, indented, tailOf, wrap } from "./lines.ts";
import { type Look, shareOf, summaryOf } from "./reporter.ts";
import { resultLines } from "./result-lines.ts";

export function spec(verdict: Verdict, { paint, width }: Look): string {
  const { command, seed, results, took_ms, no_verdict } = verdict;
  const head = `sandbox check -- ${command.join(" ")}`;
  const about = `seed ${seed}, ${count(results.length, "check")}, ${duration(took_ms)}`;
  if (no_verdict) return [head, ...indented(no_verdict.says, "  ", width), ...tailOf(no_verdict.output), ""].join("\n");
  const profileLines = (profile: ProfileJudged): string[] => [
    ` ${paint(profile.gaps.length > 0 ? "red" : "green", shareOf(profile))}`,
    ...profile.gaps.flatMap(({ what, says, close }) => [
      ...hang(`${INDENT}${what}  `, { taken: INDENT.length + what.length + 2, indent: 8 }, says, width),
      `        ${paint("dim", close)}`,
    ]),
  ];
  return [
    `${head}   ${paint("dim", about)}`,
    ...resultLines(results, { paint, width }),
    ...(verdict.profile ? profileLines(verdict.profile) : []),
    ...wrap(` ${summaryOf(verdict)}       exit ${verdict.exit_code}`, width),
    "",
  ].join("\n");
}
