// A host calls an event off; each of its bookings is cancelled, and refunded as asked. Assumption: event-transitions.
import { cancelEvent as cancel } from "../domain/event/event-end.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const cancelEvent = act("cancelEvent", (tx, { event_id, refund = "full" }) =>
  showEvent(cancel(tx, eventCalled(tx, event_id), refund)),
);
