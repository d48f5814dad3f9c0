// The report of what a program has met of the service: a result for each axis.
import { count } from "../../../platform/count.ts";
import type { ProfileJudged } from "../../profiles/profile.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../../report/check-report.ts";
import type { Covered } from "../index.ts";

interface Demands {
  /** Of --min. */
  least: readonly { axis: string; percent: number }[];
  missed: readonly object[];
  /** Entries that are no longer in the log. */
  dropped: number;
  profile: ProfileJudged | undefined;
  /** List every gap. */
  all: boolean;
}

export function reportCoverage(
  axes: readonly Covered[],
  { least, missed, dropped, profile, all }: Demands,
): CheckReport {
  const leastFor = (axis: string) => least.find((each) => each.axis === axis)?.percent;
  // A profile says itself what is missing.
  const listed = profile ? axes.filter(({ axis }) => leastFor(axis) !== undefined) : axes;
  return createReport({
    name: "sandbox check coverage",
    results: listed.map((each) => toResult(each, leastFor(each.axis), all)),
    notes: dropped > 0 ? [`${count(dropped, "older entry is", "older entries are")} no longer in the log.`] : [],
    ...(profile ? { profile } : {}),
    document: { axes, missed, dropped },
  });
}

/** Of each axis, where none was named. */
const MAX_GAPS = 3;

/** Below --min an axis fails. A gap alone is no failure. */
function toResult({ axis, met, of, percent, gaps }: Covered, least: number | undefined, all: boolean): ReportResult {
  const isMissed = least !== undefined && percent < least;
  const open = gaps.length > 0 ? "not-exercised" : "pass";
  const listed = all ? gaps : gaps.slice(0, MAX_GAPS);
  const left = gaps.length - listed.length;
  return createResult({
    id: axis,
    level: "should",
    title: `${axis} that the program has met`,
    outcome: isMissed ? "fail" : open,
    says: `${met} of ${of}, ${percent} %${isMissed ? `; --min wants ${least} %` : ""}`,
    evidence: listed.map(({ what, close }) => ({ id: what, says: close })),
    ...(left > 0 ? { add: `… ${left} more: sandbox check coverage ${axis}` } : {}),
  });
}
