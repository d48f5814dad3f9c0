// An event is kept for one booking, which alone may grow from then on. Assumption: availability-shape.
import { lockEvent as lock } from "../domain/exclusivity.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { bookingCalled, eventCalled } from "./named.ts";

export const lockEvent = act("lockEvent", (desk, { event_id, booking_id }) =>
  showEvent(lock(desk, eventCalled(desk, event_id), bookingCalled(desk, booking_id))),
);
