// For people: what failed first, each with what was seen, what to do, and the command that repeats it.

import type { ProfileJudged } from "../profiles/profile.ts";
import type { CheckReport } from "./check-report.ts";
import { hang, INDENT, indented, tailOf, wrap } from "./lines.ts";
import { type Look, shareOf, summaryOf } from "./reporter.ts";
import { resultLines } from "./result-lines.ts";

export function spec(report: CheckReport, { paint, width }: Look): string {
  const { name, command, about, results, notes, no_verdict, profile, exit_code } = report;
  const head = [name, ...(command.length > 0 ? ["--", ...command] : [])].join(" ");
  const noteLines = notes.flatMap((note) => wrap(` ${note}`, width));
  if (no_verdict)
    return [head, ...indented(no_verdict.says, "  ", width), ...tailOf(no_verdict.output), ...noteLines, ""].join("\n");
  const sum = [summaryOf(report), `exit ${exit_code}`].filter(Boolean).join("       ");
  return [
    [head, ...(about.length > 0 ? [paint("dim", about.join(", "))] : [])].join("   "),
    ...resultLines(results, { paint, width }),
    ...(profile ? profileLines(profile, { paint, width }) : []),
    ...noteLines,
    ...wrap(` ${sum}`, width),
    "",
  ].join("\n");
}

const profileLines = (profile: ProfileJudged, { paint, width }: Look): string[] => [
  ` ${paint(profile.gaps.length > 0 ? "red" : "green", shareOf(profile))}`,
  ...[...profile.gaps, ...(profile.besides ?? [])].flatMap(({ what, says, close }) => [
    ...hang(`${INDENT}${what}  `, { taken: INDENT.length + what.length + 2, indent: 8 }, says, width),
    `        ${paint("dim", close)}`,
  ]),
];
