// The report of a comparison with recorded traffic: a result for each difference.
import { count } from "../../../platform/count.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../../report/check-report.ts";
import type { CountedDifference, TrafficComparison } from "../index.ts";

export const reportTraffic = (comparison: TrafficComparison, files: readonly string[]): CheckReport =>
  createReport({
    name: "sandbox check traffic",
    command: files,
    results: comparison.differences.map(toResult),
    notes: describeComparison(comparison),
    document: comparison,
  });

const MEANINGS: Record<CountedDifference["what"], string> = {
  member: "unknown field",
  value: "unknown value",
  missing: "missing field",
  form: "other form",
  status: "unknown status",
};

function toResult({ operation, status, what, path, value, times, at }: CountedDifference): ReportResult {
  const found = value === undefined ? path : `${path} ${value}`;
  return createResult({
    id: `${operation} ${status}`,
    title: MEANINGS[what],
    outcome: "fail",
    says: `${MEANINGS[what]} ${found}, ${times}×, first ${at}`,
  });
}

const describeComparison = ({ calls, differences, left_out }: TrafficComparison): string[] => [
  ...left_out.slice(0, 10).map(({ host, entries, matching }) => {
    const advice = matching ? `; include them with --host ${host}` : "";
    return `${host}: ${count(entries, "entry", "entries")} left out${advice}.`;
  }),
  `${count(calls, "call")} compared, ${count(differences.length, "difference")}.`,
];
