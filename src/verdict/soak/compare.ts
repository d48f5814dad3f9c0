// Compares the program's own state, as its probe prints it, with the sandbox's records: missing, surplus and stale records, and wrong
// amounts. The log shows which records the program must know.
import type { Control, Schemas } from "../../client/control.ts";
import { isObject } from "../../platform/json.ts";
import { suggest } from "../../platform/nearest.ts";
import { type Entry, isRequest } from "../observed.ts";
import { type CollectionName, readRecords } from "../worlds.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The kinds that a probe may print, each with the collection that stores it and the prefix of the facts about it. */
export const KINDS: Readonly<Record<string, { collection: CollectionName; fact: string }>> = {
  bookings: { collection: "bookings", fact: "booking" },
  orders: { collection: "orders", fact: "order" },
  tickets: { collection: "tickets", fact: "ticket" },
  events: { collection: "events", fact: "event" },
  experiences: { collection: "experiences", fact: "experience" },
  gift_cards: { collection: "giftCards", fact: "gift_card" },
  locations: { collection: "locations", fact: "location" },
  journal_entries: { collection: "entries", fact: "journal_entry" },
  marketing_consents: { collection: "consents", fact: "marketing_consent" },
};

/** The service sends no message about a checkout that is not completed. */
const UNREPORTED_FACTS = new Set(["booking.started", "booking.lapsed", "booking.abandoned"]);

/** The records that a program must know: those that it created, those that the soak created or changed, or all. */
export type Scope = "own" | "changed" | "all";

/** The records that the program printed, by kind. */
type State = Readonly<Record<string, readonly Fields[]>>;
/** The records by kind and id. */
type Truth = ReadonlyMap<string, ReadonlyMap<string, Fields>>;

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

/** Returns what a probe printed if it is an object that lists records with their ids by kind, and throws otherwise. */
export function parseState(printed: unknown): State {
  const kinds = Object.keys(KINDS);
  const reject = (what: string, hint = ""): never => {
    const example = '{ "bookings": [{ "id": "…", "status": "ACTIVE" }] }';
    throw new Error(
      `The probe printed ${what}.${hint} Print an object such as ${example}. Kinds: ${kinds.join(", ")}.`,
    );
  };
  if (!isObject(printed) || Object.keys(printed).length === 0) return reject(JSON.stringify(printed).slice(0, 80));
  for (const [kind, records] of Object.entries(printed)) {
    if (!Object.hasOwn(KINDS, kind)) return reject(`the unknown kind ${kind}`, suggest(kind, kinds));
    if (!Array.isArray(records)) return reject(`no list as ${kind}`);
    const wrong = records.findIndex((each) => typeof each?.id !== "string");
    if (wrong >= 0) return reject(`${kind}[${wrong}] without an id`);
  }
  return printed as State;
}

/** Reads the stored records, because assumptions may change responses. */
export async function readTruth(control: Control, kinds: readonly string[]): Promise<Truth> {
  const read = async (collection: CollectionName) =>
    new Map((await readRecords(control, collection)).map((record) => [record.id, record as Fields]));
  const found = new Map<string, Map<string, Fields>>();
  for (const kind of kinds) found.set(kind, await read(KINDS[kind]?.collection as CollectionName));
  const bookings = found.get("bookings") ?? new Map<string, Fields>();
  const orders = bookings.size > 0 ? await read("orders") : new Map<string, Fields>();
  // The service keeps the total of a booking in its order, but programs usually store both together.
  for (const [id, booking] of bookings) {
    const order = orders.get(String(booking.order_id)) as { totals: { amount: unknown }; payment_status: unknown };
    if (order) bookings.set(id, { ...booking, total: order.totals.amount, payment_status: order.payment_status });
  }
  return found;
}

/** Lists the facts of an entry about one kind of record, such as `booking.created`. */
export function listFacts(entry: Entry, prefix = ""): readonly Schemas["Fact"][] {
  const own = "facts" in entry ? entry.facts : [];
  const facts = entry.kind === "clock" ? (entry.receipt ?? []).flatMap((due) => due.facts) : own;
  return facts.filter(({ fact }) => fact.startsWith(prefix));
}

