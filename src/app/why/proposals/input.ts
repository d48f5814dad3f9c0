// Values that fit: for a member that breaks its schema, or that a rule can't read.
import { after, type Instant, isInstant } from "../../../domain/kernel/instant.ts";
import { nearest } from "../../../domain/kernel/nearest.ts";
import { type Asked, type Proposal, type Schema, type Violation, valueAt, valuesOf } from "../rule.ts";

/** All violations mended at once: what is still wrong then comes up when that is tried. */
export function fittingValues(asked: Asked): Proposal[] {
  const { violations } = asked.refused;
  const pairs = violations.flatMap((violation) => Object.entries(mended(asked, violation)));
  if (pairs.length === 0) return [];
  const set = Object.fromEntries(pairs);
  const texts = Object.entries(set).map(([path, value]) => worded(path, value));
  return [{ text: sentenceOf(texts), set, advice: true }];
}

export const worded = (path: string, value: unknown): string =>
  value === null ? `leave ${path} out` : `set ${path} to ${JSON.stringify(value)}`;

/** For a person: the first few. */
function sentenceOf(texts: readonly string[]): string {
  const shown = texts.slice(0, 3).join(", ");
  const rest = texts.length > 3 ? `, and ${texts.length - 3} more` : "";
  return `${shown.charAt(0).toUpperCase()}${shown.slice(1)}${rest}.`;
}

function mended(asked: Asked, { location, code }: Violation): Record<string, unknown> {
  const path = location[0] === "header" ? location.join(".").toLowerCase() : location.join(".");
  if (path === "body") return asked.example === undefined ? {} : { body: asked.example };
  const schema = asked.schemaAt(location) ?? {};
  const value = valueAt(asked, path);
  if (code === "additionalProperties" && asked.schemaAt(location) === undefined) return { [path]: null };
  if (code === "repeated") return { [path]: [value].flat()[0] };
  if (code === "oneOf" || code === "anyOf") return alternative(path, schema, exampleAt(asked, location));
  const isOptional = value === null && !isRequired(asked, location);
  if (isOptional) return { [path]: null };
  const fits = fitting(schema, value, exampleAt(asked, location));
  if (fits === undefined) return {};
  return location[0] === "query" && location.length === 3 ? inList(asked, location, fits) : { [path]: fits };
}

/** A list in a query is one text. */
function inList({ query }: Asked, [, name = "", index]: readonly string[], value: unknown): Record<string, unknown> {
  const list = String(query[name]).split(",");
  return { [`query.${name}`]: list.map((each, at) => (String(at) === index ? value : each)).join(",") };
}

function isRequired(asked: Asked, location: readonly string[]): boolean {
  const name = location.at(-1) ?? "";
  return asked.schemaAt(location.slice(0, -1))?.required?.includes(name) ?? false;
}

/** The first alternative that only requires members, each with its example. */
function alternative(path: string, { oneOf, anyOf, properties }: Schema, example: unknown): Record<string, unknown> {
  const first = (oneOf ?? anyOf)?.find(({ required }) => required !== undefined);
  const members = (first?.required ?? []).map((name): [string, unknown] => [
    `${path}.${name}`,
    (example as Record<string, unknown> | undefined)?.[name] ?? fitting(properties?.[name] ?? {}, undefined),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** What the example of the operation has there; of a list, its first item serves for each. */
function exampleAt({ example }: Asked, [section, ...names]: readonly string[]): unknown {
  if (section !== "body") return undefined;
  return names.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)] ?? value[0];
    return (value as Record<string, unknown> | undefined)?.[name];
  }, example);
}

