// The value that fits its schema and is nearest to the one that was sent: what is right in it stays, what is wrong is written as its
// sender seems to have meant it. Only where nothing of it can be kept does the specification's own example stand in.

import type { JsonSchema } from "../../../contract/json-schema.ts";
import { nearest } from "../../../platform/nearest.ts";
import type { JsonMembers } from "../../http/patched.ts";
import { repairedText } from "./repaired-text.ts";

/** A member: what the specification says of it, and of its members. */
export interface SchemaLocation {
  name: string;
  schema: JsonSchema;
  /** What the specification shows there. */
  example: unknown;
  /** The zone in which a local time stands there. */
  zone: string;
  inner(name: string): SchemaLocation;
}

/** Undefined: nothing is known that would fit. */
export function repaired(value: unknown, location: SchemaLocation): unknown {
  const { schema } = location;
  // There is nothing to choose.
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum.includes(value) ? value : (nearestOf(schema.enum, value) ?? chosen(location));
  if (value === null && [schema.type].flat().includes("null")) return null;
  return byType[typeOf(schema)]?.(value, location) ?? fallback(location);
}

/** The type that is not null. */
export const typeOf = ({ type }: JsonSchema): string => [type].flat().find((each) => each !== "null") ?? "";

const byType: Readonly<Record<string, (value: unknown, location: SchemaLocation) => unknown>> = {
  string: (value, { schema, name, zone }) => repairedText(value, schema, { name, zone }),
  integer: (value, { schema }) => repairedNumber(value, schema, true),
  number: (value, { schema }) => repairedNumber(value, schema, false),
  boolean: repairedBoolean,
  array: repairedList,
  object: repairedMembers,
};

/** Of a list of allowed values. */
function chosen({ schema, example }: SchemaLocation): unknown {
  return schema.enum?.includes(example) ? example : (schema.default ?? schema.enum?.[0]);
}

/** Where neither an example nor a default is known. */
const EMPTY: JsonMembers = {
  string: "text",
  integer: 1,
  number: 1,
  boolean: true,
  array: undefined,
  object: undefined,
};

function fallback(location: SchemaLocation): unknown {
  const { schema, example } = location;
  if (example !== undefined) return example;
  const sample = schema.examples?.find((each) => each !== undefined) ?? schema.default;
  if (sample !== undefined) return sample;
  if (typeOf(schema) === "object") return repairedMembers({}, location);
  const [item] = typeOf(schema) === "array" ? [repaired(undefined, location.inner("0"))] : [];
  return item === undefined ? EMPTY[typeOf(schema)] : [item];
}

function nearestOf(allowed: readonly unknown[], value: unknown): unknown {
  const texts = allowed.filter((each) => typeof each === "string");
  if (typeof value !== "string") return undefined;
  const written = value.trim();
  return texts.find((each) => each.toLowerCase() === written.toLowerCase()) ?? nearest(written, texts);
}

/** `7`, `"7"`, `7.0` and `1e1`; never another number than that, but for one out of bounds. */
function repairedNumber(value: unknown, { minimum, maximum }: JsonSchema, whole: boolean): number | undefined {
  const isNumeric = typeof value === "number" || (typeof value === "string" && value.trim() !== "");
  const number = isNumeric ? Number(value) : Number.NaN;
  if (!Number.isFinite(number)) return undefined;
  const bounded = Math.min(Math.max(number, minimum ?? -Infinity), maximum ?? Infinity);
  return whole ? Math.round(bounded) : bounded;
}

function repairedBoolean(value: unknown): boolean | undefined {
  if (/^(true|yes|y|on|1)$/i.test(String(value))) return true;
  return /^(false|no|n|off|0)$/i.test(String(value)) ? false : undefined;
}

