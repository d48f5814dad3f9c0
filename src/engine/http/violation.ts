// Describes a violation in words: the path of the value, the expectation, and the value. Assumption: violations.
import type { ErrorObject } from "ajv/dist/2020.js";
import { decodeStep, getSent } from "../../platform/member-paths.ts";
import { findNearest } from "../../platform/nearest.ts";
import { describeSize, explainDecodedPlus, FORMATS, PATTERNS } from "../domain/kernel/forms.ts";
import { createViolation, type SentParts, type Violation } from "./exchange.ts";

/** Characters. Clients choose the names, so they are shortened. */
const MAX_NAME_LENGTH = 80;

/**
 * `section`: the part of the request; `names`: the parameter names of the specification, which validators convert to
 * lower case.
 */
export function toViolation(error: ErrorObject, section: string, sent: SentParts, names: readonly string[]): Violation {
  const { keyword, instancePath } = error;
  const missing = keyword === "required" ? [String(error.params.missingProperty)] : [];
  const parts = [section, ...instancePath.split("/").slice(1).map(decodeStep), ...missing];
  const value = findValue(sent, parts);
  const path = parts.map((part, depth) => (depth === 1 && section !== "body" ? findSpelling(part, names) : cut(part)));
  return createViolation(path, keyword, formatSentence(path.join("."), error, value));
}

function formatSentence(path: string, error: ErrorObject, value: unknown): string {
  const expected = formatExpectation(error);
  if (error.keyword === "required") return `${path} ${expected}.`;
  // The violation is about a key of an object.
  if (error.propertyName !== undefined) return `${path}: the key ${shorten(error.propertyName)} ${expected}.`;
  if (error.keyword === "additionalProperties") return `${path} ${expected}.`;
  return `${path} ${expected}; it is ${shorten(value)}.${explainDecodedPlus(value)}`;
}

/** Messages that replace AJV's own, by keyword. */
const EXPECTED: Readonly<Record<string, (error: ErrorObject) => string>> = {
  required: () => "is required",
  const: ({ params }) => `must be ${JSON.stringify(params.allowedValue)}`,
  enum: ({ params, message }) => `${message}: ${params.allowedValues.join(", ")}`,
  type: ({ params }) => `must be ${[params.type].flat().join(" or ").replaceAll(",", " or ")}`,
  format: ({ params, message }) => formatForm(FORMATS[params.format], message),
  pattern: ({ params, message }) => formatForm(PATTERNS[params.pattern], message),
  additionalProperties: ({ params, message, parentSchema }) =>
    `${message}; found '${params.additionalProperty}'${guess(params.additionalProperty, parentSchema)}`,
  oneOf: (error) => formatChoice("exactly one", error),
  anyOf: (error) => formatChoice("at least one", error),
};

/** All properties of a schema are listed up to this number. Otherwise only a similar one is named. */
const MAX_LISTED_PROPERTIES = 5;

/** Suggests a property, as a part of a sentence without its full stop. */
function guess(name: string, schema: ErrorObject["parentSchema"]): string {
  const known = Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
  const meant = findNearest(name, known);
  if (meant !== undefined) return ` instead of '${meant}'`;
  return known.length > 0 && known.length <= MAX_LISTED_PROPERTIES ? `; known are ${known.join(", ")}` : "";
}

const formatForm = (form: string | undefined, message: string | undefined): string =>
  form === undefined ? (message ?? "does not fit") : `must be ${form}`;

function formatChoice(how: string, { schema, message }: ErrorObject): string {
  const alternatives = describeAlternatives(schema);
  if (alternatives !== undefined) return `must hold ${how} of ${alternatives}`;
  const kinds = describeKinds(schema);
  return kinds === undefined ? (message ?? "does not fit") : `must be ${kinds}`;
}

/** Describes the alternatives of an `anyOf` of plain values. */
export function describeKinds(alternatives: unknown): string | undefined {
  if (!Array.isArray(alternatives)) return undefined;
  const words = (alternatives as { format?: string; enum?: unknown[] }[]).map(
    (each) => FORMATS[each.format ?? ""] ?? each.enum?.join(" or "),
  );
  return words.includes(undefined) ? undefined : words.join(", or ");
}

const formatExpectation = (error: ErrorObject): string =>
  cut(
    EXPECTED[error.keyword]?.(error) ??
      describeSize(error.keyword, error.params.limit) ??
      error.message ??
      "does not fit",
    300,
  );

/** Describes the alternatives of a `oneOf` or `anyOf` that only requires fields. */
export function describeAlternatives(alternatives: unknown): string | undefined {
  if (!Array.isArray(alternatives)) return undefined;
  const required = (alternatives as { required?: string[] }[]).map((each) => each.required?.join(" with "));
  return required.includes(undefined) ? undefined : required.join(", ").replace(/, ([^,]*)$/, " or $1");
}

const cut = (text: string, most = MAX_NAME_LENGTH): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

function findSpelling(name: string, names: readonly string[]): string {
  return names.find((known) => known.toLowerCase() === name.toLowerCase()) ?? cut(name);
}

function findValue(sent: SentParts, [section = "", ...names]: readonly string[]): unknown {
  const { body, query, params, headers } = sent;
  const root = { body, query: toLowerNames(query), path: toLowerNames(params), header: headers }[section];
  return names.reduce<unknown>(getSent, root);
}

const toLowerNames = (members: object) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name.toLowerCase(), value]));

/** Returns at most 60 characters of JSON; "missing" for undefined. */
export function shorten(value: unknown): string {
  if (value === undefined) return "missing";
  return cut(JSON.stringify(Array.isArray(value) ? value.slice(0, 60) : value), 60);
}
