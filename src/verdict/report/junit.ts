// JUnit's XML: each check is a case.
import { type Case, junitText } from "../../stories/index.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { seenIn } from "./reporter.ts";

export function junit({ name, results, took_ms, no_verdict, profile }: CheckReport): string {
  const none: Case[] = no_verdict ? [{ name: "the program", error: no_verdict.says }] : [];
  const cases = [...none, ...gapsOf(profile), ...results.map(caseOf)];
  return junitText(name, [{ name, classname: name, ms: took_ms, cases }], took_ms);
}

/** What the profile asks for and was not shown fails, also where the check by itself is no failure. */
const gapsOf = (profile: ProfileJudged | undefined): Case[] =>
  (profile?.gaps ?? []).map(({ what, says, close }) => ({
    ...{ name: `profile ${profile?.name}: ${what}`, failure: { message: says, text: `again: ${close}` } },
  }));

/** What was seen is what the case wrote. */
function caseOf(result: ReportResult): Case {
  const { id, title, outcome, says, advice, again, ignored, known, took_ms = 0 } = result;
  const seen = seenIn(result);
  const own: Case = { name: `${id} ${title}`, ms: took_ms, ...output(seen) };
  if (ignored) return { ...own, skipped: `ignored until ${ignored.until}: ${ignored.reason}` };
  // CI shows what is known, and does not fail by it.
  if (known) return { ...own, skipped: `known: ${says}` };
  if (outcome === "pass") return own;
  const todo = [...(advice ? [`do: ${advice}`] : []), ...(again ? [`again: ${again}`] : [])];
  if (outcome === "fail") return { ...own, failure: { message: says, text: todo.join("\n") } };
  return outcome === "warn"
    ? { ...own, ...output([`warning: ${says}`, ...seen, ...todo]) }
    : { ...own, skipped: `${outcome}: ${says}` };
}

const output = (lines: readonly string[]): Pick<Case, "output"> =>
  lines.length === 0 ? {} : { output: lines.join("\n") };