/** A single value is a list of one; what is in no list of allowed values is left out, unless nothing else is there. */
function repairedList(value: unknown, location: SchemaLocation): unknown[] | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = location.schema;
  if (value === undefined || value === null) return undefined;
  const { example } = location;
  if (Array.isArray(value) && value.length < minItems && Array.isArray(example)) return example.slice(0, minItems);
  const given = Array.isArray(value) ? value : [value];
  const items = given.map((each, index) => ({ each, inner: location.inner(String(index)) }));
  const meant = items.filter(({ each, inner: { schema } }) => !schema.enum || isMeant(each, schema.enum));
  const mended = meant.map(({ each, inner }) => repaired(each, inner)).filter((each) => each !== undefined);
  // Allowed values are usually demanded once each.
  const distinct = items.some(({ inner }) => inner.schema.enum) ? [...new Set(mended)] : mended;
  if (distinct.length < Math.max(minItems, given.length > 0 ? 1 : 0)) return undefined;
  return distinct.length > maxItems ? shortened(distinct, maxItems, location) : distinct;
}

const isMeant = (value: unknown, allowed: readonly unknown[]): boolean =>
  allowed.includes(value) || nearestOf(allowed, value) !== undefined;

/** Too many lines of an address are written in one; of anything else the first are kept. */
function shortened(items: readonly unknown[], most: number, location: SchemaLocation): unknown[] {
  const first = items.slice(0, most);
  if (!location.name.endsWith("_lines") || !items.every((item) => typeof item === "string")) return first;
  const last = repaired(items.slice(most - 1).join(", "), location.inner("0"));
  return [...first.slice(0, -1), last];
}

function repairedMembers(value: unknown, location: SchemaLocation): JsonMembers | undefined {
  const { schema } = location;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { properties = {}, required = [], maxProperties = Number.POSITIVE_INFINITY } = schema;
  const made: JsonMembers = {};
  for (const [name, member] of Object.entries(value).slice(0, maxProperties)) {
    const key = repairedKey(name, schema, value as JsonMembers);
    if (key === undefined || (member === null && !required.includes(key) && key in properties)) continue;
    const fits = repaired(member, location.inner(key));
    const known = key in properties || typeof schema.additionalProperties === "object";
    if (!known || fits !== undefined) made[key] = known ? fits : member;
  }
  // What is missing comes last, so that the order of what was sent stays.
  for (const name of required.filter((each) => !(each in made))) {
    const fits = repaired(undefined, location.inner(name));
    if (fits !== undefined) made[name] = fits;
  }
  return made;
}

/** A key that is too long is cut; one that nobody knows is what it is nearly called, or left out. */
function repairedKey(name: string, schema: JsonSchema, given: JsonMembers): string | undefined {
  const { properties = {}, propertyNames, additionalProperties } = schema;
  if (name in properties) return name;
  if (additionalProperties === false)
    return nearest(
      name,
      Object.keys(properties).filter((each) => !(each in given)),
    );
  const most = propertyNames?.maxLength ?? Number.POSITIVE_INFINITY;
  return [...name].length > most ? [...name].slice(0, most).join("") : name;
}

/** What differs, by path: the smallest change of a request that makes the one of the other. */
export function differences(path: string, before: unknown, after: unknown): JsonMembers {
  if (JSON.stringify(before) === JSON.stringify(after)) return {};
  if (!isAlike(before, after)) return { [path]: after };
  const [from, to] = [before as JsonMembers, after as JsonMembers];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return Object.fromEntries(
    names.flatMap((name) =>
      name in to ? Object.entries(differences(`${path}.${name}`, from[name], to[name])) : [[`${path}.${name}`, null]],
    ),
  );
}

/** Two lists of one length, or two objects whose keys can stand in a path. */
function isAlike(before: unknown, after: unknown): boolean {
  if (typeof before !== "object" || typeof after !== "object" || !before || !after) return false;
  if (Array.isArray(before) || Array.isArray(after))
    return Array.isArray(before) && Array.isArray(after) && before.length === after.length;
  return Object.keys({ ...before, ...after }).every((name) => /^\w+$/.test(name) && name.length <= 40);
}
