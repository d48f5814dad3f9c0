// An event is set aside; its bookings stay. Assumption: event-transitions.
import { switchEvent } from "../domain/event/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const deactivateEvent = act("deactivateEvent", (tx, { event_id }) =>
  showEvent(switchEvent(tx, eventCalled(tx, event_id), "INACTIVE")),
);
