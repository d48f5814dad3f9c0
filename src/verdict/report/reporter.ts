// The shape of a renderer: a report as text.
import type { VerdictOutcome } from "../check.ts";
import type { ProfileJudged } from "../profiles/profile.ts";
import type { Result } from "../result.ts";
import type { CheckReport } from "./check-report.ts";

/** As `node:util` names them. */
type Style = "red" | "yellow" | "cyan" | "dim" | "green";

export interface Look {
  /** As it is shown where it is written to. */
  paint(style: Style, text: string): string;
  /** Characters in a line. */
  width: number;
}

/** Returns the whole text, with its final line break. */
export type Reporter = (report: CheckReport, look: Look) => string;

/** For people. */
export const NAMES: Readonly<Record<VerdictOutcome, string>> = {
  ...{ pass: "pass", fail: "fail", warn: "warn", undecided: "undecided", "not-exercised": "not exercised" },
};

/** Ignored ones apart. */
export const isCounted = ({ ignored }: Partial<Pick<Result, "ignored">>): boolean => ignored === undefined;

/** `24 pass · 1 fail · 2 warn`, without what there is none of. */
export function summaryOf({ counts }: Pick<CheckReport, "counts">): string {
  const parts = [
    ...(["pass", "fail", "warn", "undecided", "not-exercised"] as const).map(
      (name) => [counts[name], NAMES[name]] as const,
    ),
    [counts.ignored, "ignored"] as const,
  ];
  return parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
    .join(" · ");
}

/** `25 of 27 · reseller`. */
export const shareOf = ({ met, of, name }: ProfileJudged): string => `${met} of ${of} · ${name}`;

/** A line for each thing that was seen. */
export const seenIn = ({ evidence }: Pick<Result, "evidence">): string[] =>
  evidence.map(({ id, says }) => `${id}: ${says}`);
