// Proposes another record or a preceding act, for a rule that rejects a record.

import { findNearest } from "../../../platform/nearest.ts";
import { getEvents } from "../../domain/event/event-end.ts";
import { findCollection } from "../../domain/kernel/record-kinds.ts";
import type { Booking } from "../../domain/kernel/records.ts";
import type { Repositories, Transaction } from "../../domain/kernel/transaction.ts";
import { advice, type Proposal, type RejectedRequest, setAt, toPaths, toValues } from "../rule.ts";

/** The limit of proposed records, because each proposal is tried. */
const MAX_PROPOSALS = 5;
/** The limit of ids is higher than that of records, because records have to be read. */
const [MOST_IDS, MOST_READ] = [2000, 500];
/** A change with more acts is not offered. */
const MAX_CANCELLED = 20;

/** Lists ids of records of a kind, newest first. Events are listed from the next future one, then the past ones. */
export function listIds(tx: Transaction, kind: string, most = MOST_IDS): string[] {
  const name = findCollection(kind);
  if (name === undefined) return [];
  const found = new Set<string>();
  for (const id of walkIds(tx, name)) {
    found.add(id);
    if (found.size === most) break;
  }
  return [...found];
}

function* walkIds(tx: Transaction, name: keyof Repositories): Generator<string> {
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

const addArticle = (kind: string): string => `${/^[aeiou]/i.test(kind) ? "an" : "a"} ${kind}`;

/** Proposes a similar id, or one of the newest records of the kind. */
export function useOtherId(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "" } = toValues(question);
  const paths = toPaths(question, id);
  if (paths.length === 0) return [];
  const ids = question.read((tx) => listIds(tx, kind));
  const near = findNearest(id, ids);
  const tried = [...new Set([...(near === undefined ? [] : [near]), ...ids.slice(0, MAX_PROPOSALS)])];
  return tried.map((other) => ({
    text:
      other === near
        ? `The nearest id of ${addArticle(kind)} is ${other}.`
        : `Name ${addArticle(kind)} that exists, such as ${other}.`,
    set: setAt(paths, other),
  }));
}

/** Proposes a location of the experience first, then any other that exists. */
export function useLocation(question: RejectedRequest): Proposal[] {
  const { location_id = "" } = toValues(question);
  const { experience_id = "", event_id = "" } = (question.body ?? {}) as { experience_id?: string; event_id?: string };
  const ids = question.read((tx) => {
    const own = tx.experiences.get(experience_id || tx.events.get(event_id)?.experience_id || "")?.location_ids ?? [];
    const isThere = (id: string) => tx.locations.get(id)?.removed_at === undefined;
    return [...new Set([...own, ...listIds(tx, "location", MAX_PROPOSALS)])].filter(isThere);
  });
  return ids.map((id) => ({
    text: `Name a location that exists, such as ${id}.`,
    set: setAt(toPaths(question, location_id), id),
  }));
}

/** Proposes other records of the kind that are in one of the states. */
export function useInState(question: RejectedRequest, kind: string, id: string, states: readonly string[]): Proposal[] {
  const paths = toPaths(question, id);
  const isIn = (record: Record<string, unknown>) => states.includes(String(record.state ?? record.status));
  const ids = question.read((tx) => pickIds(walkRecords(tx, kind), (record) => isIn(record) && record.id !== id));
  if (paths.length === 0) return [];
  return ids.map((other) => ({
    text: `Name ${addArticle(kind)} that is ${states.join(" or ")}, such as ${other}.`,
    set: setAt(paths, other),
  }));
}

function pickIds<R extends { id: string }>(
  records: Iterable<R>,
  fits: (record: R) => boolean,
  most = MAX_PROPOSALS,
): string[] {
  const found: string[] = [];
  for (const record of records) {
    if (fits(record)) found.push(record.id);
    if (found.length === most) break;
  }
  return found;
}

