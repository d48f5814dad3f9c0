// Checks what the schema of an experience can't express. Acts and fixtures use the same checks. Headings "TicketVariant",
// "Content block"; assumption: catalogue-checks.

import { isDeepStrictEqual } from "node:util";
import { reject } from "../kernel/domain-error.ts";
import { isDuration, parseDuration } from "../kernel/instant.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { mapRates } from "../money/money.ts";
import type { VariantInput } from "./experience-input.ts";
import type { ExperienceFields, ProblemPath } from "./experience-texts.ts";
import { checkTexts, type InputProblem } from "./experience-texts.ts";
import { getLanguages } from "./language.ts";

/** Rejects an invalid experience with INVALID_INPUT, all problems together. */
export function mustBeValidExperience(tx: Transaction, input: ExperienceFields): void {
  // A world without a company has no fixture yet, so English is the default.
  const problems = checkExperience(input, getLanguages(tx));
  if (problems.length === 0) return;
  reject(
    "INVALID_INPUT",
    problems.map(({ path, what }) => ({ path: ["body", ...path].join("."), what })),
  );
}

/** Returns every problem at once. `languages` are those of the storefront. */
export function checkExperience(input: ExperienceFields, languages: readonly string[]): InputProblem[] {
  return [
    ...checkTexts(input, languages),
    ...checkVariants(input.ticket_variants ?? []),
    ...findRepeated(input.information_requests ?? [], ["information_requests"]),
    ...(input.content_blocks ?? []).flatMap(checkBlock),
    ...(input.opening_rules ?? []).flatMap(checkRule),
    ...getFiles(input).flatMap(([path, { url }]) =>
      !url.startsWith("sandbox:") || PICTURE.test(url)
        ? []
        : [
            {
              path: [...path, "url"],
              what: `${url} is no picture of the sandbox. Write it like sandbox:canal-tour.png.`,
            },
          ],
    ),
  ];
}

/** The server delivers these pictures (http/files.ts). */
const PICTURE = /^sandbox:[a-z0-9-]{1,60}\.png$/;

/** Every file of an experience, with the path that a problem names. */
function getFiles({ media = [], content_blocks = [] }: ExperienceFields): [ProblemPath, { url: string }][] {
  const images = content_blocks.flatMap(({ steps = [] }, index) =>
    steps.flatMap(({ image }, nth): [ProblemPath, { url: string }][] =>
      image ? [[["content_blocks", index, "steps", nth, "image"], image]] : [],
    ),
  );
  return [...media.map((file, index): [ProblemPath, { url: string }] => [["media", index], file]), ...images];
}

function findRepeated(list: readonly { id?: string }[], path: ProblemPath): InputProblem[] {
  return list.flatMap(({ id }, index) => {
    // If two values have one id, only the second is reported.
    const before = list.findIndex((other) => other.id === id);
    if (id === undefined || before === index) return [];
    return [
      {
        path: [...path, index, "id"],
        what: `${id} is the id of ${[...path, before].join(".")} already. Choose another.`,
      },
    ];
  });
}

function checkVariants(variants: readonly VariantInput[]): InputProblem[] {
  const addOns = variants.flatMap(({ add_on_variants = [] }, index) =>
    add_on_variants.map((addOn, nth) => ({ addOn, path: ["ticket_variants", index, "add_on_variants", nth] })),
  );
  return [
    ...findRepeated(variants, ["ticket_variants"]),
    ...variants.flatMap(({ add_on_variants = [] }, index) =>
      findRepeated(add_on_variants, ["ticket_variants", index, "add_on_variants"]),
    ),
    ...addOns.flatMap(({ addOn: { id, ...addOn }, path }, index) => {
      if (id === undefined) return [];
      // Items of a booking name their type by id alone, so variants and add-ons share one set of ids.
      if (variants.some((variant) => variant.id === id))
        return [{ path: [...path, "id"], what: `${id} is the id of a ticket variant already. Choose another.` }];
      const twin = addOns.slice(0, index).find((other) => other.addOn.id === id);
      // An add-on of several variants is described once for each, with the same limits and prices.
      const differs =
        twin &&
        SHARED_FIELDS.find((member) => !isDeepStrictEqual(mapRates(twin.addOn)[member], mapRates(addOn)[member]));
      if (!differs) return [];
      const what = `${id} has another ${differs} in ${twin.path.join(".")}. It is one add-on: say the same, or choose another id.`;
      return [{ path: differs in addOn ? [...path, differs] : path, what }];
    }),
  ];
}

/** Fields that an add-on must have in common wherever it is offered. */
const SHARED_FIELDS = ["price", "vat_rate", "limit", "resources"] as const;

/** The handles of the specification by the type of block; another type may have any. */
const HANDLES: Readonly<Record<string, readonly string[]>> = {
  TEXT: ["WHATS_INCLUDED", "NICE_TO_KNOW"],
  STEP_LIST: ["ITINERARY"],
};

function checkBlock({ type, handle }: { type: string; handle: string }, index: number): InputProblem[] {
  const known = HANDLES[type] ?? [handle];
  if (known.includes(handle)) return [];
  return [
    { path: ["content_blocks", index, "handle"], what: `a ${type} is about ${known.join(" or ")}, not ${handle}.` },
  ];
}

/** Shorter slots would make lists of a day too long to read. */
const SHORTEST_SLOT = "PT5M";
const MINUTE = 60_000;

function checkRule(
  { from, to, duration }: { from: string; to: string; duration: string },
  index: number,
): InputProblem[] {
  const toProblem = (member: string, what: string): InputProblem[] => [
    { path: ["opening_rules", index, member], what },
  ];
  // 24:00 gives 1440, the end of the day.
  const toMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
  const open = (toMinutes(to) - toMinutes(from)) * MINUTE;
  if (open <= 0) return toProblem("to", `${to} is not after ${from}, so nothing would be offered.`);
  if (!isDuration(duration)) return toProblem("duration", `${duration} is not a duration such as PT1H.`);
  if (parseDuration(duration) < parseDuration(SHORTEST_SLOT))
    return toProblem("duration", `a slot lasts at least ${SHORTEST_SLOT}.`);
  // The wall clock counts here: a change of the clocks is handled on the day that it happens.
  if (parseDuration(duration) <= open) return [];
  return toProblem("duration", `${duration} does not fit between ${from} and ${to}, so nothing would be offered.`);
}
