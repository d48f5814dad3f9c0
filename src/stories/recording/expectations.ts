// Selects the expectation of a step: fields that a rule decides, such as states, codes, amounts and numbers, and ids that the scenario knows.
// Texts, instants and addresses are omitted.
import type { Json, JsonObject } from "../../platform/json.ts";
import type { ReferenceTable } from "./story-builder.ts";

const NUMBER = /^(value|quantity|capacity|available|remaining|limit|count|total)$|_(count|quantity|capacity|seats)$/;
const ID = /(^|_)id$/;
/** These fields repeat the request, or depend on no rule. */
const OMITTED_MEMBERS = ["customer", "currency", "company_id", "host_id", "urls"];
/** An expectation with more values is not readable, so deeper levels are omitted. */
const MAX_LEAVES = 14;
const MAX_DEPTH = 5;
const MAX_LIST_ITEMS = 4;

/** Returns undefined if no value is worth expecting. */
export function selectExpectation(value: Json, references: ReferenceTable): Json | undefined {
  // The depth decreases until the expectation is short enough.
  for (let depth = MAX_DEPTH; depth > 0; depth--) {
    const found = selectMembers(value, "", depth, references);
    if (found === undefined || countLeaves(found) <= MAX_LEAVES || depth === 1) return found;
  }
  return undefined;
}

function selectMembers(value: Json, name: string, depth: number, references: ReferenceTable): Json | undefined {
  if (typeof value === "number") return NUMBER.test(name) ? value : undefined;
  if (typeof value === "string") {
    if (ID.test(name)) return references.resolve(value);
    // States and codes are recognized by their form.
    return /^[A-Z][A-Z_]{2,}$/.test(value) ? value : undefined;
  }
  if (value === null || typeof value !== "object") return undefined;
  if (Array.isArray(value)) return selectFromList(value, depth, references);
  if (depth === 0) return undefined;
  const members = mapMembers(value, (each, key) => selectMembers(each, key, depth - 1, references));
  return Object.keys(members).length === 0 ? undefined : members;
}

/** Omits members that repeat the request, and those without a result. */
function mapMembers(value: JsonObject, select: (member: Json, name: string) => Json | undefined): JsonObject {
  const members = Object.entries(value).flatMap(([name, each]): [string, Json][] => {
    const found = OMITTED_MEMBERS.includes(name) ? undefined : select(each, name);
    return found === undefined ? [] : [[name, found]];
  });
  return Object.fromEntries(members);
}

function selectFromList(list: readonly Json[], depth: number, references: ReferenceTable): Json | undefined {
  if (list.length === 0) return [];
  if (list.every((each) => typeof each === "string")) return undefined;
  const items = list.map((each) => selectMembers(each, "", depth - 1, references));
  // Items without distinguishing values are counted.
  if (list.length > MAX_LIST_ITEMS || depth <= 1 || items.some((item) => item === undefined))
    return { $length: list.length };
  return items as Json[];
}

function countLeaves(value: Json): number {
  if (value === null || typeof value !== "object") return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countLeaves(each), 0);
}

/** The payload of a webhook message: all ids, those that the story does not know by their type. */
export function expectPayload(payload: JsonObject, references: ReferenceTable): JsonObject {
  return mapMembers(payload, (value) => selectFromPayload(value, references));
}

function selectFromPayload(value: Json, references: ReferenceTable): Json | undefined {
  if (Array.isArray(value)) {
    const items = value.map((each) => selectFromPayload(each, references));
    return items.some((item) => item === undefined) ? { $length: value.length } : (items as Json[]);
  }
  if (typeof value === "string")
    return references.resolve(value) ?? (/^\d{4}-\d\d-\d\dT/.test(value) ? undefined : { $type: "string" });
  return value === null || typeof value === "object" ? undefined : value;
}