/** Lists the ids that the program must know. */
function listExpectedIds(kind: string, scope: Scope, records: ReadonlyMap<string, Fields>, entries: readonly Entry[]) {
  if (scope === "all")
    return new Set([...records].filter(([, { status }]) => status !== "PROCESSING").map(([id]) => id));
  const relevant = scope === "changed" ? entries : entries.filter((each) => isRequest(each) && each.method !== "GET");
  const facts = relevant.flatMap((entry) => listFacts(entry, `${KINDS[kind]?.fact ?? kind}.`));
  const changed = new Set(facts.flatMap(({ fact, id }) => (UNREPORTED_FACTS.has(fact) ? [] : [id])));
  // A record that was deleted can't be expected.
  if (scope === "changed") return new Set([...changed].filter((id) => records.has(id)));
  // A moved booking has a new id and the same order.
  const orders = new Set([...changed].map((id) => records.get(id)?.order_id).filter((id) => id !== undefined));
  for (const [id, { order_id }] of records) if (order_id !== undefined && orders.has(order_id)) changed.add(id);
  return changed;
}

/** Finds the records whose last change sent no message, so that the program can't know of it. */
function findUnreported(entries: readonly Entry[]): Set<string> {
  const found = new Set<string>();
  for (const { fact, id } of entries.flatMap((entry) => listFacts(entry)))
    UNREPORTED_FACTS.has(fact) ? found.add(id) : found.delete(id);
  return found;
}

/** `ignored` lists the fields that no record of the kind has, which can't be compared. */
export function compareState(
  state: State,
  truth: Truth,
  { scope, entries }: { scope: Scope; entries: readonly Entry[] },
): { differences: Difference[]; ignored: string[] } {
  const unreported = findUnreported(entries);
  const ignored = new Set<string>();
  const differences = Object.entries(state).flatMap(([of, printed]): Difference[] => {
    const records = truth.get(of) ?? new Map<string, Fields>();
    const known = new Set([...records.values()].flatMap((record) => Object.keys(record)));
    const ids = new Set(printed.map(({ id }) => String(id)));
    const wanted = [...listExpectedIds(of, scope, records, entries)].filter((id) => !ids.has(id));
    return [
      ...wanted.map((id): Difference => ({ kind: "missing", of, id, truth: records.get(id) })),
      ...printed.flatMap((each): Difference[] => {
        const id = String(each.id);
        const record = records.get(id);
        // The sandbox has no such record, or the program printed it twice. The first of two removes the id.
        if (!ids.delete(id) || !record) return [{ kind: "too many", of, id, truth: record, program: each }];
        const names = Object.keys(each).filter((name) => known.has(name) || !ignored.add(`${of}.${name}`));
        return names.flatMap((name) =>
          compareValues(record[name], each[name], name).map((found) => ({ of, id, ...found })),
        );
      }),
    ];
  });
  const isKnowable = ({ kind, id }: Difference) => kind !== "stale" || !unreported.has(id);
  return { differences: differences.filter(isKnowable), ignored: [...ignored] };
}

/** Compares only the fields of an object that the program printed. */
function compareValues(truth: unknown, program: unknown, member: string): Omit<Difference, "of" | "id">[] {
  if (isAmount(truth) && !isObject(program))
    return truth.value === program ? [] : [{ kind: "wrong amount", member, truth, program }];
  if (
    (isObject(truth) && isObject(program)) ||
    (Array.isArray(truth) && Array.isArray(program) && truth.length === program.length)
  ) {
    const found = Object.entries(program).flatMap(([name, value]) =>
      compareValues((truth as Fields)[name], value, `${member}.${name}`),
    );
    return isAmount(truth) && found.length > 0 ? [{ kind: "wrong amount", member, truth, program }] : found;
  }
  return isSame(truth, program) ? [] : [{ kind: "stale", member, truth, program }];
}

/** A program may store an amount as an object like the service, or as a number of minor units. */
const isAmount = (value: unknown): value is { currency: string; value: number } =>
  isObject(value) && typeof value.value === "number" && typeof value.currency === "string";

/** The same instant may be written in several ways, and a missing value equals null. */
function isSame(truth: unknown, program: unknown): boolean {
  if ((truth ?? null) === (program ?? null)) return true;
  const instants = [truth, program].map((value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN,
  );
  return instants[0] === instants[1];
}
