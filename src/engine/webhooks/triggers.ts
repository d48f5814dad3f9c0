// Triggers an event kind on request, by an act with an example input. Kinds that only time can cause are triggered by a move of the clock.
// Heading "Event kinds".

import { putAt } from "../../platform/member-paths.ts";
import { getZone } from "../domain/catalogue/location.ts";
import { countFreeUnits } from "../domain/event/capacity.ts";
import { canComplete, completeEvent, getBookings, isUnderWay } from "../domain/event/event-end.ts";
import { explainInactive } from "../domain/event/opening.ts";
import { getEnd } from "../domain/event/sessions.ts";
import { mustExist, reject, rejectInput } from "../domain/kernel/domain-error.ts";
import type { Fact } from "../domain/kernel/facts.ts";
import { joinKeys, toPrefixEnd } from "../domain/kernel/index-keys.ts";
import { type Instant, shiftLocal, toLocal } from "../domain/kernel/instant.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import type { Metadata, ScheduledEvent } from "../domain/kernel/records.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import { getDocumentType } from "../domain/money/journal-entry.ts";
import { price } from "../domain/money/money.ts";
import { showEvent } from "../domain/views.ts";
import type { Cause } from "../world/state/commit.ts";
import type { Transacted, World } from "../world/state/world.ts";
import { getFirst } from "./deliveries.ts";
import { kinds } from "./kinds.ts";

/** Validates the input of an act and performs it. */
type Perform = (tx: Transaction, act: string, input: unknown) => object;

/** Values of the act's input, by path such as `event_id` or `customer.email`. */
type TriggerSet = Readonly<Record<string, unknown>>;

interface Trigger {
  act: string;
  /** The field of the input that names a record, and a function that finds a suitable one. */
  record?: readonly [field: string, find: (tx: Transaction, perform: Perform) => string | undefined];
  /** The advice if no record is suitable. */
  missing?: string;
  /** Returns the other fields of the example. */
  example?: (tx: Transaction, record: string) => object;
  /** The collection of the record of an update. Without input the trigger counts in its metadata, so that the record changes. */
  counted?: "events" | "experiences" | "bookings";
}

const NO_EVENT = "there is no future ACTIVE event. Name one in `event_id`, or trigger v1.event.created first.";
const NO_BOOKING =
  "there is no ACTIVE booking of an ACTIVE event. Name one in `booking_id`, or trigger v1.booking.created first.";

