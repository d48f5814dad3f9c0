// Resolves references: ${step name.body.path}, ${env.NAME}, ${world.id}, ${given.x}, ${receiver.url}, ${round}. Text that is one reference
// becomes the value with its type; otherwise the value is inserted into the text. $${ writes ${ itself.

import { isObject, type Json, type JsonObject } from "../../platform/json.ts";
import { getMember } from "../../platform/member-paths.ts";
import { findNearest } from "../../platform/nearest.ts";

const REFERENCE = /\$(\$\{)|\$\{([^}]*)\}/g;

/** The pattern also matches a reference without a closing brace. */
const WRITTEN = /\$(\$\{)|\$\{([^}]*)(\}|$)/g;

/** Steps must not have these names. */
export const roots = ["env", "world", "given", "receiver", "round", "row"];

/** The message says how far the reference could be followed, and which names exist there. */
export class ReferenceUnknown extends Error {}

/** A reference ends at its first brace, so references can't be nested. */
export function explainNesting(text: string): string | undefined {
  return text.includes("${")
    ? `\${${text}}: a reference can't contain another reference; write its value instead`
    : undefined;
}

/** Returns every reference in a value, with its path. */
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
  /** Whether the closing brace is missing. */
  isOpen?: boolean;
  path: readonly (string | number)[];
}

interface Parts {
  /** The name of a step or of a root; undefined if neither is known. */
  name: string | undefined;
  members: string[];
}

/** The text starts with the name of a step or a root. Names of steps may contain spaces and dots. */
export function parseReference(text: string, isKnown: (name: string) => boolean): Parts {
  const trimmed = text.trim();
  // The longest name is tried first, because names may contain dots.
  const ends = [...trimmed.matchAll(/[.[]|$/g)].map(({ index }) => index).reverse();
  const end = ends.find((each) => isKnown(trimmed.slice(0, each)));
  const rest = end === undefined ? trimmed : trimmed.slice(end);
  return {
    name: end === undefined ? undefined : trimmed.slice(0, end),
    members: rest.split(/[.[\]]+/).filter((member) => member !== ""),
  };
}

/** The values that references can use: the roots and the results of earlier steps. */
export type Memory = ReadonlyMap<string, Json>;

/** Returns a copy of the value with references resolved. Throws ReferenceUnknown. */
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
