// An event is set aside; its bookings stay. Assumption: event-transitions.
import { switchEvent } from "../domain/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const deactivateEvent = act("deactivateEvent", (desk, { event_id }) =>
  showEvent(switchEvent(desk, eventCalled(desk, event_id), "INACTIVE")),
);
