// Compares the program's own state in two runs. The order of fields and items is ignored.
import { isObject } from "../platform/json.ts";
import { toSortedJson } from "./observed.ts";

const MAX_VALUE_LENGTH = 80;

/** Returns equal texts for equal states. */
export const toComparableText = (state: unknown): string => toSortedJson(sortLists(state)) ?? "";

const sortLists = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toComparableText).sort();
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sortLists(each)]))
    : value;
};

/**
 * Returns the first difference from the expected state, as `bookings[bkg-1].status: "ACTIVE" instead of "CANCELLED"`.
 */
export function findDifference(state: unknown, expected: unknown, path = ""): string | undefined {
  if (toComparableText(state) === toComparableText(expected)) return undefined;
  if (Array.isArray(state) && Array.isArray(expected)) {
    const [records, expectedRecords] = [readRecords(state), readRecords(expected)];
    return records && expectedRecords
      ? findMemberDifference(records, expectedRecords, (id) => `${path}[${id}]`)
      : describeDifference(omitEqualItems(expected, state)[0], omitEqualItems(state, expected)[0], `${path}[]`);
  }
  if (isObject(state) && isObject(expected)) {
    const toMemberPath = (name: string) => (path === "" ? name : `${path}.${name}`);
    return findMemberDifference(toMap(state), toMap(expected), toMemberPath);
  }
  return describeDifference(state, expected, path);
}

type Members = ReadonlyMap<string, unknown>;

const toMap = (value: object): Members => new Map(Object.entries(value));

function findMemberDifference(
  members: Members,
  expected: Members,
  toPath: (name: string) => string,
): string | undefined {
  for (const name of new Set([...expected.keys(), ...members.keys()])) {
    const difference = findDifference(members.get(name), expected.get(name), toPath(name));
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Indexes the items of a list by id. Returns undefined if an id is missing or a duplicate. */
function readRecords(items: readonly unknown[]): Members | undefined {
  const records = new Map(items.flatMap((item) => (isObject(item) && item.id ? [[String(item.id), item]] : [])));
  return records.size === items.length ? records : undefined;
}

/** Omits one equal item for each item of the other list. */
function omitEqualItems(other: readonly unknown[], items: readonly unknown[]): unknown[] {
  const texts = other.map(toComparableText);
  return items.filter((item) => {
    const at = texts.indexOf(toComparableText(item));
    if (at >= 0) texts.splice(at, 1);
    return at < 0;
  });
}

const describeDifference = (value: unknown, expected: unknown, path: string): string =>
  `${path === "" ? "" : `${path}: `}${formatValue(value)} instead of ${formatValue(expected)}`;

const formatValue = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, MAX_VALUE_LENGTH);

/** Ignores the order of names and values, because a retry happens later than in the control run. */
export const toUnorderedText = (probe: unknown): string => listParts(probe).sort().join("\n");

function listParts(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [JSON.stringify(value) ?? ""];
  const names = Array.isArray(value) ? [] : Object.keys(value);
  return [...names, ...Object.values(value).flatMap(listParts)];
}
