// Renders a report as SARIF 2.1.0 (OASIS) for code hosts: each check is a rule with its result.
import type { VerdictOutcome } from "../check.ts";
import type { CheckReport, ReportResult } from "./check-report.ts";
import { formatEvidence, formatSummary } from "./reporter.ts";

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
        ...{ executionSuccessful: no_verdict === null, exitCode: exit_code, commandLine: report.command.join(" ") },
        ...(no_verdict ? { toolExecutionNotifications: [{ level: "error", message: { text: no_verdict.says } }] } : {}),
      },
    ],
    results: results.map((each) =>
      toSarifResult(
        each,
        rules.findIndex(({ id }) => id === each.id),
      ),
    ),
    properties: {
      summary: no_verdict?.says ?? formatSummary(report),
      seed,
      ...(profile ? { profile } : {}),
    },
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

function toSarifResult(result: ReportResult, ruleIndex: number) {
  const { id, outcome, says, again, ignored, known } = result;
  const [level, kind] = RATINGS[outcome];
  const text = [says, ...formatEvidence(result), ...(again ? [`again: ${again}`] : [])].join("\n");
  return {
    ...{ ruleId: id, ruleIndex, level, kind, message: { text }, locations: LOCATIONS },
    ...(known ? { baselineState: "unchanged" } : {}),
    ...(ignored ? { suppressions: [{ kind: "external", justification: ignored.reason }] } : {}),
  };
}
