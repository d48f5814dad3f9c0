// References: ${step name.body.path}, ${env.NAME}, ${world.id}, ${given.x}, ${receiver.url}, ${round}. A text that is one reference
// takes the value with its type; elsewhere the value is written into the text. $${ writes ${ itself.
import { isObject } from "./match.ts";
import type { Json, JsonObject } from "./scenario.ts";

const REFERENCE = /(\$?)\$\{([^}]*)\}/g;

/** Names that no step may have. */
export const roots = ["env", "world", "given", "receiver", "round"];

export class ReferenceFault extends Error {}

/** Every reference in a value, with the place where it stands. */
export function referencesIn(value: unknown, path: readonly (string | number)[] = []): Found[] {
  if (typeof value === "string") {
    const found = [...value.matchAll(REFERENCE)].filter(([, escaped]) => escaped === "");
    return found.map(([, , text = ""]) => ({ text, path }));
  }
  if (typeof value !== "object" || value === null) return [];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return members.flatMap(([name, member]) => referencesIn(member, [...path, name]));
}

export interface Found {
  text: string;
  path: readonly (string | number)[];
}

export interface Parts {
  /** A step, or one of the roots; undefined: neither is known. */
  name: string | undefined;
  members: string[];
}

/** Step names may hold spaces and dots: the longest known name that the text starts with is meant. */
export function partsOf(text: string, isKnown: (name: string) => boolean): Parts {
  const trimmed = text.trim();
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
  return text.replace(REFERENCE, (all: string, escaped: string, inner: string) => {
    if (escaped !== "") return all.slice(1);
    const value = lookUp(inner, memory);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function lookUp(text: string, memory: Memory): Json {
  const { name, members } = partsOf(text, (name) => memory.has(name));
  if (name === undefined) throw new ReferenceFault(`\${${text}} is not known here`);
  let value = memory.get(name) as Json;
  let way = name;
  for (const member of members) {
    const next = memberOf(value, member);
    if (next === undefined) throw new ReferenceFault(`\${${text}}: ${way} has no ${member}; it ${whatItHas(value)}`);
    value = next;
    way = `${way}.${member}`;
  }
  return value;
}

function memberOf(value: Json, name: string): Json | undefined {
  if (Array.isArray(value)) return value.at(Number(name));
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function whatItHas(value: Json): string {
  if (Array.isArray(value)) return `has ${value.length} items`;
  return isObject(value) ? `has ${Object.keys(value).join(", ") || "nothing"}` : `is ${JSON.stringify(value)}`;
}
