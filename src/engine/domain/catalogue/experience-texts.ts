// Checks the texts of an experience: only languages of the storefront, always the first of them, and no blank names.
// Assumption: catalogue-checks.

import type { ExperienceInput, Text } from "./experience-input.ts";

export interface InputProblem {
  /** The path within the experience. */
  path: (string | number)[];
  what: string;
}

export type ExperienceFields = Partial<ExperienceInput>;
export type ProblemPath = InputProblem["path"];

/** `languages` are those of the storefront. */
export function checkTexts(input: ExperienceFields, languages: readonly string[]): InputProblem[] {
  return getTexts(input).flatMap(([path, text]) => checkText(path, text, languages));
}

function getTexts(input: ExperienceFields): [ProblemPath, Text][] {
  const offers = (input.ticket_variants ?? []).flatMap((variant, index) => {
    const at = ["ticket_variants", index];
    const addOns = (variant.add_on_variants ?? []).map(
      (addOn, nth) => [[...at, "add_on_variants", nth], addOn] as const,
    );
    return [[at, variant] as const, ...addOns];
  });
  const blocks = (input.content_blocks ?? []).flatMap((block, index) => {
    const at = ["content_blocks", index];
    const steps = (block.steps ?? []).map((step, nth) => [[...at, "steps", nth], step] as const);
    return [[at, block] as const, ...steps];
  });
  const questions = (input.information_requests ?? []).map(
    (each, index) => [["information_requests", index], each] as const,
  );
  return [[[], input] as const, ...offers, ...questions, ...blocks].flatMap(([path, holder]) =>
    TEXTS.flatMap((member): [ProblemPath, Text][] => {
      const text = (holder as Partial<Record<string, Text>>)[member];
      return text === undefined ? [] : [[[...path, member], text]];
    }),
  );
}

/** Fields that hold texts, at any depth of an experience. */
const TEXTS = ["name", "description", "label", "text", "title"];
/** A blank description or text is left out of responses; these fields must not be blank. */
const REQUIRED_TEXTS = new Set(["name", "label"]);

function checkText(path: ProblemPath, text: Text, languages: readonly string[]): InputProblem[] {
  const first = languages[0] ?? "";
  // A plain string is in the first language, so it can only be blank.
  const texts = typeof text === "string" ? { [first]: text } : text;
  const unknown = Object.keys(texts).filter((language) => !languages.includes(language));
  const blank = REQUIRED_TEXTS.has(String(path.at(-1)))
    ? Object.entries(texts).filter(([, value]) => value.trim() === "")
    : [];
  const toPath = (language: string) => (typeof text === "string" ? path : [...path, language]);
  return [
    ...(first in texts
      ? []
      : [
          {
            path,
            what: `has no text in ${first}, the storefront's first language. It stands in wherever a translation is missing; add it.`,
          },
        ]),
    ...unknown.map((language) => ({
      path: toPath(language),
      what: `${language} is not a language of the storefront, which has ${languages.join(", ")}.`,
    })),
    ...blank.map(([language]) => ({ path: toPath(language), what: "it is blank. Write what guests are to read." })),
  ];
}
