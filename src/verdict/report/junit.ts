// JUnit's XML: each check is a case.
import { type Case, junitText } from "../../stories/junit.ts";
import type { Result, Verdict } from "../result.ts";

export function junit({ results, took_ms, no_verdict }: Verdict): string {
  const none: Case[] = no_verdict ? [{ name: "the program", error: no_verdict.says }] : [];
  const cases = [...none, ...results.map(caseOf)];
  return junitText("sandbox verdict", [{ name: "verdict", classname: "verdict", ms: took_ms, cases }], took_ms);
}

function caseOf({ id, title, outcome, says, evidence, advice, again, ignored, took_ms }: Result): Case {
  const own = { name: `${id} ${title}`, ms: took_ms };
  const text = [...evidence.map((each) => `${each.id}: ${each.says}`), `do: ${advice}`, `again: ${again}`].join("\n");
  if (ignored) return { ...own, skipped: `ignored until ${ignored.until}: ${ignored.reason}` };
  if (outcome === "pass") return own;
  if (outcome === "fail") return { ...own, failure: { message: says, text } };
  return outcome === "warn"
    ? { ...own, output: `warning: ${says}\n${text}` }
    : { ...own, skipped: `${outcome}: ${says}` };
}
