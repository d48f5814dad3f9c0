// Renders a report as JUnit XML: each check is a test case.
import { type Case, formatJunit } from "../../stories/index.ts";
import type { JudgedProfile } from "../profiles/profile.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { formatEvidence } from "./reporter.ts";

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
