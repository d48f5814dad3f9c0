// Every kind of message: the facts that send it, its payload, and how a trigger causes it. The type of a payload is the
// specification's. Heading "Event kinds"; assumptions: type-format, checkout-kinds, move-kinds.

import type { webhooks } from "../../contract/generated/api.ts";
import type { FactName } from "../domain/kernel/facts.ts";
import type { EventKind } from "../domain/kernel/kinds.ts";
import type { Transaction } from "../domain/kernel/transaction.ts";
import * as bookings from "./triggers/bookings.ts";
import { consentCreated } from "./triggers/consents.ts";
import * as entries from "./triggers/entries.ts";
import * as events from "./triggers/events.ts";
import * as experiences from "./triggers/experiences.ts";
import type { Trigger } from "./triggers/input.ts";

type Payload<K extends EventKind> = webhooks[K]["post"]["requestBody"]["content"]["application/json"]["payload"];

/** `facts`: what happens in a transaction and sends this kind. */
interface KindRow<K extends EventKind> {
  facts: readonly FactName[];
  /** `id`: the record that the fact is about. */
  payload(tx: Transaction, id: string): Payload<K>;
  trigger: Trigger;
}

/** A kind of the specification without a row does not compile. */
export const kinds: { readonly [K in EventKind]: KindRow<K> } = {
  "v1.event.created": { facts: ["event.created"], payload: ofEvent, trigger: events.eventCreated },
  // A booking sends this only where the assumption capacity-kind says so (domain/event/seats.ts).
  "v1.event.updated": { facts: ["event.updated"], payload: ofEvent, trigger: events.eventUpdated },
  "v1.event.cancelled": { facts: ["event.cancelled"], payload: ofEvent, trigger: events.eventCancelled },
  "v1.event.completed": { facts: ["event.completed"], payload: ofEvent, trigger: events.eventCompleted },
  "v1.event.deleted": { facts: ["event.deleted"], payload: ofEvent, trigger: events.eventDeleted },
  "v1.experience.created": {
    facts: ["experience.created"],
    payload: ofExperience,
    trigger: experiences.experienceCreated,
  },
  "v1.experience.updated": {
    facts: ["experience.updated", "experience.archived"],
    payload: ofExperience,
    trigger: experiences.experienceUpdated,
  },
  "v1.experience.deleted": {
    facts: ["experience.deleted"],
    payload: ofExperience,
    trigger: experiences.experienceDeleted,
  },
  // Confirmed bookings only: a started checkout sends nothing, so one that lapses or is abandoned sends nothing either.
  "v1.booking.created": { facts: ["booking.created"], payload: ofBooking, trigger: bookings.bookingCreated },
  "v1.booking.updated": {
    facts: ["booking.updated", "booking.moved"],
    payload: ofBooking,
    trigger: bookings.bookingUpdated,
  },
  "v1.booking.cancelled": { facts: ["booking.cancelled"], payload: ofBooking, trigger: bookings.bookingCancelled },
  "v1.journal_entry.created": {
    facts: ["journal_entry.created"],
    payload: ofEntry,
    trigger: entries.journalEntryCreated,
  },
  "v1.journal_entry.document_attached": {
    facts: ["journal_entry.document_attached"],
    payload: ofEntry,
    trigger: entries.documentAttached,
  },
  "v1.marketing_consent.created": {
    facts: ["marketing_consent.created"],
    payload: ofConsent,
    trigger: consentCreated,
  },
};

// Payloads hold ids only; a receiver reads the resource for its state. Assumptions: payload-event, payload-experience-updated,
// payload-booking, payload-journal, payload-consent. The host is the company.

function host(tx: Transaction) {
  return { host_id: tx.company.get("company")?.company_id ?? "" };
}

/** A fact about a record that does not exist is a bug of the sandbox, and undoes the transaction. */
function existing<R>(record: R | undefined, kind: string, id: string): R {
  if (record === undefined) throw new Error(`there is a fact about the ${kind} ${id}, which does not exist`);
  return record;
}

/** A deleted event keeps its record. */
function ofEvent(tx: Transaction, id: string) {
  const { experience_id, sessions } = existing(tx.events.get(id), "event", id);
  return { event_id: id, experience_id, ...host(tx), session_ids: sessions.map((session) => session.id) };
}

function ofExperience(tx: Transaction, id: string) {
  return { experience_id: existing(tx.experiences.get(id), "experience", id).id, ...host(tx) };
}

function ofBooking(tx: Transaction, id: string) {
  const { event_id, experience_id } = existing(tx.bookings.get(id), "booking", id);
  return { booking_id: id, event_id, experience_id, ...host(tx) };
}

function ofEntry(tx: Transaction, id: string) {
  return { journal_entry_id: existing(tx.entries.get(id), "journal entry", id).id, ...host(tx) };
}

function ofConsent(tx: Transaction, id: string) {
  return { consent_id: existing(tx.consents.get(id), "marketing consent", id).id, ...host(tx) };
}
