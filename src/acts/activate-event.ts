// An event set aside can be booked again. Assumption: event-transitions.
import { switchEvent } from "../domain/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const activateEvent = act("activateEvent", (desk, { event_id }) =>
  showEvent(switchEvent(desk, eventCalled(desk, event_id), "ACTIVE")),
);
