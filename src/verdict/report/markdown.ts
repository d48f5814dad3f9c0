// For a page of a code host, such as the summary of a job or the comment of a pull request: the counts, a table of what is not a pass, and
// what to do about each failure.

import type { ProfileJudged } from "../profiles/profile.ts";
import { OUTCOMES } from "../result.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { isCounted, NAMES, shareOf, summaryOf } from "./reporter.ts";

const MARKS = { fail: "❌", warn: "⚠️", undecided: "❔", "not-exercised": "➖", pass: "✅" };

export function markdown(report: CheckReport): string {
  const { name, about, results, notes, no_verdict } = report;
  const head = [`### ${name}`, ""];
  if (no_verdict) return [...head, `**No verdict.** ${plain(no_verdict.says)}`, ""].join("\n");
  // A summary shows what is to be done; what passed is counted.
  const open = OUTCOMES.flatMap((outcome) => results.filter((each) => each.outcome === outcome)).filter(
    (each) => each.outcome !== "pass" && isCounted(each),
  );
  const rows = open.map(({ outcome, id, title, says }) => [`${MARKS[outcome]} ${NAMES[outcome]}`, id, title, says]);
  return [
    ...head,
    `**${summaryOf(report)}.** ${plain([about.join(", "), ...notes].join(". "))}`,
    "",
    ...(report.profile ? profileLines(report.profile) : []),
    ...(rows.length === 0 ? [] : ["| result | check | asks for | what was seen |", "|---|---|---|---|"]),
    ...rows.map((cells) => `| ${cells.map(plain).join(" | ")} |`),
    ...(rows.length === 0 ? [] : [""]),
    ...open.filter(({ outcome }) => outcome === "fail").flatMap(detailsOf),
  ].join("\n");
}

function detailsOf({ id, title, advice, again, evidence }: ReportResult): string[] {
  const seen = evidence.map((each) => `- \`${each.id.replaceAll("`", "'")}\` ${plain(each.says)}`);
  const summary = `<details><summary>${plain(`${id}: ${title}`)}</summary>`;
  return [
    ...[summary, "", ...seen, ""],
    ...(advice ? [`Do: ${plain(advice)}`, ""] : []),
    ...(again ? ["```sh", again, "```"] : []),
    ...["</details>", ""],
  ];
}

function profileLines(profile: ProfileJudged): string[] {
  const gaps = profile.gaps.map(({ what, says }) => `- ${plain(what)}: ${plain(says)}`);
  return [`**${plain(shareOf(profile))}.** ${plain(profile.for)}`, "", ...gaps, ...(gaps.length > 0 ? [""] : [])];
}

/**
 * Text that nothing is made of: no tag, no link, no mention of a person. What a program printed ends up in the comment
 * of a pull request.
 */
const plain = (text: string): string =>
  text.replace(/[\r\n]+/g, " ").replace(/[\\`*_[\]<>|#~@]/g, (letter) => `&#${letter.charCodeAt(0)};`);
