// What messages say: ids only, the resource is read for its state. Assumptions: payload-booking, payload-event,
// payload-experience-updated, payload-journal, payload-consent; host_id is the company.
import type { Desk } from "../../domain/desk.ts";

const host = (desk: Desk) => ({ host_id: desk.company.get("company")?.company_id ?? "" });

/** A fact about a record that is not there is a fault of ours, and undoes the transaction. */
function there<R>(record: R | undefined, kind: string, id: string): R {
  if (record === undefined) throw new Error(`a fact tells of the ${kind} ${id}, which is not there`);
  return record;
}

export function ofEvent(desk: Desk, id: string) {
  const { experience_id, sessions } = there(desk.events.get(id), "event", id);
  return { event_id: id, experience_id, ...host(desk), session_ids: sessions.map((session) => session.id) };
}

export function ofExperience(desk: Desk, id: string) {
  return { experience_id: there(desk.experiences.get(id), "experience", id).id, ...host(desk) };
}

export function ofBooking(desk: Desk, id: string) {
  const { event_id, experience_id } = there(desk.bookings.get(id), "booking", id);
  return { booking_id: id, event_id, experience_id, ...host(desk) };
}

export function ofEntry(desk: Desk, id: string) {
  return { journal_entry_id: there(desk.entries.get(id), "journal entry", id).id, ...host(desk) };
}

export function ofConsent(desk: Desk, id: string) {
  return { consent_id: there(desk.consents.get(id), "marketing consent", id).id, ...host(desk) };
}
