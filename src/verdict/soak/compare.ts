// Compares the program's own state, as its probe prints it, with the sandbox's records: missing, surplus and stale records, and wrong
// amounts. The log shows which records the program must know.
import { type Control, type Schemas, unwrap } from "../../client/control.ts";
import { isObject } from "../../platform/json.ts";
import { suggest } from "../../platform/nearest.ts";
import type { Evidence } from "../judgement.ts";
import { type Entry, isRequest, isSuccess, type Message, type RequestEntry, toEvidence } from "../observed.ts";
import { type CollectionName, type RunContext, readRecords } from "../worlds.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The kinds that a probe may print, each with the collection that stores it and the prefix of the facts about it. */
const KINDS: Readonly<Record<string, { collection: CollectionName; fact: string }>> = {
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

interface Difference {
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
function listFacts(entry: Entry, prefix = ""): readonly Schemas["Fact"][] {
  const facts =
    entry.kind === "request" || entry.kind === "act"
      ? entry.facts
      : entry.kind === "clock"
        ? (entry.receipt ?? []).flatMap((due) => due.facts)
        : [];
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

// Explains a difference: which message or response should have informed the program, and what happened to the record last.

export interface FoundDifference extends Difference {
  says: string;
  /** The message or response that should have informed the program, if there was one. */
  told?: Evidence;
  /** The last changes of the record, newest first. */
  story: readonly Evidence[];
  /** The command that shows the record's history. */
  why: string;
}

const MAX_HISTORY = 3;

export async function explainDifference(
  difference: Difference,
  entries: readonly Entry[],
  { control }: Pick<RunContext, "control">,
): Promise<Omit<FoundDifference, "why">> {
  const { of, id, kind } = difference;
  const changes = entries.filter((entry) =>
    listFacts(entry, `${KINDS[of]?.fact ?? of}.`).some((fact) => fact.id === id),
  );
  const change = changes.at(-1);
  // A record that the program stored twice is explained by a message that arrived twice.
  const isCause = kind === "too many" ? hasArrivedTwice : wasSentAbout(id);
  const relevant = kind === "too many" ? changes : changes.slice(-1);
  const messages = relevant.flatMap((entry) => ("messages" in entry ? entry.messages : []));
  const read = (messageId: string) =>
    unwrap(control.GET("/_sandbox/messages/{messageId}", { params: { path: { messageId } } })).catch(() => undefined);
  const message = (await Promise.all(messages.map(read))).find((each) => each && isCause(each));
  const report = message ? toMessageEvidence(message) : change && findResponse(change, id, entries);
  const { data } = await control.GET("/_sandbox/why/{id}", { params: { path: { id } } });
  return {
    ...difference,
    says: describeDifference(difference, change),
    ...(report ? { told: report } : {}),
    story: (data?.history ?? [])
      .slice(0, MAX_HISTORY)
      .map((each) => ({ id: each.cause.id, at: each.at, says: `${each.cause.title}: ${each.change}` })),
  };
}

function describeDifference({ kind, of, id, member, truth, program }: Difference, change: Entry | undefined): string {
  const since = change ? `, since ${change.at}` : "";
  if (kind === "missing") {
    const { status, state } = truth as Fields;
    return `${of} ${id} is missing: it is ${String(status ?? state ?? "existing")}${since}`;
  }
  if (kind === "too many")
    return truth ? `${of} ${id} exists more than once` : `${of} ${id} does not exist in the sandbox`;
  const format = (value: unknown) => (JSON.stringify(value) ?? "missing").slice(0, 80);
  return `${of} ${id}: ${member} is ${format(program)} and should be ${format(truth)}${since}`;
}

/** A message that was sent to no receiver has not informed the program. */
const wasSentAbout =
  (id: string) =>
  ({ deliveries, body }: Message): boolean =>
    deliveries.length > 0 && JSON.stringify(body.payload).includes(`"${id}"`);

const hasArrivedTwice = ({ deliveries }: Message): boolean =>
  deliveries.some(({ attempts }) => attempts.filter(({ answer }) => answer !== undefined).length > 1);

function toMessageEvidence({ id, created_at, kind, deliveries: [delivery] }: Message): Evidence {
  const attempts = delivery?.attempts ?? [];
  const answers = attempts.slice(0, 5).map(({ answer, outcome }) => answer?.status ?? outcome.toLowerCase());
  const faults = [...new Set(attempts.flatMap(({ fault }) => fault?.name ?? []))];
  const fate = delivery?.state === "DROPPED" ? "never sent" : answers.join(", ") || "not sent yet";
  return { id, at: created_at, says: `${kind} → ${fate}${faults.length > 0 ? ` (${faults.join(", ")})` : ""}` };
}

/** Finds the program's own request that made the change, or the first later read whose response contains the record. */
function findResponse(change: Entry, id: string, entries: readonly Entry[]): Evidence | undefined {
  const requests = entries.filter(isRequest);
  const call =
    requests.find((each) => each === change) ??
    requests.find((each) => each.seq > change.seq && isRead(each) && each.touched.includes(id));
  if (!call) return undefined;
  const faults = call.faults.map(({ name }) => name);
  return toEvidence(call, faults.length > 0 ? ` (${faults.join(", ")})` : "");
}

const isRead = (request: RequestEntry): boolean => request.method === "GET" && isSuccess(request);
