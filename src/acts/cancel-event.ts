// A host calls an event off; each of its bookings is cancelled, and refunded as asked. Assumption: event-transitions.
import { cancelEvent as cancel } from "../domain/event-end.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const cancelEvent = act("cancelEvent", (desk, { event_id, refund = "full" }) =>
  showEvent(cancel(desk, eventCalled(desk, event_id), refund)),
);
