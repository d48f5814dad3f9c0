// Negotiates the language of a response: Accept-Language against the storefront's languages. Assumptions: language-missing
// (RFC 4647 lookup and filtering, q=0 excludes), language-mismatch, language.

import { DomainError, reject } from "../kernel/domain-error.ts";
import type { Localized } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";

/** Returns the languages of the storefront. The first one replaces a missing translation. */
export const getLanguages = (tx: Transaction): readonly string[] => tx.company.get("company")?.languages ?? ["en"];

/** An entry of the header. A quality of 0 excludes the language. */
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
      // Other parameters of a language range mean nothing here.
      const weight = parameters.find((parameter) => /^q\s*=/i.test(parameter));
      return { tag: tag.toLowerCase(), quality: weight === undefined ? 1 : readWeight(weight) };
    });
}

/**
 * Parses a weight as in RFC 9110 section 12.4.2, with any number of digits. Rejects with INVALID_INPUT if it is
 * malformed.
 */
function readWeight(weight: string): number {
  const text = weight.slice(weight.indexOf("=") + 1).trim();
  if (/^(0(\.\d*)?|1(\.0*)?)$/.test(text)) return Number(text);
  const what = `${weight} is not a weight. Write q=0 to q=1, such as q=0.8.`;
  return reject("INVALID_INPUT", { path: "header.Accept-Language", what });
}

function isCovered(range: string, language: string): boolean {
  const offered = language.toLowerCase();
  return range === offered || offered.startsWith(`${range}-`);
}

/** `en` satisfies `en-GB`, and the reverse. */
function isMatch(range: string, language: string): boolean {
  return isCovered(range, language) || range.startsWith(`${language.toLowerCase()}-`);
}

/**
 * Returns the best storefront language, or the first one if the header is missing or empty. `status` is that of the
 * rejection when no language fits.
 */
export function negotiate(header: string | undefined, storefront: readonly string[], status = 406): string {
  const ranges = readRanges(header ?? "");
  if (ranges.length === 0) return storefront[0] ?? "en";
  // `*;q=0` excludes nothing by name; it only keeps the asterisk from matching.
  const excluded = ranges.filter((range) => range.quality <= 0 && range.tag !== "*");
  const allowed = storefront.filter((language) => !excluded.some((range) => isCovered(range.tag, language)));
  const isNamed = (language: string) => ranges.some(({ tag }) => tag !== "*" && isMatch(tag, language));
  // Sorting is stable, so of equal weights the first named wins.
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const range of wanted) {
    // `en-GB` wins over `en` when both are offered and `en-GB` was requested.
    const exact = allowed.find((language) => language.toLowerCase() === range.tag);
    // RFC 4647 section 3.3.1: the asterisk stands for what no other range names.
    const isFit = (language: string) => (range.tag === "*" ? !isNamed(language) : isMatch(range.tag, language));
    const suitable = exact ?? allowed.find(isFit);
    if (suitable !== undefined) return suitable;
  }
  // The error is thrown without reject(), because the caller chooses the status (assumption: language-mismatch).
  throw new DomainError("LANGUAGE_NOT_AVAILABLE", { requested: header ?? "", offered: storefront.join(", ") }, status);
}

/** Returns the text in that language, in the storefront's first, or in any it has. Only a text in no language is empty. */
export function translate(text: Localized, language: string, storefront: readonly string[]): string {
  return text[language] ?? text[storefront[0] ?? ""] ?? Object.values(text)[0] ?? "";
}
