// Compares an actual value with the expected one. An object must have the expected members, and an array the expected items in order. An
// empty array expects no items. Matchers have their own rules, and all other values must be equal.

import { RE2JS } from "re2js";
import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import { getMember } from "../../platform/member-paths.ts";
import type { Difference } from "./scenario.ts";

type Matcher = (wanted: Json, actual: Json | undefined) => boolean;

/** The matchers by name. The checks use the same table. */
export const matchers: Readonly<Record<string, Matcher>> = {
  $exists: (wanted, actual) => (actual !== undefined) === wanted,
  $type: (wanted, actual) => actual !== undefined && listTypes(actual).includes(String(wanted)),
  $match: (wanted, actual) => typeof actual === "string" && matchesPattern(wanted, actual),
  $length: (wanted, actual) => {
    const size = typeof actual === "string" || Array.isArray(actual) ? actual.length : undefined;
    return size !== undefined && compare(wanted, size).length === 0;
  },
  $gt: (wanted, actual) => isAscending(wanted, actual),
  $lt: (wanted, actual) => actual !== undefined && isAscending(actual, wanted),
  $ne: (wanted, actual) => actual !== undefined && compare(wanted, actual).length > 0,
};

/** A member may have a name that every object inherits, such as `constructor`. */
export const isMatcher = (name: string): boolean => Object.hasOwn(matchers, name);

export const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

function listTypes(value: Json): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["number", "integer"] : [typeof value];
}

/** Compares numbers by size, and texts such as instants by the alphabet. */
function isAscending(low: Json, high: Json | undefined): boolean {
  if (typeof low === "number" && typeof high === "number") return low < high;
  return typeof low === "string" && typeof high === "string" && low < high;
}

/** Returns the differences, which are none if the value matches. `path` is the position in the response. */
export function compare(wanted: Json, actual: Json | undefined, path = ""): Difference[] {
  if (isObject(wanted)) return compareObject(wanted, actual, path);
  if (Array.isArray(wanted)) return compareArray(wanted, actual, path);
  return wanted === actual ? [] : [{ path, wanted, actual }];
}

function compareObject(wanted: JsonObject, actual: Json | undefined, path: string): Difference[] {
  const names = Object.keys(wanted);
  const rules = names.filter(isMatcher);
  const broken = rules.filter((name) => !matchers[name]?.(wanted[name] ?? null, actual));
  const failed = broken.map((name) => ({ path, wanted: { [name]: wanted[name] ?? null }, actual }));
  const members = names.filter((name) => !isMatcher(name));
  // A value that is compared by matchers only need not be an object.
  if (members.length === 0 && rules.length > 0) return failed;
  if (typeof actual !== "object" || actual === null) return [...failed, { path, wanted, actual }];
  const inside = members.flatMap((name) =>
    compare(wanted[name] ?? null, getMember(actual, name) as Json | undefined, joinPath(path, name)),
  );
  return [...failed, ...inside];
}

function compareArray(wanted: readonly Json[], actual: Json | undefined, path: string): Difference[] {
  if (!Array.isArray(actual) || (wanted.length === 0 && actual.length > 0))
    return [{ path, wanted: [...wanted], actual }];
  if (wanted.length === actual.length) {
    return wanted.flatMap((each, index) => compare(each, actual[index], joinPath(path, String(index))));
  }
  let next = 0;
  for (const [index, each] of wanted.entries()) {
    // The first matching item is taken, and other items may be in between.
    const found = actual.findIndex((item, position) => position >= next && compare(each, item).length === 0);
    if (found < 0) return findClosestDifferences(each, actual.slice(next), [index, next], path);
    next = found + 1;
  }
  return [];
}

/** Returns the differences of the nearest item from `first` on, or that no item is left. */
function findClosestDifferences(
  wanted: Json,
  left: readonly Json[],
  [index, first]: readonly [index: number, first: number],
  path: string,
): Difference[] {
  const tried = left.map((item, at) => compare(wanted, item, joinPath(path, String(first + at))));
  const best = tried.sort((a, b) => a.length - b.length)[0];
  return best ?? [{ path: joinPath(path, String(index)), wanted, actual: undefined }];
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

// Matches the patterns of $match with RE2, whose time is linear in the text, so that no scenario can block the player.

/** Lookarounds and back-references can't be matched in linear time. */
const NOT_LINEAR = /(?<!\\)(?:\\\\)*(?:\(\?<?[=!]|\\[1-9]|\\k<)/;

// Compiled patterns are cached, because each is compared with many responses.
const compiled = new Map<string, RE2JS>();

function compile(pattern: string): RE2JS {
  const expression = compiled.get(pattern) ?? RE2JS.compile(RE2JS.translateRegExp(pattern));
  compiled.set(pattern, expression);
  return expression;
}

/** Returns why the pattern is invalid; undefined if it is valid. */
export function explainInvalidPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== "string") return `a pattern is a text, but this is ${JSON.stringify(pattern)}`;
  if (NOT_LINEAR.test(pattern))
    return `\`${pattern}\` has a lookaround or a back-reference, which patterns here can't have; write it without`;
  try {
    compile(pattern);
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, "").replace(/: `.*`$/s, "");
    return `\`${pattern}\` is not a regular expression: ${reason}`;
  }
}

/** Returns whether the text contains the pattern. An invalid pattern matches nothing. */
const matchesPattern = (pattern: unknown, text: string): boolean =>
  explainInvalidPattern(pattern) === undefined && compile(String(pattern)).matcher(text).find();
