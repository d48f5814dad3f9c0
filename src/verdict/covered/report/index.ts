// The report of the coverage: a result for each axis.
import { count } from "../../../platform/count.ts";
import type { JudgedProfile } from "../../profiles/profile.ts";
import { type CheckReport, createReport, createResult, type ReportResult } from "../../report/check-report.ts";
import type { Covered } from "../index.ts";

interface Demands {
  /** The percentages of `--min`. */
  minimums: readonly { axis: string; percent: number }[];
  missedMinimums: readonly object[];
  /** The number of entries that the log no longer has. */
  dropped: number;
  profile: JudgedProfile | undefined;
  all: boolean;
}

export function reportCoverage(
  axes: readonly Covered[],
  { minimums, missedMinimums, dropped, profile, all }: Demands,
): CheckReport {
  const findMinimum = (axis: string) => minimums.find((each) => each.axis === axis)?.percent;
  // A profile lists its own gaps.
  const listed = profile ? axes.filter(({ axis }) => findMinimum(axis) !== undefined) : axes;
  return createReport({
    name: "sandbox check coverage",
    results: listed.map((each) => showAxis(each, findMinimum(each.axis), all)),
    notes: dropped > 0 ? [`${count(dropped, "older entry is", "older entries are")} no longer in the log.`] : [],
    ...(profile ? { profile } : {}),
    document: { axes, missed: missedMinimums, dropped },
  });
}

/** The number of gaps per axis, unless an axis was named. */
const MAX_GAPS = 3;

/** An axis fails if it is below `--min`. A gap alone is no failure. */
function showAxis({ axis, met, of, percent, gaps }: Covered, least: number | undefined, all: boolean): ReportResult {
  const isMissed = least !== undefined && percent < least;
  const open = gaps.length > 0 ? "not-exercised" : "pass";
  const listed = all ? gaps : gaps.slice(0, MAX_GAPS);
  const left = gaps.length - listed.length;
  return createResult({
    id: axis,
    level: "should",
    title: `Covered ${axis}`,
    outcome: isMissed ? "fail" : open,
    says: `${met} of ${of}, ${percent} %${isMissed ? `; --min wants ${least} %` : ""}`,
    evidence: listed.map(({ what, close }) => ({ id: what, says: close })),
    ...(left > 0 ? { add: `… ${left} more: sandbox check coverage ${axis}` } : {}),
  });
}
