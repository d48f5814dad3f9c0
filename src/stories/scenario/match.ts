// Whether the actual value contains the expected one: objects by member, arrays as a run of items in order (an empty one expects none),
// matchers by their rule, everything else by equality.
import { matches } from "./pattern.ts";
import type { Difference, Json, JsonObject } from "./scenario.ts";

type Matcher = (wanted: Json, came: Json | undefined) => boolean;

export const matchers: Readonly<Record<string, Matcher>> = {
  $exists: (wanted, came) => (came !== undefined) === wanted,
  $type: (wanted, came) => came !== undefined && typesOf(came).includes(String(wanted)),
  $match: (wanted, came) => typeof came === "string" && matches(wanted, came),
  $length: (wanted, came) => {
    const size = typeof came === "string" || Array.isArray(came) ? came.length : undefined;
    return size !== undefined && differences(wanted, size).length === 0;
  },
  $gt: (wanted, came) => inOrder(wanted, came),
  $lt: (wanted, came) => came !== undefined && inOrder(came, wanted),
  $ne: (wanted, came) => differences(wanted, came).length > 0,
};

export const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

function typesOf(value: Json): string[] {
  if (value === null) return ["null"];
  if (Array.isArray(value)) return ["array"];
  return Number.isInteger(value) ? ["number", "integer"] : [typeof value];
}

/** Numbers by size, texts (instants among them) by the alphabet. */
function inOrder(low: Json, high: Json | undefined): boolean {
  if (typeof low === "number" && typeof high === "number") return low < high;
  return typeof low === "string" && typeof high === "string" && low < high;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function differences(wanted: Json, came: Json | undefined, path = ""): Difference[] {
  if (isObject(wanted)) return ofObject(wanted, came, path);
  if (Array.isArray(wanted)) return ofArray(wanted, came, path);
  return wanted === came ? [] : [{ path, wanted, came }];
}

function ofObject(wanted: JsonObject, came: Json | undefined, path: string): Difference[] {
  const names = Object.keys(wanted);
  const rules = names.filter((name) => name in matchers);
  const broken = rules.filter((name) => !matchers[name]?.(wanted[name] ?? null, came));
  const failed = broken.map((name) => ({ path, wanted: { [name]: wanted[name] ?? null }, came }));
  const members = names.filter((name) => !(name in matchers));
  if (members.length === 0 && rules.length > 0) return failed;
  if (typeof came !== "object" || came === null) return [...failed, { path, wanted, came }];
  const inside = members.flatMap((name) => differences(wanted[name] ?? null, memberOf(came, name), joined(path, name)));
  return [...failed, ...inside];
}

function memberOf(value: Json, name: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined;
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function ofArray(wanted: readonly Json[], came: Json | undefined, path: string): Difference[] {
  if (!Array.isArray(came) || (wanted.length === 0 && came.length > 0)) return [{ path, wanted: [...wanted], came }];
  if (wanted.length === came.length) {
    return wanted.flatMap((each, index) => differences(each, came[index], joined(path, String(index))));
  }
  let next = 0;
  for (const [index, each] of wanted.entries()) {
    const found = came.findIndex((item, place) => place >= next && differences(each, item).length === 0);
    if (found < 0) return closest(each, came.slice(next), [index, next], path);
    next = found + 1;
  }
  return [];
}

/** Says how the item that comes nearest differs, of those from `first` on; with none left, that there is none. */
function closest(
  wanted: Json,
  left: readonly Json[],
  [index, first]: readonly [index: number, first: number],
  path: string,
): Difference[] {
  const tried = left.map((item, at) => differences(wanted, item, joined(path, String(first + at))));
  const best = tried.sort((a, b) => a.length - b.length)[0];
  return best ?? [{ path: joined(path, String(index)), wanted, came: undefined }];
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
