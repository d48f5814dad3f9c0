// An event is kept for one booking, which alone may grow from then on. Assumption: availability-shape.
import { lockEvent as lock } from "../domain/event/exclusivity.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { bookingCalled, eventCalled } from "./named.ts";

export const lockEvent = act("lockEvent", (tx, { event_id, booking_id }) =>
  showEvent(lock(tx, eventCalled(tx, event_id), bookingCalled(tx, booking_id))),
);
