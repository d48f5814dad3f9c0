// Renders a report for a code host, such as the summary of a CI job or the comment of a pull request: the counts, a table of the results
// that did not pass, and what to do about each failure.
import type { JudgedProfile } from "../profiles/profile.ts";
import { sortByOutcome } from "../result.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { formatShare, formatSummary, isCounted, NAMES } from "./reporter.ts";

const MARKS = { fail: "❌", warn: "⚠️", undecided: "❔", "not-exercised": "➖", pass: "✅" };

export function renderMarkdown(report: CheckReport): string {
  const { name, about, results, notes, no_verdict } = report;
  const head = [`### ${name}`, ""];
  if (no_verdict) return [...head, `**No verdict.** ${escapeText(no_verdict.says)}`, ""].join("\n");
  // Passed checks are only counted.
  const open = sortByOutcome(results).filter((each) => each.outcome !== "pass" && isCounted(each));
  const rows = open.map(({ outcome, id, title, says }) => [`${MARKS[outcome]} ${NAMES[outcome]}`, id, title, says]);
  return [
    ...head,
    `**${formatSummary(report)}.** ${escapeText([about.join(", "), ...notes].join(". "))}`,
    "",
    ...(report.profile ? formatProfile(report.profile) : []),
    ...(rows.length === 0 ? [] : ["| result | check | requirement | observation |", "|---|---|---|---|"]),
    ...rows.map((cells) => `| ${cells.map(escapeText).join(" | ")} |`),
    ...(rows.length === 0 ? [] : [""]),
    ...open.filter(({ outcome }) => outcome === "fail").flatMap(formatDetails),
  ].join("\n");
}

function formatDetails({ id, title, advice, again, evidence }: ReportResult): string[] {
  const items = evidence.map((each) => `- \`${each.id.replaceAll("`", "'")}\` ${escapeText(each.says)}`);
  const summary = `<details><summary>${escapeText(`${id}: ${title}`)}</summary>`;
  return [
    ...[summary, "", ...items, ""],
    ...(advice ? [`Do: ${escapeText(advice)}`, ""] : []),
    ...(again ? ["```sh", again, "```"] : []),
    ...["</details>", ""],
  ];
}

function formatProfile(profile: JudgedProfile): string[] {
  const gaps = profile.gaps.map(({ what, says }) => `- ${escapeText(what)}: ${escapeText(says)}`);
  return [
    `**${escapeText(formatShare(profile))}.** ${escapeText(profile.for)}`,
    "",
    ...gaps,
    ...(gaps.length > 0 ? [""] : []),
  ];
}

/** Escapes tags, links and mentions, because the program's output may appear in the comment of a pull request. */
const escapeText = (text: string): string =>
  text.replace(/[\r\n]+/g, " ").replace(/[\\`*_[\]<>|#~@]/g, (letter) => `&#${letter.charCodeAt(0)};`);
