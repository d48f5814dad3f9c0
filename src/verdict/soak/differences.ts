// The program's own state beside the truth: what is missing, too many, stale, or a wrong amount.
import type { Fields, Truth } from "./truth.ts";

export interface Difference {
  kind: "missing" | "too many" | "stale" | "wrong amount";
  /** Such as bookings. */
  of: string;
  id: string;
  /** Such as customer.name; absent where the whole record is missing or too many. */
  member?: string;
  truth?: unknown;
  program?: unknown;
}

/** By kind what the program printed. */
export type State = Readonly<Record<string, readonly Fields[]>>;

/** `expected`: the ids of a kind that the program has to know. Members that no record of the kind has are left out. */
export function differencesIn(
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
        // Unknown here, or printed a second time.
        if (!record || ids.indexOf(id) !== nth)
          return [{ kind: "too many" as const, of, id, truth: record, program: each }];
        const held = Object.fromEntries(Object.entries(each).filter(([name]) => known.has(name)));
        return within(record, held).map((difference) => ({ of, id, ...difference }));
      }),
    ];
  });
}

/** Members that no record of the kind has, which so can't be compared. */
export function unknownIn(state: State, truth: Truth): string[] {
  return Object.entries(state).flatMap(([of, printed]) => {
    const records = [...(truth.get(of)?.values() ?? [])];
    const known = new Set(records.flatMap((record) => Object.keys(record)));
    const names = new Set(printed.flatMap((each) => Object.keys(each)));
    return records.length === 0 ? [] : [...names].filter((name) => !known.has(name)).map((name) => `${of}.${name}`);
  });
}

type Within = Pick<Difference, "kind" | "member" | "truth" | "program">;

/** Of an object only the members that the program has are compared. */
function within(truth: unknown, program: unknown, member = ""): Within[] {
  const differs = (kind: Difference["kind"]): Within[] => [{ kind, member, truth, program }];
  if (isAmount(truth)) return isSameAmount(truth, program) ? [] : differs("wrong amount");
  if (isFields(truth) && isFields(program))
    return Object.entries(program).flatMap(([name, value]) =>
      within(truth[name], value, member === "" ? name : `${member}.${name}`),
    );
  if (Array.isArray(truth) && Array.isArray(program) && truth.length === program.length)
    return truth.flatMap((each, index) => within(each, program[index], `${member}.${index}`));
  return isSame(truth, program) ? [] : differs("stale");
}

interface Amount {
  currency: string;
  value: number;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isAmount = (value: unknown): value is Amount =>
  isFields(value) && typeof value.value === "number" && typeof value.currency === "string";

/** A program may keep an amount as the service writes it, or its smallest units alone. */
function isSameAmount(truth: Amount, program: unknown): boolean {
  if (!isFields(program)) return truth.value === program;
  return Object.entries(program).every(([name, value]) => (truth as unknown as Fields)[name] === value);
}

/** The same instant may be written in several ways; absent is null. */
function isSame(truth: unknown, program: unknown): boolean {
  if ((truth ?? null) === (program ?? null)) return true;
  const instants = [truth, program].map((value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN,
  );
  return instants[0] === instants[1];
}
