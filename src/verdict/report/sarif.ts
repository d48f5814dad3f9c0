// SARIF 2.1.0 (OASIS), as code hosts read it: each check is a rule, what speaks against the program a result.
import type { VerdictOutcome } from "../check.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { seenIn, summaryOf } from "./reporter.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/** Level and kind, as section 3.27 of the standard pairs them. */
const RATED: Readonly<Record<VerdictOutcome, readonly [level: string, kind: string]>> = {
  fail: ["error", "fail"],
  warn: ["warning", "fail"],
  undecided: ["none", "review"],
  "not-exercised": ["none", "notApplicable"],
  pass: ["none", "pass"],
};

/** A verdict knows the program's calls, not its lines; this file is where a check can be ignored. */
const LOCATIONS = [{ physicalLocation: { artifactLocation: { uri: ".sandbox-verdict.yaml" } } }];

export function sarif(report: CheckReport): string {
  const { name, results, version, no_verdict, exit_code, profile, seed } = report;
  const rules = [...new Map(results.map((each) => [each.id, ruleOf(each)])).values()];
  // Members of section 3.14 of the standard; seed and profile are under `properties`, which is free.
  const run = {
    tool: { driver: { name, version, rules } },
    invocations: [
      {
        ...{ executionSuccessful: no_verdict === null, exitCode: exit_code, commandLine: report.command.join(" ") },
        ...(no_verdict ? { toolExecutionNotifications: [{ level: "error", message: { text: no_verdict.says } }] } : {}),
      },
    ],
    results: results.map((each) =>
      resultOf(
        each,
        rules.findIndex(({ id }) => id === each.id),
      ),
    ),
    properties: {
      summary: no_verdict?.says ?? summaryOf(report),
      seed,
      ...(profile ? { profile } : {}),
    },
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

const ruleOf = ({ id, title, rule, advice, level }: ReportResult) => ({
  id,
  shortDescription: { text: title },
  fullDescription: { text: rule },
  help: { text: advice },
  defaultConfiguration: { level: level === "must" ? "error" : "warning" },
});

function resultOf(result: ReportResult, ruleIndex: number) {
  const { id, outcome, says, again, ignored, known } = result;
  const [level, kind] = RATED[outcome];
  const text = [says, ...seenIn(result), ...(again ? [`again: ${again}`] : [])].join("\n");
  return {
    ...{ ruleId: id, ruleIndex, level, kind, message: { text }, locations: LOCATIONS },
    ...(known ? { baselineState: "unchanged" } : {}),
    ...(ignored ? { suppressions: [{ kind: "external", justification: ignored.reason }] } : {}),
  };
}
