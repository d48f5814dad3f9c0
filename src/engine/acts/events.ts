// Acts on events. Heading "Event session and Event"; assumptions: event-transitions, availability-shape (locks).
import { createEvent, switchEvent, updateEvent } from "../domain/event/event.ts";
import { cancelEvent, deleteEvent } from "../domain/event/event-end.ts";
import { lockEvent, unlockEvent } from "../domain/event/exclusivity.ts";
import { loadBooking, loadEvent } from "../domain/kernel/lookups.ts";
import { showEvent } from "../domain/views.ts";
import { act } from "./act.ts";

export const eventActs = [
  act("createEvent", (tx, input) => showEvent(createEvent(tx, input))),

  act("updateEvent", (tx, { event_id, ...change }) => showEvent(updateEvent(tx, loadEvent(tx, event_id), change))),

  act("activateEvent", (tx, { event_id }) => showEvent(switchEvent(tx, loadEvent(tx, event_id), "ACTIVE"))),

  // The bookings of the event stay.
  act("deactivateEvent", (tx, { event_id }) => showEvent(switchEvent(tx, loadEvent(tx, event_id), "INACTIVE"))),

  // Cancels each of its bookings too, with this refund.
  act("cancelEvent", (tx, { event_id, refund = "full" }) =>
    showEvent(cancelEvent(tx, loadEvent(tx, event_id), refund)),
  ),

  // Rejected while active bookings exist.
  act("deleteEvent", (tx, { event_id }) => showEvent(deleteEvent(tx, loadEvent(tx, event_id)))),

  // Reserves the event for one booking; only that booking may grow from then on.
  act("lockEvent", (tx, { event_id, booking_id }) =>
    showEvent(lockEvent(tx, loadEvent(tx, event_id), loadBooking(tx, booking_id))),
  ),

  act("unlockEvent", (tx, { event_id }) => showEvent(unlockEvent(tx, loadEvent(tx, event_id)))),
];
