// Compares the program's own state with the sandbox's records: missing, surplus and stale records, and wrong amounts.
import { isObject } from "../../platform/json.ts";
import type { Fields, Truth } from "./truth.ts";

export interface Difference {
  kind: "missing" | "too many" | "stale" | "wrong amount";
  /** The kind of record, such as bookings. */
  of: string;
  id: string;
  /** The path of the field, such as customer.name. Undefined if the whole record is missing or surplus. */
  member?: string;
  truth?: unknown;
  program?: unknown;
}

/** The records that the program printed, by kind. */
export type State = Readonly<Record<string, readonly Fields[]>>;

/**
 * `expected` returns the ids of a kind that the program must know. Fields that no record of the kind has are ignored.
 */
export function findDifferences(
  state: State,
  truth: Truth,
  expected: (kind: string, records: ReadonlyMap<string, Fields>) => ReadonlySet<string>,
): Difference[] {
  return Object.entries(state).flatMap(([of, printed]) => {
    const records = truth.get(of) ?? new Map<string, Fields>();
    const known = new Set([...records.values()].flatMap((record) => Object.keys(record)));
    const ids = printed.map(({ id }) => String(id));
    const wanted = [...expected(of, records)].filter((id) => !ids.includes(id));
    return [
      ...wanted.map((id): Difference => ({ kind: "missing", of, id, truth: records.get(id) })),
      ...printed.flatMap((each, nth) => {
        const id = ids[nth] ?? "";
        const record = records.get(id);
        // The sandbox has no such record, or the program printed it twice.
        if (!record || ids.indexOf(id) !== nth)
          return [{ kind: "too many" as const, of, id, truth: record, program: each }];
        const comparable = Object.fromEntries(Object.entries(each).filter(([name]) => known.has(name)));
        return compareValues(record, comparable).map((difference) => ({ of, id, ...difference }));
      }),
    ];
  });
}

/** Lists the fields that no record of the kind has, so that they can't be compared. */
export function listUnknownFields(state: State, truth: Truth): string[] {
  return Object.entries(state).flatMap(([of, printed]) => {
    const records = [...(truth.get(of)?.values() ?? [])];
    const known = new Set(records.flatMap((record) => Object.keys(record)));
    const names = new Set(printed.flatMap((each) => Object.keys(each)));
    return records.length === 0 ? [] : [...names].filter((name) => !known.has(name)).map((name) => `${of}.${name}`);
  });
}

type FieldDifference = Pick<Difference, "kind" | "member" | "truth" | "program">;

/** Compares only the fields of an object that the program printed. */
function compareValues(truth: unknown, program: unknown, member = ""): FieldDifference[] {
  const toDifference = (kind: Difference["kind"]): FieldDifference[] => [{ kind, member, truth, program }];
  if (isAmount(truth)) return isSameAmount(truth, program) ? [] : toDifference("wrong amount");
  if (isObject(truth) && isObject(program))
    return Object.entries(program).flatMap(([name, value]) =>
      compareValues(truth[name], value, member === "" ? name : `${member}.${name}`),
    );
  if (Array.isArray(truth) && Array.isArray(program) && truth.length === program.length)
    return truth.flatMap((each, index) => compareValues(each, program[index], `${member}.${index}`));
  return isSame(truth, program) ? [] : toDifference("stale");
}

interface Amount {
  currency: string;
  value: number;
}

const isAmount = (value: unknown): value is Amount =>
  isObject(value) && typeof value.value === "number" && typeof value.currency === "string";

/** A program may store an amount as an object like the service, or as a number of minor units. */
function isSameAmount(truth: Amount, program: unknown): boolean {
  if (!isObject(program)) return truth.value === program;
  return Object.entries(program).every(([name, value]) => (truth as unknown as Fields)[name] === value);
}

/** The same instant may be written in several ways, and a missing value equals null. */
function isSame(truth: unknown, program: unknown): boolean {
  if ((truth ?? null) === (program ?? null)) return true;
  const instants = [truth, program].map((value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN,
  );
  return instants[0] === instants[1];
}