/** The value of this schema that is nearest to the one that was sent. */
export function fitting(schema: Schema, value: unknown, example?: unknown): unknown {
  const { enum: allowed, const: only, minimum, maximum, maxLength, maxItems, items } = schema;
  if (only !== undefined) return only;
  if (allowed) return nearestOf(allowed, value) ?? example ?? allowed[0];
  if (Array.isArray(value) && typeOf(schema) === "array") return fittingList(value, items ?? {}, maxItems);
  if (isNumeric(value) && (minimum !== undefined || maximum !== undefined))
    return Math.round(Math.min(Math.max(Number(value), minimum ?? -Infinity), maximum ?? Infinity));
  if (typeof value === "string" && maxLength !== undefined && value.length > maxLength)
    return value.slice(0, maxLength);
  const local = typeof value === "string" ? asDateTime(value, schema) : undefined;
  return local ?? example ?? schema.examples?.[0] ?? schema.default ?? byType[typeOf(schema)];
}

const typeOf = ({ type }: Schema): string => [type].flat().find((each) => each !== "null") ?? "";
const isNumeric = (value: unknown): boolean =>
  value !== "" && typeof value !== "object" && Number.isFinite(Number(value));

const byType: Readonly<Record<string, unknown>> = {
  string: "text",
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
};

function nearestOf(allowed: readonly unknown[], value: unknown): unknown {
  const texts = allowed.filter((each) => typeof each === "string");
  if (typeof value !== "string") return undefined;
  return texts.find((each) => each.toLowerCase() === value.toLowerCase()) ?? nearest(value, texts);
}

const fittingList = (value: readonly unknown[], items: Schema, most = Number.POSITIVE_INFINITY): unknown[] => {
  const known = items.enum;
  const kept = known ? value.filter((each) => known.includes(each)) : [...value];
  return (kept.length > 0 || !known ? kept : [known[0]]).slice(0, most);
};

/** `2030-06-01 09:00` with a blank, without seconds or without an offset, as a date-time of RFC 3339. */
function asDateTime(text: string, { format }: Schema): string | undefined {
  if (format !== "date-time") return undefined;
  const [, date, time = "00:00", rest = ""] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(.*)/i.exec(text) ?? [];
  if (date === undefined) return undefined;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const offset = /^[+-]\d\d:?\d\d$/.test(rest.trim()) ? rest.trim().replace(/^([+-]\d\d):?/, "$1:") : "Z";
  return `${date}T${seconds}${offset}`;
}

/** A rule can't read a member: what the specification shows, or none. */
export function readable(asked: Asked): Proposal[] {
  const paths = asked.refused.values
    .map(({ path }) => String(path ?? ""))
    .map((path) => (path.includes(".") ? path : `body.${path}`));
  const choices = paths.map((path) =>
    fitting(asked.schemaAt(path.split(".")) ?? {}, undefined, exampleAt(asked, path.split("."))),
  );
  const shown = Object.fromEntries(paths.map((path, index) => [path, choices[index]]));
  const without = Object.fromEntries(paths.map((path) => [path, null]));
  const isNew = choices.every((choice, index) => choice !== undefined && choice !== valueAt(asked, paths[index] ?? ""));
  return [
    { text: sentenceOf(paths.map((path) => worded(path, null))), set: without },
    ...(isNew ? [{ text: sentenceOf(paths.map((path, index) => worded(path, choices[index]))), set: shown }] : []),
  ];
}

/** Later than what stands, by a second. */
export function laterExpiry(asked: Asked): Proposal[] {
  const { path = "", current = "", now = "" } = valuesOf(asked);
  if (!isInstant(current) || !isInstant(now)) return [];
  const latest: Instant = current > now ? current : now;
  const next = path.endsWith("_date") ? after(latest, "P1D").slice(0, 10) : after(latest, "PT1S");
  return [{ text: `Any instant after ${latest}, such as ${next}.`, set: { [path]: next } }];
}

export function offeredLanguage(asked: Asked): Proposal[] {
  const [first = ""] = (valuesOf(asked).offered ?? "").split(", ");
  return [{ text: `Send Accept-Language: ${first}.`, set: { "header.accept-language": first } }];
}
