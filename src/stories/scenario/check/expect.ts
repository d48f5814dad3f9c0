// Checks the expectation of a step: the fields must be those of the verb's result, and numbers and matchers must be valid.

import type { Json } from "../../../platform/json.ts";
import { isMatcher, isObject, matchers, typeNames } from "../match.ts";
import { explainInvalidPattern } from "../pattern.ts";
import { findReferences } from "../refs.ts";
import type { Step } from "../scenario.ts";
import type { MemberPath } from "../schema.ts";
import { getVerbs } from "../steps/index.ts";
import { suggest } from "../unknown.ts";
import type { Say } from "./values.ts";

export function checkExpect(step: Step, path: MemberPath, say: Say): void {
  const answers = getVerbs(step)[0]?.answers;
  for (const [name, wanted] of Object.entries(isObject(step.expect) ? step.expect : {})) {
    if (answers && !isMatcher(name) && !answers.includes(name)) say([...path, name], suggest("answer", name, answers));
    const reason = Object.hasOwn(whyNotNumber, name) ? whyNotNumber[name]?.(wanted) : undefined;
    if (reason !== undefined) say([...path, name], reason);
    else checkMatchers(wanted, [...path, name], say);
  }
}

const isWhole = (value: Json, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

// The value of a matcher or a reference is only known when the scenario runs.
const isLater = (value: Json): boolean => isObject(value) || findReferences(value).length > 0;

const whyNotNumber: Record<string, (wanted: Json) => string | undefined> = {
  // The status is null if the connection broke.
  status: (wanted) =>
    wanted === null || isLater(wanted) || isWhole(wanted, 100, 599)
      ? undefined
      : `a status is a number such as 200, but this is ${JSON.stringify(wanted)}`,
  times: (wanted) =>
    isLater(wanted) || isWhole(wanted, 0, Number.MAX_SAFE_INTEGER)
      ? undefined
      : `\`times\` is a whole number from 0, but this is ${JSON.stringify(wanted)}`,
};

function checkMatchers(wanted: Json, path: MemberPath, say: Say): void {
  if (Array.isArray(wanted)) for (const [index, each] of wanted.entries()) checkMatchers(each, [...path, index], say);
  if (!isObject(wanted)) return;
  for (const [name, value] of Object.entries(wanted)) {
    // Names of fields never start with a dollar, so an unknown one is a misspelled matcher.
    if (name.startsWith("$") && !isMatcher(name)) say([...path, name], suggest("matcher", name, Object.keys(matchers)));
    const reason = isMatcher(name) && findReferences(value).length === 0 ? whyNotMatcher[name]?.(value) : undefined;
    if (reason !== undefined) say([...path, name], reason);
    checkMatchers(value, [...path, name], say);
  }
}

const whyNotMatcher: Record<string, (value: Json) => string | undefined> = {
  $type: (value) => (typeNames.includes(String(value)) ? undefined : suggest("type", String(value), typeNames)),
  $match: explainInvalidPattern,
  $length: (value) =>
    isObject(value) || isWhole(value, 0, Number.MAX_SAFE_INTEGER)
      ? undefined
      : `\`$length\` is a whole number from 0, or a matcher, but this is ${JSON.stringify(value)}`,
  $gt: (value) => explainMissingOrder("$gt", value),
  $lt: (value) => explainMissingOrder("$lt", value),
  $exists: (value) =>
    typeof value === "boolean" ? undefined : `\`$exists\` is true or false, but this is ${JSON.stringify(value)}`,
};

function explainMissingOrder(name: string, value: Json): string | undefined {
  if (typeof value === "number" || typeof value === "string") return undefined;
  return `\`${name}\` is a number or a text, but this is ${JSON.stringify(value)}`;
}
