// A badge for a README: how many of all checks pass, in one SVG without anything from outside.
import words from "../../contract/generated/checks.json" with { type: "json" };
import type { Verdict } from "../result.ts";
import { shareOf } from "./reporter.ts";

/** Also where only some were asked for. */
const ALL = Object.keys(words).length;

const GREEN = "#2e7d32";
const RED = "#c62828";
const GREY = "#5f6368";
/** Of a letter, about. */
const LETTER = 6.6;

export function badge({ counts, no_verdict, profile }: Verdict): string {
  const passing = `${counts.pass} of ${ALL} passing`;
  const isRed = profile ? profile.gaps.length > 0 : counts.fail > 0;
  const text = no_verdict
    ? "no verdict"
    : profile
      ? shareOf(profile)
      : counts.fail > 0
        ? `${counts.fail} failing, ${passing}`
        : passing;
  const colour = no_verdict ? GREY : isRed ? RED : GREEN;
  const [label, left] = ["sandbox verdict", Math.round("sandbox verdict".length * LETTER + 12)];
  const width = left + Math.round(text.length * LETTER + 12);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${text}">
<title>${label}: ${text}</title>
<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${width - left}" height="20" fill="${colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"><text x="6" y="14">${label}</text><text x="${left + 6}" y="14">${text}</text></g>
</svg>
`;
}
