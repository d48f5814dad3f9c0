// An event set aside can be booked again. Assumption: event-transitions.
import { switchEvent } from "../domain/event/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const activateEvent = act("activateEvent", (tx, { event_id }) =>
  showEvent(switchEvent(tx, eventCalled(tx, event_id), "ACTIVE")),
);
