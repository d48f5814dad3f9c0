// Corrects a value that violates its schema. It returns only a form of the same value, never a default, an example or
// another value.

import type { JsonSchema } from "../../../contract/json-schema.ts";
import { findNearest } from "../../../platform/nearest.ts";

/** Returns the type that is not null. */
export const getType = ({ type }: JsonSchema): string => [type].flat().find((each) => each !== "null") ?? "";

/** Returns undefined if no correct form of the value is evident. */
export function fixValue(value: unknown, schema: JsonSchema, items: JsonSchema = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return findNearestText(schema.enum, value);
  const type = getType(schema);
  if (type === "string") return fixText(value, schema);
  if (type === "integer" || type === "number") return fixNumber(value, schema, type === "integer");
  if (type === "boolean") return fixBoolean(value);
  if (type === "array") return fixList(value, items);
  return undefined;
}

function findNearestText(allowed: readonly unknown[], value: unknown): unknown {
  if (allowed.includes(value) || typeof value !== "string") return allowed.find((each) => each === value);
  const texts = allowed.filter((each) => typeof each === "string");
  return findNearest(value.trim(), texts);
}

function fixText(value: unknown, schema: JsonSchema): string | undefined {
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  const text = String(value);
  return [text, ...listForms(text, schema.pattern ?? "")].find((each) => isValidText(each, schema));
}

function listForms(text: string, pattern: string): string[] {
  const trimmed = text.trim();
  const signed = findSortKey(trimmed, pattern);
  return [
    // A plus sign in a query is decoded as a space.
    ...(text.startsWith(" ") ? [`+${trimmed}`] : []),
    trimmed,
    trimmed.toUpperCase(),
    trimmed.toLowerCase(),
    ...formatLanguage(trimmed),
    ...(signed === undefined ? [] : [signed]),
  ];
}

/** Converts `en-us` and `en_us` to `en-US`. */
function formatLanguage(text: string): string[] {
  const [, language, country] = /^([a-z]{2})[-_]([a-z]{2})$/i.exec(text) ?? [];
  return language && country ? [`${language.toLowerCase()}-${country.toUpperCase()}`] : [];
}

/**
 * Corrects a value whose pattern is a list of words with an optional sign, such as that of `sort`. `:desc` becomes a
 * minus sign.
 */
function findSortKey(text: string, pattern: string): string | undefined {
  const [, words = ""] = /^\^\[\+-\]\??\((\w+(?:\|\w+)*)\)\$$/.exec(pattern) ?? [];
  const [, sign = "", word = "", order = ""] = /^([+-]?)(\w+)(?:[:, ]+(asc|desc))?$/i.exec(text) ?? [];
  const near = words === "" ? undefined : findNearest(word, words.split("|"));
  if (near === undefined) return undefined;
  const signs: Readonly<Record<string, string>> = { asc: "+", desc: "-" };
  return (signs[order.toLowerCase()] ?? sign) + near;
}

function isValidText(
  text: string,
  { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
): boolean {
  const { length } = [...text];
  if (format !== undefined || length < minLength || length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, "u").test(text);
}

/** Accepts `7`, `"7"`, `7.0` and `1e1`, and returns the nearest limit for a number out of range. */
function fixNumber(value: unknown, { minimum, maximum }: JsonSchema, isInteger: boolean): number | undefined {
  const isNumeric = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const number = isNumeric ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  const bounded = Math.min(Math.max(number, minimum ?? -Infinity), maximum ?? Infinity);
  return isInteger ? Math.round(bounded) : bounded;
}

function fixBoolean(value: unknown): boolean | undefined {
  if (/^(true|yes|y|on|1)$/i.test(String(value))) return true;
  return /^(false|no|n|off|0)$/i.test(String(value)) ? false : undefined;
}

/** Converts a single value to a list of one. */
function fixList(value: unknown, items: JsonSchema): unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) && getType(items) === "object") return [value];
  const corrected = [value].flat().map((each) => fixValue(each, items));
  return corrected.includes(undefined) ? undefined : corrected;
}
