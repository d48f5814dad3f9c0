// The report of the search for the assumptions that a program depends on.
import { count } from "../../../platform/count.ts";
import { toCommand } from "../../../platform/shell-quoted.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../../report/check-report.ts";
import type { Sweep } from "../index.ts";
import type { Dependence } from "../search.ts";

/** Each value that the program depends on fails; the other values are only counted. */
export function reportSweep(found: Sweep, command: readonly string[]): CheckReport {
  const { depends_on, indifferent, untouched, runs, no_verdict } = found;
  const none = depends_on.length === 0 ? "The program depends on no assumption. " : "";
  const others = `${count(indifferent.length, "other value makes", "other values make")} no difference`;
  return createReport({
    name: "sandbox check assumptions",
    command,
    results: depends_on.map((each) => toResult(each, command)),
    notes: no_verdict ? [] : [`${none}${others}, ${untouched.length} are never reached; ${count(runs, "run")}.`],
    no_verdict,
    document: found,
  });
}

function toResult({ flips, tests, ended }: Dependence, command: readonly string[]): ReportResult {
  const names = flips.map(({ id, default: byDefault }) => `${id} (${byDefault})`).join(" together with ");
  const [first] = tests;
  const more = tests.length > 1 ? `, and ${count(tests.length - 1, "more test")}` : "";
  const says = first ? `test "${first.name}"${first.says ? `: ${first.says}` : " fails"}${more}` : ended;
  return createResult({
    id: flips.map(({ id, value }) => `${id}=${value}`).join(" "),
    title: `depends on ${names}`,
    outcome: "fail",
    says: `depends on ${names}: ${says}`,
    evidence: flips.map(({ value, meaning }) => ({ id: value, says: meaning })),
    again: `sandbox exec ${flips.map(({ id, value }) => `--assume ${id}=${value}`).join(" ")} -- ${toCommand(command)}`,
  });
}
