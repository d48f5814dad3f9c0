// The correct form of a value that breaks its schema. Only what its sender evidently meant is proposed: no default, no example and no other value.

import type { JsonSchema } from "../../../contract/json-schema.ts";
import { findNearest } from "../../../platform/nearest.ts";
import { findZone } from "../../domain/kernel/zone.ts";

/** The type that is not null. */
export const readType = ({ type }: JsonSchema): string => [type].flat().find((each) => each !== "null") ?? "";

/** Undefined if no correct form of the value is evident. */
export function fixValue(value: unknown, schema: JsonSchema, items: JsonSchema = {}): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return findNearestText(schema.enum, value);
  const type = readType(schema);
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
  return [text, ...listForms(text, schema.pattern ?? "")].find((each) => matches(each, schema));
}

function listForms(text: string, pattern: string): string[] {
  const trimmed = text.trim();
  const signed = findSigned(trimmed, pattern);
  return [
    // A plus in a query is read as a space.
    ...(text.startsWith(" ") ? [`+${trimmed}`] : []),
    trimmed,
    trimmed.toUpperCase(),
    trimmed.toLowerCase(),
    ...findLanguage(trimmed),
    ...(signed === undefined ? [] : [signed]),
  ];
}

/** `en-us` and `en_us` are written `en-US`. */
function findLanguage(text: string): string[] {
  const [, language, country] = /^([a-z]{2})[-_]([a-z]{2})$/i.exec(text) ?? [];
  return language && country ? [`${language.toLowerCase()}-${country.toUpperCase()}`] : [];
}

/** Of a pattern that is a choice of words after an optional sign, such as the one of `sort`. `:desc` behind a word is its minus. */
function findSigned(text: string, pattern: string): string | undefined {
  const [, words = ""] = /^\^\[\+-\]\??\((\w+(?:\|\w+)*)\)\$$/.exec(pattern) ?? [];
  const [, sign = "", word = "", order = ""] = /^([+-]?)(\w+)(?:[:, ]+(asc|desc))?$/i.exec(text) ?? [];
  const near = words === "" ? undefined : findNearest(word, words.split("|"));
  if (near === undefined) return undefined;
  const signs: Readonly<Record<string, string>> = { asc: "+", desc: "-" };
  return (signs[order.toLowerCase()] ?? sign) + near;
}

function matches(
  text: string,
  { pattern, format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: JsonSchema,
): boolean {
  const { length } = [...text];
  if (format !== undefined || length < minLength || length > maxLength) return false;
  return pattern === undefined || new RegExp(pattern, "u").test(text);
}

/** `7`, `"7"`, `7.0` and `1e1`, and the nearest bound for one that is out of bounds. */
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

/** A single value is a list of one. */
function fixList(value: unknown, items: JsonSchema): unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) && readType(items) === "object") return [value];
  const corrected = [value].flat().map((each) => fixValue(each, items));
  return corrected.includes(undefined) ? undefined : corrected;
}

/** As the database of time zones spells it, or the nearest name. */
export const findNearestZone = (text: string): string | undefined =>
  findZone(text) ?? findNearest(text.replaceAll(" ", "_"), Intl.supportedValuesOf("timeZone"));
