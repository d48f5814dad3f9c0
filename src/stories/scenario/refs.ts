// References: ${step name.body.path}, ${env.NAME}, ${world.id}, ${given.x}, ${receiver.url}, ${round}. A text that is one reference
// takes the value with its type; elsewhere the value is written into the text. $${ writes ${ itself.

import type { Json, JsonObject } from "../../platform/json.ts";
import { getMember } from "../../platform/member-paths.ts";
import { findNearest } from "../../platform/nearest.ts";
import { isObject } from "./match.ts";

const REFERENCE = /\$(\$\{)|\$\{([^}]*)\}/g;

/** The same, and one that nothing closes. */
const WRITTEN = /\$(\$\{)|\$\{([^}]*)(\}|$)/g;

/** Names that no step may have. */
export const roots = ["env", "world", "given", "receiver", "round", "row"];

/** The message says how far the reference could be followed, and what there is instead. */
export class ReferenceUnknown extends Error {}

/** A reference ends at its first brace, so that one within another would be cut in two. */
export function explainNesting(text: string): string | undefined {
  return text.includes("${")
    ? `\${${text}}: a reference can't stand within a reference; write out what it means`
    : undefined;
}

/** Every reference in a value, with the path at which it stands. */
export function findReferences(value: unknown, path: readonly (string | number)[] = []): Found[] {
  if (typeof value === "string") {
    const found = [...value.matchAll(WRITTEN)].filter(([, escaped]) => escaped === undefined);
    return found.map(([, , text = "", end]) => ({ text, path, ...(end === "" ? { isOpen: true } : {}) }));
  }
  if (typeof value !== "object" || value === null) return [];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return members.flatMap(([name, member]) => findReferences(member, [...path, name]));
}

interface Found {
  text: string;
  /** Nothing closes it, so that it is meant as a reference, and is none. */
  isOpen?: boolean;
  path: readonly (string | number)[];
}

interface Parts {
  /** A step, or one of the roots; undefined: neither is known. */
  name: string | undefined;
  members: string[];
}

/** Step names may hold spaces and dots: the longest known name that the text starts with is meant. */
export function parseReference(text: string, isKnown: (name: string) => boolean): Parts {
  const trimmed = text.trim();
  // The longest first, as names may contain dots.
  const ends = [...trimmed.matchAll(/[.[]|$/g)].map(({ index }) => index).reverse();
  const end = ends.find((each) => isKnown(trimmed.slice(0, each)));
  const rest = end === undefined ? trimmed : trimmed.slice(end);
  return {
    name: end === undefined ? undefined : trimmed.slice(0, end),
    members: rest.split(/[.[\]]+/).filter((member) => member !== ""),
  };
}

/** What references can see: the roots and the answers of steps so far. */
export type Memory = ReadonlyMap<string, Json>;

/** Throws ReferenceUnknown. A copy; the scenario itself stays as it was read. */
export function resolve<T extends Json>(value: T, memory: Memory): T;
export function resolve(value: Json, memory: Memory): Json {
  if (typeof value === "string") return resolveText(value, memory);
  if (Array.isArray(value)) return value.map((each) => resolve(each, memory));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, resolve(member, memory)]),
  ) as JsonObject;
}

function resolveText(text: string, memory: Memory): Json {
  const whole = /^\$\{([^}]*)\}$/.exec(text)?.[1];
  if (whole !== undefined) return lookUp(whole, memory);
  return text.replace(REFERENCE, (_, escaped: string | undefined, inner: string) => {
    if (escaped !== undefined) return escaped;
    const value = lookUp(inner, memory);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function lookUp(text: string, memory: Memory): Json {
  const nested = explainNesting(text);
  if (nested !== undefined) throw new ReferenceUnknown(nested);
  const { name, members } = parseReference(text, (name) => memory.has(name));
  if (name === undefined) throw new ReferenceUnknown(`\${${text}} is not known here`);
  let value = memory.get(name) as Json;
  let way = name;
  for (const member of members) {
    const next = Array.isArray(value) && /^-\d+$/.test(member) ? value.at(Number(member)) : getMember(value, member);
    if (next === undefined)
      throw new ReferenceUnknown(`\${${text}}: ${way} has no ${member}; ${describeMembers(value, member)}`);
    value = next as Json;
    way = `${way}.${member}`;
  }
  return value;
}

function describeMembers(value: Json, member: string): string {
  if (Array.isArray(value))
    return `it is a list of ${value.length}, counted from 0 (name one as in [0], the last as [-1])`;
  if (!isObject(value)) return `it is ${JSON.stringify(value)}`;
  const names = Object.keys(value);
  const guess = findNearest(member, names);
  return guess === undefined ? `it has ${names.join(", ") || "nothing"}` : `did you mean ${guess}?`;
}
