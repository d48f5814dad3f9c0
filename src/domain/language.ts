// Which language an answer is in: Accept-Language against the storefront's languages. Assumptions: language-missing (RFC 4647
// lookup and filtering, q=0 excludes, * is the storefront's first), language-mismatch.
import type { Localized } from "./records.ts";
import { Refusal } from "./refusal.ts";

interface Range {
  tag: string;
  quality: number;
}

function readRanges(header: string): Range[] {
  return header
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const [tag = "", ...parameters] = part.split(";").map((piece) => piece.trim());
      const quality = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2);
      return { tag: tag.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) || 0 };
    });
}

function covers(range: string, language: string): boolean {
  const offered = language.toLowerCase();
  return range === offered || offered.startsWith(`${range}-`);
}

/** `en` satisfies `en-GB`, and the reverse. */
function matches(range: string, language: string): boolean {
  return range === "*" || covers(range, language) || range.startsWith(`${language.toLowerCase()}-`);
}

/** The storefront language that suits best; a missing or empty header takes the first. `status`: of the refusal when none does. */
export function negotiate(header: string | undefined, storefront: readonly string[], status = 406): string {
  const ranges = readRanges(header ?? "");
  if (ranges.length === 0) return storefront[0] ?? "en";
  const excluded = ranges.filter((range) => range.quality <= 0 && range.tag !== "*");
  const allowed = storefront.filter((language) => !excluded.some((range) => covers(range.tag, language)));
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const range of wanted) {
    const exact = allowed.find((language) => language.toLowerCase() === range.tag);
    const suitable = exact ?? allowed.find((language) => matches(range.tag, language));
    if (suitable !== undefined) return suitable;
  }
  throw new Refusal("LANGUAGE_NOT_AVAILABLE", { asked: header ?? "", offered: storefront.join(", ") }, status);
}

/** The text in that language, or in the storefront's first, or in any it has. */
export function inLanguage(text: Localized, language: string, storefront: readonly string[]): string {
  return text[language] ?? text[storefront[0] ?? ""] ?? Object.values(text)[0] ?? "";
}
