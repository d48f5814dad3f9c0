// Renders a report for CI and code hosts: as JUnit XML, as Markdown for the summary of a job or the comment of a pull request, and as SARIF.
import { optional } from "../../platform/optional.ts";
import { type Case, formatJunit } from "../../stories/index.ts";
import type { VerdictOutcome } from "../judgement.ts";
import {
  type CheckReport,
  formatEvidence,
  formatShare,
  formatSummary,
  isCounted,
  type JudgedProfile,
  NAMES,
  type ReportResult,
  sortByOutcome,
} from "./check-report.ts";

export function renderJUnit({ name, results, took_ms, no_verdict, profile }: CheckReport): string {
  const none: Case[] = no_verdict ? [{ name: "the program", error: no_verdict.says }] : [];
  const cases = [...none, ...listGapCases(profile), ...results.map(toCase)];
  return formatJunit(name, [{ name, classname: name, ms: took_ms, cases }], took_ms);
}

/** Each gap of the profile fails, even if the check itself is no failure. */
const listGapCases = (profile: JudgedProfile | undefined): Case[] =>
  (profile?.gaps ?? []).map(({ what, says, close }) => ({
    name: `profile ${profile?.name}: ${what}`,
    failure: { message: says, text: `again: ${close}` },
  }));

function toCase(result: ReportResult): Case {
  const { id, title, outcome, says, advice, again, ignored, known, took_ms = 0 } = result;
  const evidence = formatEvidence(result);
  const own: Case = { name: `${id} ${title}`, ms: took_ms, ...toOutput(evidence) };
  if (ignored) return { ...own, skipped: `ignored until ${ignored.until}: ${ignored.reason}` };
  // CI shows known results, but does not fail because of them.
  if (known) return { ...own, skipped: `known: ${says}` };
  if (outcome === "pass") return own;
  const todo = [...(advice ? [`do: ${advice}`] : []), ...(again ? [`again: ${again}`] : [])];
  if (outcome === "fail") return { ...own, failure: { message: says, text: todo.join("\n") } };
  return outcome === "warn"
    ? { ...own, ...toOutput([`warning: ${says}`, ...evidence, ...todo]) }
    : { ...own, skipped: `${outcome}: ${says}` };
}

const toOutput = (lines: readonly string[]): Pick<Case, "output"> =>
  lines.length === 0 ? {} : { output: lines.join("\n") };

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
  const summary = `<details><summary>${escapeText(`${id}: ${title}`)}</summary>`;
  const items = evidence.map((each) => `- \`${each.id.replaceAll("`", "'")}\` ${escapeText(each.says)}`);
  const action = advice ? [`Do: ${escapeText(advice)}`, ""] : [];
  const command = again ? ["```sh", again, "```"] : [];
  return [summary, "", ...items, "", ...action, ...command, "</details>", ""];
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

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** Pairs of level and kind from section 3.27 of the standard. */
const RATINGS: Readonly<Record<VerdictOutcome, readonly [level: string, kind: string]>> = {
  fail: ["error", "fail"],
  warn: ["warning", "fail"],
  undecided: ["none", "review"],
  "not-exercised": ["none", "notApplicable"],
  pass: ["none", "pass"],
};

/** A verdict doesn't know the program's source, so results refer to the file in which a check can be ignored. */
const LOCATIONS = [{ physicalLocation: { artifactLocation: { uri: ".sandbox-verdict.yaml" } } }];

export function renderSarif(report: CheckReport): string {
  const { name, results, version, no_verdict, exit_code, profile, seed } = report;
  const rules = [...new Map(results.map((each) => [each.id, toRule(each)])).values()];
  // Section 3.14 of the standard defines these fields. `properties` may contain any others, such as the seed.
  const run = {
    tool: { driver: { name, version, rules } },
    invocations: [
      {
        executionSuccessful: no_verdict === null,
        exitCode: exit_code,
        commandLine: report.command.join(" "),
        ...(no_verdict ? { toolExecutionNotifications: [{ level: "error", message: { text: no_verdict.says } }] } : {}),
      },
    ],
    results: results.map((each) => ({
      ...toSarifResult(each),
      ruleIndex: rules.findIndex(({ id }) => id === each.id),
    })),
    properties: { summary: no_verdict?.says ?? formatSummary(report), ...optional({ seed, profile }) },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

const toRule = ({ id, title, rule, advice, level }: ReportResult) => ({
  id,
  shortDescription: { text: title },
  fullDescription: { text: rule },
  help: { text: advice },
  defaultConfiguration: { level: level === "must" ? "error" : "warning" },
});

function toSarifResult(result: ReportResult) {
  const { id, outcome, says, again, ignored, known } = result;
  const [level, kind] = RATINGS[outcome];
  const text = [says, ...formatEvidence(result), ...(again ? [`again: ${again}`] : [])].join("\n");
  return {
    ruleId: id,
    level,
    kind,
    message: { text },
    locations: LOCATIONS,
    ...(known ? { baselineState: "unchanged" } : {}),
    ...(ignored ? { suppressions: [{ kind: "external", justification: ignored.reason }] } : {}),
  };
}
