// Another record, or an act before: for a rule that a record stands against.

import { findNearest } from "../../../platform/nearest.ts";
import { getEvents } from "../../domain/event/event-end.ts";
import { findCollection } from "../../domain/kernel/record-kinds.ts";
import type { Booking } from "../../domain/kernel/records.ts";
import type { Repositories, Transaction } from "../../domain/kernel/transaction.ts";
import { advice, type Proposal, type RejectedRequest, setAt, toPaths, toValues } from "../rule.ts";

/** Proposals of other records: each is tried. */
const MOST = 5;
/** Of ids, and of records, each of which has to be read. */
const [MOST_IDS, MOST_READ] = [2000, 500];
/** More acts than this are no small change. */
const MOST_CANCELLED = 20;

/** Ids of records of a kind, newest first; of events those to come, the next one first, then the earlier ones. */
export function listIds(tx: Transaction, kind: string, most = MOST_IDS): string[] {
  const name = findCollection(kind);
  if (name === undefined) return [];
  const found = new Set<string>();
  for (const id of walkOf(tx, name)) {
    found.add(id);
    if (found.size === most) break;
  }
  return [...found];
}

function* walkOf(tx: Transaction, name: keyof Repositories): Generator<string> {
  const descending = true;
  if (name === "events") {
    yield* tx.events.ids("start", { from: tx.now });
    yield* tx.events.ids("start", { until: tx.now, descending });
  } else if (name === "tickets") {
    for (const booking of tx.bookings.ids("created", { descending }))
      for (const { id } of tx.tickets.where("booking", booking)) yield id;
  } else yield* tx[name].ids((name === "entries" ? "occurred" : "created") as never, { descending });
}

type ListedRecord = Record<string, unknown> & { id: string };

function* walkRecords(tx: Transaction, kind: string): Generator<ListedRecord> {
  const name = findCollection(kind);
  for (const id of listIds(tx, kind, MOST_READ)) {
    const record = name && tx[name].get(id);
    if (record) yield record as unknown as ListedRecord;
  }
}

const nameAny = (kind: string): string => `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}`;

/** An id that is nearly the same, or one of the newest records of that kind. */
export function useOtherId(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "" } = toValues(question);
  const paths = toPaths(question, id);
  if (paths.length === 0) return [];
  const ids = question.read((tx) => listIds(tx, kind));
  const near = findNearest(id, ids);
  const tried = [...new Set([...(near === undefined ? [] : [near]), ...ids.slice(0, MOST)])];
  return tried.map((other) => ({
    text:
      other === near
        ? `The nearest id of ${nameAny(kind)} is ${other}.`
        : `Name ${nameAny(kind)} that is there, such as ${other}.`,
    set: setAt(paths, other),
  }));
}

/** One of its experience first, then any other that is still there. */
export function useLocation(question: RejectedRequest): Proposal[] {
  const { location_id = "" } = toValues(question);
  const { experience_id = "", event_id = "" } = (question.body ?? {}) as { experience_id?: string; event_id?: string };
  const ids = question.read((tx) => {
    const own = tx.experiences.get(experience_id || tx.events.get(event_id)?.experience_id || "")?.location_ids ?? [];
    const isThere = (id: string) => tx.locations.get(id)?.removed_at === undefined;
    return [...new Set([...own, ...listIds(tx, "location", MOST)])].filter(isThere);
  });
  return ids.map((id) => ({
    text: `Name a location that is there, such as ${id}.`,
    set: setAt(toPaths(question, location_id), id),
  }));
}

/** Another record of the kind whose state is one of these. */
export function recordIn(question: RejectedRequest, kind: string, id: string, states: readonly string[]): Proposal[] {
  const paths = toPaths(question, id);
  const isIn = (record: Record<string, unknown>) => states.includes(String(record.state ?? record.status));
  const ids = question.read((tx) => pick(walkRecords(tx, kind), (record) => isIn(record) && record.id !== id));
  if (paths.length === 0) return [];
  return ids.map((other) => ({
    text: `Name ${nameAny(kind)} that is ${states.join(" or ")}, such as ${other}.`,
    set: setAt(paths, other),
  }));
}

function pick<R extends { id: string }>(records: Iterable<R>, fits: (record: R) => boolean, most = MOST): string[] {
  const found: string[] = [];
  for (const record of records) {
    if (fits(record)) found.push(record.id);
    if (found.length === most) break;
  }
  return found;
}

