// A badge for a README: how many of all checks pass. It is green where at least half of them do, and none fails.
import words from "../../contract/generated/checks.json" with { type: "json" };
import { badgeSvg } from "../../platform/badge.ts";
import type { Verdict } from "../result.ts";
import { shareOf } from "./reporter.ts";

/** Also where only some were asked for. */
const ALL = Object.keys(words).length;

export function badge({ counts, no_verdict, profile }: Verdict): string {
  const passing = `${counts.pass} of ${ALL} passing`;
  const isRed = profile ? profile.gaps.length > 0 : counts.fail > 0;
  // What was not exercised is no success; a profile says itself what is enough.
  const isFew = !profile && counts.pass * 2 < ALL;
  // A profile has its own share; without one all checks count.
  const text = no_verdict
    ? "no verdict"
    : profile
      ? shareOf(profile)
      : counts.fail > 0
        ? `${counts.fail} failing, ${passing}`
        : passing;
  return badgeSvg("sandbox verdict", text, no_verdict ? "open" : isRed ? "bad" : isFew ? "few" : "good");
}
