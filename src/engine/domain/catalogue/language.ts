// Which language an answer is in: Accept-Language against the storefront's languages. Assumptions: language-missing (RFC 4647
// lookup and filtering, q=0 excludes), language-mismatch, language.

import { DomainError, reject } from "../kernel/domain-error.ts";
import type { Localized } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";

/** Those of the storefront, the first of which stands in for a text that is missing. */
export const getLanguages = (tx: Transaction): readonly string[] => tx.company.get("company")?.languages ?? ["en"];

/** One entry of the header; a quality of 0 excludes. */
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

/** RFC 9110 section 12.4.2, with as many digits as one likes. A weight that can't be read says nothing about what is wanted. */
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
function match(range: string, language: string): boolean {
  return isCovered(range, language) || range.startsWith(`${language.toLowerCase()}-`);
}

/** The storefront language that suits best; a missing or empty header takes the first. `status`: of the refusal when none does. */
export function negotiate(header: string | undefined, storefront: readonly string[], status = 406): string {
  const ranges = readRanges(header ?? "");
  if (ranges.length === 0) return storefront[0] ?? "en";
  // `*;q=0` excludes nothing by name; it only keeps the asterisk from matching.
  const excluded = ranges.filter((range) => range.quality <= 0 && range.tag !== "*");
  const allowed = storefront.filter((language) => !excluded.some((range) => isCovered(range.tag, language)));
  const isNamed = (language: string) => ranges.some(({ tag }) => tag !== "*" && match(tag, language));
  // Sorting is stable, so of equal weights the first named wins.
  const wanted = ranges.filter((range) => range.quality > 0).sort((a, b) => b.quality - a.quality);
  for (const range of wanted) {
    // `en-GB` before `en`, when both are offered and the first was asked for.
    const exact = allowed.find((language) => language.toLowerCase() === range.tag);
    // RFC 4647 section 3.3.1: the asterisk stands for what no other range names.
    const isFit = (language: string) => (range.tag === "*" ? !isNamed(language) : match(range.tag, language));
    const suitable = exact ?? allowed.find(isFit);
    if (suitable !== undefined) return suitable;
  }
  // Not by reject(): the status is the caller's choice (assumption: language-mismatch).
  throw new DomainError("LANGUAGE_NOT_AVAILABLE", { requested: header ?? "", offered: storefront.join(", ") }, status);
}

/** The text in that language, or in the storefront's first, or in any it has. Empty only for a text in no language. */
export function translate(text: Localized, language: string, storefront: readonly string[]): string {
  return text[language] ?? text[storefront[0] ?? ""] ?? Object.values(text)[0] ?? "";
}
