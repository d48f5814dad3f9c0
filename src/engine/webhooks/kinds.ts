// Defines every kind of message: the facts that send it, and its payload. Payload types are generated from the specification. Heading "Event
// kinds"; assumptions: type-format, checkout-kinds, move-kinds.

import type { webhooks } from "../../contract/generated/api.ts";
import type { FactName } from "../domain/kernel/facts.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";

type Payload<K extends EventKind> = webhooks[K]["post"]["requestBody"]["content"]["application/json"]["payload"];

interface KindRow<K extends EventKind> {
  /** A transaction that reports one of these facts sends this kind. */
  facts: readonly FactName[];
  /** `id` identifies the record that the fact is about. */
  payload(tx: Transaction, id: string): Payload<K>;
}

/** The type requires a row for every kind of the specification. */
export const kinds: { readonly [K in EventKind]: KindRow<K> } = {
  "v1.event.created": { facts: ["event.created"], payload: getEvent },
  // A booking only sends this kind if the assumption capacity-kind says so (domain/event/seats.ts).
  "v1.event.updated": { facts: ["event.updated"], payload: getEvent },
  "v1.event.cancelled": { facts: ["event.cancelled"], payload: getEvent },
  "v1.event.completed": { facts: ["event.completed"], payload: getEvent },
  "v1.event.deleted": { facts: ["event.deleted"], payload: getEvent },
  "v1.experience.created": { facts: ["experience.created"], payload: getExperience },
  "v1.experience.updated": { facts: ["experience.updated", "experience.archived"], payload: getExperience },
  "v1.experience.deleted": { facts: ["experience.deleted"], payload: getExperience },
  // Confirmed bookings send this kind. A checkout sends nothing when it starts, expires or is abandoned.
  "v1.booking.created": { facts: ["booking.created"], payload: getBooking },
  "v1.booking.updated": { facts: ["booking.updated", "booking.moved"], payload: getBooking },
  "v1.booking.cancelled": { facts: ["booking.cancelled"], payload: getBooking },
  "v1.journal_entry.created": { facts: ["journal_entry.created"], payload: getEntry },
  "v1.journal_entry.document_attached": { facts: ["journal_entry.document_attached"], payload: getEntry },
  "v1.marketing_consent.created": { facts: ["marketing_consent.created"], payload: getConsent },
};

// Payloads contain ids only, and receivers request the resource for its state. Assumptions: payload-event, payload-experience-updated,
// payload-booking, payload-journal, payload-consent. The host is the company.

function getHost(tx: Transaction) {
  return { host_id: tx.company.get("company")?.company_id ?? "" };
}

/** Throws if the record is missing. That is a bug of the sandbox, and rolls the transaction back. */
function requireRecord<R>(record: R | undefined, kind: string, id: string): R {
  if (record === undefined) throw new Error(`there is a fact about the ${kind} ${id}, which does not exist`);
  return record;
}

function getEvent(tx: Transaction, id: string) {
  const { experience_id, sessions } = requireRecord(tx.events.get(id), "event", id);
  return { event_id: id, experience_id, ...getHost(tx), session_ids: sessions.map((session) => session.id) };
}

function getExperience(tx: Transaction, id: string) {
  return { experience_id: requireRecord(tx.experiences.get(id), "experience", id).id, ...getHost(tx) };
}

function getBooking(tx: Transaction, id: string) {
  const { event_id, experience_id } = requireRecord(tx.bookings.get(id), "booking", id);
  return { booking_id: id, event_id, experience_id, ...getHost(tx) };
}

function getEntry(tx: Transaction, id: string) {
  return { journal_entry_id: requireRecord(tx.entries.get(id), "journal entry", id).id, ...getHost(tx) };
}

function getConsent(tx: Transaction, id: string) {
  return { consent_id: requireRecord(tx.consents.get(id), "marketing consent", id).id, ...getHost(tx) };
}