/** An act that leads out of a state, by kind. */
const WAYS_OUT: Readonly<Record<string, (tx: Transaction, id: string) => { act: string; input: object }[]>> = {
  "event INACTIVE": (_, event_id) => [{ act: "activateEvent", input: { event_id } }],
  "ticket CHECKED_IN": (_, ticket_id) => [{ act: "undoCheckIn", input: { ticket_id } }],
  "booking CHECKED_IN": (tx, id) =>
    tx.tickets
      .where("booking", id)
      .filter(({ status }) => status === "CHECKED_IN")
      .map((ticket) => ({ act: "undoCheckIn", input: { ticket_id: ticket.id } })),
  "booking PROCESSING": (_, booking_id) => [{ act: "completeCheckout", input: { booking_id } }],
};

export function useState(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "", state = "", from = "" } = toValues(question);
  const acts = question.read((tx) => WAYS_OUT[`${kind} ${state}`]?.(tx, id) ?? []);
  const states = from.split(", ").filter((each) => /^[A-Z_]+$/.test(each));
  return [
    ...(acts.length > 0 && acts.length <= 20
      ? [{ text: `First ${acts.map(actNamed).join(", ")}, then the same again.`, first: acts }]
      : []),
    ...recordIn(question, kind === "checkout" ? "booking" : kind, id, kind === "checkout" ? ["PROCESSING"] : states),
  ];
}

/** `the act undoCheckIn of tkt-1`. */
const actNamed = ({ act, input }: { act: string; input: object }): string =>
  `the act ${act} of ${Object.values(input).join(", ")}`;

export function useCard(question: RejectedRequest): Proposal[] {
  const { gift_card_id = "" } = toValues(question);
  const code = question.read((tx) => tx.giftCards.get(gift_card_id)?.code);
  const paths = [...toPaths(question, gift_card_id), ...(code === undefined ? [] : toPaths(question, code))];
  const isActive = (card: Record<string, unknown>) => card.status === "ACTIVE";
  const ids = question.read((tx) => pick(walkRecords(tx, "gift card"), isActive));
  if (paths.length === 0) return [];
  return ids.map((id) => ({ text: `Name an ACTIVE card, such as ${id}.`, set: setAt(paths, id) }));
}

/** What the company made itself may not have an id that is taken. */
export const omitId =
  (member: "id" | "code") =>
  (question: RejectedRequest): Proposal[] => {
    const taken = toValues(question)[member] ?? "";
    return [{ text: `Leave ${member} out: one is made.`, set: setAt(toPaths(question, taken), null) }];
  };

function* walkBookings(tx: Transaction, kind: string, id: string): Generator<Booking> {
  const events = kind === "Event" ? [{ id }] : getEvents(tx, id);
  for (const event of events) yield* tx.bookings.where("event", event.id);
}

/** Cancels what stands in the way, when it is little. */
export function cancelFirst(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "" } = toValues(question);
  // One more than is wanted tells that there are too many.
  const bookings = question.read((tx) => pick(walkBookings(tx, kind, id), isActive, MOST_CANCELLED + 1));
  const acts = bookings.map((booking_id) => ({ act: "cancelBooking", input: { booking_id, refund: "none" } }));
  if (acts.length === 0 || acts.length > MOST_CANCELLED) return [];
  return [
    {
      text: `Cancel ${acts.length === 1 ? `booking ${bookings[0]}` : `its ${acts.length} bookings`} first (act cancelBooking).`,
      first: acts,
    },
  ];
}

const isActive = ({ status }: Booking): boolean =>
  status === "ACTIVE" || status === "CHECKED_IN" || status === "PROCESSING";

/** A trigger: without the values that the record has already; or what is to be triggered before it. */
export function nameOne(question: RejectedRequest): Proposal[] {
  const { what = "" } = toValues(question);
  const { set = {} } = (question.body ?? {}) as { set?: Record<string, unknown> };
  const values = Object.keys(set).filter((name) => !name.endsWith("_id"));
  const [, before] = /[Tt]rigger (v1\.[\w.]*\w) first/.exec(what) ?? [];
  if (before !== undefined) return [advice(`Trigger ${before} first, then this again.`)];
  if (values.length === 0) return [advice(what)];
  return [
    {
      text: `Leave ${values.join(", ")} out: the record has these values already.`,
      set: { "body.set": omit(set, values) },
    },
  ];
}

const omit = (set: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(set).filter(([name]) => !names.includes(name)));
