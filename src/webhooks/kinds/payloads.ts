// What messages say: ids only, the resource is read for its state. Assumptions: payload-booking, payload-event,
// payload-experience-updated, payload-journal, payload-consent; host_id is the company.
import type { Transaction } from "../../domain/kernel/transaction.ts";

const host = (tx: Transaction) => ({ host_id: tx.company.get("company")?.company_id ?? "" });

/** A fact about a record that is not there is a fault of ours, and undoes the transaction. */
function there<R>(record: R | undefined, kind: string, id: string): R {
  if (record === undefined) throw new Error(`a fact tells of the ${kind} ${id}, which is not there`);
  return record;
}

export function ofEvent(tx: Transaction, id: string) {
  const { experience_id, sessions } = there(tx.events.get(id), "event", id);
  return { event_id: id, experience_id, ...host(tx), session_ids: sessions.map((session) => session.id) };
}

export function ofExperience(tx: Transaction, id: string) {
  return { experience_id: there(tx.experiences.get(id), "experience", id).id, ...host(tx) };
}

export function ofBooking(tx: Transaction, id: string) {
  const { event_id, experience_id } = there(tx.bookings.get(id), "booking", id);
  return { booking_id: id, event_id, experience_id, ...host(tx) };
}

export function ofEntry(tx: Transaction, id: string) {
  return { journal_entry_id: there(tx.entries.get(id), "journal entry", id).id, ...host(tx) };
}

export function ofConsent(tx: Transaction, id: string) {
  return { consent_id: there(tx.consents.get(id), "marketing consent", id).id, ...host(tx) };
}