/** The acts that change a state, by kind and state. */
const ACTS_BY_STATE: Readonly<Record<string, (tx: Transaction, id: string) => { act: string; input: object }[]>> = {
  "event INACTIVE": (_, event_id) => [{ act: "activateEvent", input: { event_id } }],
  "ticket CHECKED_IN": (_, ticket_id) => [{ act: "undoCheckIn", input: { ticket_id } }],
  "booking CHECKED_IN": (tx, id) =>
    tx.tickets
      .where("booking", id)
      .filter(({ status }) => status === "CHECKED_IN")
      .map((ticket) => ({ act: "undoCheckIn", input: { ticket_id: ticket.id } })),
  "booking PROCESSING": (_, booking_id) => [{ act: "completeCheckout", input: { booking_id } }],
};

export function useOtherState(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "", state = "", from = "" } = toValues(question);
  const acts = question.read((tx) => ACTS_BY_STATE[`${kind} ${state}`]?.(tx, id) ?? []);
  const states = from.split(", ").filter((each) => /^[A-Z_]+$/.test(each));
  return [
    ...(acts.length > 0 && acts.length <= 20
      ? [{ text: `First ${acts.map(nameAct).join(", ")}, then send the same request again.`, first: acts }]
      : []),
    ...useInState(question, kind === "checkout" ? "booking" : kind, id, kind === "checkout" ? ["PROCESSING"] : states),
  ];
}

/** Formats `the act undoCheckIn of tkt-1`. */
const nameAct = ({ act, input }: { act: string; input: object }): string =>
  `the act ${act} of ${Object.values(input).join(", ")}`;

export function useActiveCard(question: RejectedRequest): Proposal[] {
  const { gift_card_id = "" } = toValues(question);
  const code = question.read((tx) => tx.giftCards.get(gift_card_id)?.code);
  const paths = [...toPaths(question, gift_card_id), ...(code === undefined ? [] : toPaths(question, code))];
  const isActive = (card: Record<string, unknown>) => card.status === "ACTIVE";
  const ids = question.read((tx) => pickIds(walkRecords(tx, "gift card"), isActive));
  if (paths.length === 0) return [];
  return ids.map((id) => ({ text: `Name an ACTIVE card, such as ${id}.`, set: setAt(paths, id) }));
}

/** Proposes to omit an id or a code that is already in use. */
export const omitId =
  (member: "id" | "code") =>
  (question: RejectedRequest): Proposal[] => {
    const taken = toValues(question)[member] ?? "";
    return [{ text: `Omit ${member}, so that one is generated.`, set: setAt(toPaths(question, taken), null) }];
  };

function* walkBookings(tx: Transaction, kind: string, id: string): Generator<Booking> {
  const events = kind === "Event" ? [{ id }] : getEvents(tx, id);
  for (const event of events) yield* tx.bookings.where("event", event.id);
}

/** Proposes to cancel the bookings that prevent the change, if they are few. */
export function cancelBookings(question: RejectedRequest): Proposal[] {
  const { kind = "", id = "" } = toValues(question);
  // A booking above the limit is read, to detect that there are too many.
  const bookings = question.read((tx) => pickIds(walkBookings(tx, kind, id), isActive, MAX_CANCELLED + 1));
  const acts = bookings.map((booking_id) => ({ act: "cancelBooking", input: { booking_id, refund: "none" } }));
  if (acts.length === 0 || acts.length > MAX_CANCELLED) return [];
  return [
    {
      text: `Cancel ${acts.length === 1 ? `booking ${bookings[0]}` : `its ${acts.length} bookings`} first (act cancelBooking).`,
      first: acts,
    },
  ];
}

const isActive = ({ status }: Booking): boolean =>
  status === "ACTIVE" || status === "CHECKED_IN" || status === "PROCESSING";

/** Proposes for a trigger to omit values that the record already has, or to run another trigger first. */
export function fixTrigger(question: RejectedRequest): Proposal[] {
  const { what = "" } = toValues(question);
  const { set = {} } = (question.body ?? {}) as { set?: Record<string, unknown> };
  const values = Object.keys(set).filter((name) => !name.endsWith("_id"));
  const [, before] = /[Tt]rigger (v1\.[\w.]*\w) first/.exec(what) ?? [];
  if (before !== undefined) return [advice(`Trigger ${before} first, then repeat this trigger.`)];
  if (values.length === 0) return [advice(what)];
  return [
    {
      text: `Omit ${values.join(", ")}, because the record already has these values.`,
      set: { "body.set": omitFields(set, values) },
    },
  ];
}

const omitFields = (set: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(set).filter(([name]) => !names.includes(name)));
