// The type of a renderer, and texts that several renderers share.
import type { VerdictOutcome } from "../check.ts";
import type { JudgedProfile } from "../profiles/profile.ts";
import type { Result } from "../result.ts";
import type { CheckReport } from "./check-report.ts";

/** Names of `styleText` in `node:util`. */
type Style = "red" | "yellow" | "cyan" | "dim" | "green";

export interface Look {
  /** Adds the colour, unless the output has none. */
  paint(style: Style, text: string): string;
  /** Characters in a line. */
  width: number;
}

/** Returns the complete text with a line break at the end. */
export type Reporter = (report: CheckReport, look: Look) => string;

export const NAMES: Readonly<Record<VerdictOutcome, string>> = {
  ...{ pass: "pass", fail: "fail", warn: "warn", undecided: "undecided", "not-exercised": "not exercised" },
};

/** An ignored result is counted separately. */
export const isCounted = ({ ignored }: Partial<Pick<Result, "ignored">>): boolean => ignored === undefined;

/** Formats `24 pass · 1 fail · 2 warn`, without outcomes that did not occur. */
export const formatSummary = ({ counts }: Pick<CheckReport, "counts">): string =>
  (Object.entries({ ...NAMES, ignored: "ignored" }) as [keyof typeof counts, string][])
    .filter(([outcome]) => counts[outcome] > 0)
    .map(([outcome, name]) => `${counts[outcome]} ${name}`)
    .join(" · ");

/** Formats `25 of 27 · reseller`. */
export const formatShare = ({ met, of, name }: JudgedProfile): string => `${met} of ${of} · ${name}`;

/** Formats one line for each piece of evidence. */
export const formatEvidence = ({ evidence }: Pick<Result, "evidence">): string[] =>
  evidence.map(({ id, says }) => `${id}: ${says}`);