/** The type requires a row for every kind of the specification. */
const TRIGGERS: Readonly<Record<Exclude<EventKind, "v1.event.completed">, Trigger>> = {
  "v1.event.created": {
    act: "createEvent",
    record: ["experience_id", findExperience],
    missing: "no ACTIVE experience has a location. Create one first.",
    example: (tx, experience) => ({ capacity: 10, sessions: [getTomorrowTimes(tx, experience)] }),
  },
  "v1.event.updated": {
    act: "updateEvent",
    record: ["event_id", findActiveEvent],
    missing: NO_EVENT,
    counted: "events",
  },
  "v1.event.cancelled": { act: "cancelEvent", record: ["event_id", findActiveEvent], missing: NO_EVENT },
  "v1.event.deleted": {
    act: "deleteEvent",
    record: ["event_id", findDeletableEvent],
    missing: "there is no event without active bookings. Trigger v1.event.created first.",
  },
  "v1.experience.created": { act: "createExperience", example: createExperienceExample },
  "v1.experience.updated": {
    act: "updateExperience",
    record: ["experience_id", (tx) => getFirst(tx.experiences.walk("created"))?.id],
    missing: "there is no experience. Trigger v1.experience.created first.",
    counted: "experiences",
  },
  "v1.experience.deleted": {
    act: "deleteExperience",
    // A deletion creates an experience to delete, so that no other data is lost.
    record: [
      "experience_id",
      (tx, perform) => getId(perform(tx, "createExperience", createExperienceExample(tx)), "id"),
    ],
  },
  "v1.booking.created": {
    act: "bookAsHost",
    record: ["event_id", findBookableEvent],
    missing: "no event can be booked now. Name one in `event_id`, or trigger v1.event.created first.",
    example: (tx, event) => ({
      customer: { customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com", phone: "+4520304050" },
      locale: tx.company.get("company")?.languages[0] ?? "en",
      items: [{ type_id: selectVariant(tx, event), item_type: "VARIANT", quantity: 1 }],
      skip_answers: true,
    }),
  },
  "v1.booking.updated": {
    act: "updateBooking",
    record: ["booking_id", findBooking],
    missing: NO_BOOKING,
    counted: "bookings",
  },
  "v1.booking.cancelled": { act: "cancelBooking", record: ["booking_id", findBooking], missing: NO_BOOKING },
  "v1.journal_entry.created": {
    act: "recordAdjustment",
    example: () => ({ type: "SETTLEMENT", direction: "DEBIT", amount: 100 }),
  },
  "v1.journal_entry.document_attached": { act: "attachDocument", record: ["journal_entry_id", findEntry] },
  "v1.marketing_consent.created": {
    act: "submitConsent",
    example: () => ({ full_name: "Anna Holm", email: "anna@example.com" }),
  },
};

interface TriggerDeps {
  change(world: World, cause: Cause, work: (tx: Transaction) => object): Transacted<object>;
  read<T>(world: World, question: (tx: Transaction) => T): T;
  perform: Perform;
  advance(
    world: World,
    until: Instant,
    by: Cause,
  ): Promise<{ receipt: readonly { id: string; facts: readonly Fact[] }[] }>;
}

export function createTriggers({ change, read, perform, advance }: TriggerDeps) {
  const apply = (tx: Transaction, kind: EventKind, set: TriggerSet) => triggerKind(tx, kind, set, perform);
  return {
    /** Triggers a kind within an open transaction, without moving the clock. */
    apply,
    async trigger(world: World, kind: EventKind, set: TriggerSet, cause: Cause): Promise<Transacted<object>> {
      // An event completes only when its end has passed, so the clock is moved.
      const due = kind === "v1.event.completed" ? read(world, (tx) => findDueCompletion(tx, set)) : undefined;
      if (!due) return change(world, cause, (tx) => apply(tx, kind, set));
      // The move also runs everything else that becomes due before that time.
      const { receipt } = await advance(world, due.at, cause);
      const result = read(world, (tx) => showEvent(mustExist(tx.events.get(due.id), "event", due.id)));
      return { result, facts: receipt.filter(({ id }) => id === due.id).flatMap(({ facts }) => facts) };
    },
  };
}

function triggerKind(tx: Transaction, kind: EventKind, set: TriggerSet, perform: Perform): object {
  const result =
    kind === "v1.event.completed"
      ? showEvent(completeEvent(tx, findCompletable(tx, set)))
      : performTrigger(tx, kind, set, perform);
  // A trigger without facts would send no message.
  if (tx.facts.length > 0) return result;
  const what = "the record already has these values, so no message would be sent. Set other values.";
  return reject("NOTHING_SUITABLE", { kind, what });
}

function performTrigger(tx: Transaction, kind: keyof typeof TRIGGERS, set: TriggerSet, perform: Perform): object {
  const { act, record: [field, find] = [], missing, example, counted } = TRIGGERS[kind];
  const id = field === undefined ? undefined : (set[field] ?? find?.(tx, perform));
  if (field !== undefined && id === undefined) return reject("NOTHING_SUITABLE", { kind, what: missing });
  // If documents are attached immediately, the new sale already has its document.
  if (tx.facts.some(({ fact }) => kinds[kind].facts.includes(fact))) return { id };
  const input = { ...(field === undefined ? {} : { [field]: id }), ...example?.(tx, String(id)) };
  for (const [path, value] of Object.entries(set)) putAt(input, path.split("."), structuredClone(value));
  const isUnchanged = counted !== undefined && Object.keys(input).length === 1;
  if (!isUnchanged) return perform(tx, act, input);
  const { metadata = {} }: { metadata?: Metadata } = tx[counted].get(String(id)) ?? {};
  return perform(tx, act, {
    ...input,
    metadata: { ...metadata, triggered: String((Number(metadata.triggered) || 0) + 1) },
  });
}

const getId = (result: object, field: string): string => String((result as Record<string, unknown>)[field]);

/** Returns the event to complete and its end; undefined if the end has passed, or if events are not completed automatically. */
function findDueCompletion(tx: Transaction, set: TriggerSet): { id: string; at: Instant } | undefined {
  const { id, state, sessions } = findCompletable(tx, set);
  const at = getEnd(sessions);
  return canComplete(tx, { state }) && at > tx.now ? { id, at } : undefined;
}

/** Returns the event in the input, or the next event to end. */
function findCompletable(tx: Transaction, { event_id, ...others }: TriggerSet): ScheduledEvent {
  const [other] = Object.keys(others);
  if (other !== undefined) return rejectInput(`body.set.${other}`, "a completed event has the field event_id only.");
  if (event_id !== undefined) {
    const event = tx.events.get(String(event_id));
    return mustExist(event?.deleted_at ? undefined : event, "event", String(event_id));
  }
  for (const event of tx.events.walk("due")) if (canComplete(tx, event)) return event;
  const what = "there is no future event. Create one, or trigger v1.event.created first.";
  return reject("NOTHING_SUITABLE", { kind: "v1.event.completed", what });
}

function findActiveEvent(tx: Transaction): string | undefined {
  for (const { id, state } of tx.events.walk("start", { from: tx.now })) if (state === "ACTIVE") return id;
  return undefined;
}

/** Finds the last event without active bookings. */
function findDeletableEvent(tx: Transaction): string | undefined {
  for (const event of tx.events.walk("start", { descending: true }))
    if (!getBookings(tx, event).some(isUnderWay)) return event.id;
  return undefined;
}

/** Finds the first event with a ticket variant that can be booked now. */
function findBookableEvent(tx: Transaction): string | undefined {
  for (const event of tx.events.walk("start", { from: tx.now })) {
    const isOpen = !explainInactive(event, tx.experiences.get(event.experience_id)) && tx.now < event.cutoff_at;
    if (isOpen && !event.locked_by && findAvailableVariant(tx, event) !== undefined) return event.id;
  }
  return undefined;
}

/** Returns the first ticket variant that is not sold out. */
function findAvailableVariant(tx: Transaction, event: ScheduledEvent): string | undefined {
  const { ticket_variants = [] } = tx.experiences.get(event.experience_id) ?? {};
  return ticket_variants.find((variant) => countFreeUnits(tx, event, variant) !== 0)?.id;
}

/** Returns the first variant if the event is full, so that the booking is rejected with the reason. */
function selectVariant(tx: Transaction, eventId: string): string {
  const event = tx.events.get(eventId);
  const first = tx.experiences.get(event?.experience_id ?? "")?.ticket_variants[0]?.id;
  return (event && findAvailableVariant(tx, event)) ?? first ?? "none";
}

/** Finds the newest ACTIVE booking of an ACTIVE event, because a test usually has just created it. */
function findBooking(tx: Transaction): string | undefined {
  const active = { from: joinKeys("ACTIVE", ""), until: toPrefixEnd("ACTIVE"), descending: true };
  for (const { id, event_id } of tx.bookings.walk("statusCreated", active))
    if (tx.events.get(event_id)?.state === "ACTIVE") return id;
  return undefined;
}

function findExperience(tx: Transaction): string | undefined {
  for (const { id, state, location_ids } of tx.experiences.walk("created"))
    if (state === "ACTIVE" && location_ids.length > 0) return id;
  return undefined;
}

/** Finds the newest entry without its document, or the entry of a new sale. */
function findEntry(tx: Transaction, perform: Perform): string | undefined {
  for (const entry of tx.entries.walk("occurred", { descending: true }))
    if (entry.documents.length === 0 && getDocumentType(entry)) return entry.id;
  perform(tx, "buyGiftCard", { initial_value: 100 });
  return tx.facts.findLast(({ fact }) => fact === "journal_entry.created")?.id;
}

/** Returns 10:00 to 12:00 in local time. */
function getTomorrowTimes(tx: Transaction, experience: string) {
  const [location = ""] = tx.experiences.get(experience)?.location_ids ?? [];
  const day = toLocal(tx.now, getZone(tx, tx.locations.get(location) ?? {})).slice(0, 10);
  return { start_time: shiftLocal(`${day}T10:00:00`, 1), end_time: shiftLocal(`${day}T12:00:00`, 1) };
}

function createExperienceExample(tx: Transaction) {
  const currency = tx.company.get("company")?.currency ?? "DKK";
  // The amount is in minor units: 100.00 in a currency with two decimals.
  const adult = { name: "Adult", price: price(10_000, currency), vat_rate: "0.25" };
  return { name: "A new experience", description: "Made by a trigger.", ticket_variants: [adult] };
}
