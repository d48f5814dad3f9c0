// An event is taken away; refused while active bookings exist. Assumption: event-transitions.
import { deleteEvent as remove } from "../domain/event-end.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const deleteEvent = act("deleteEvent", (desk, { event_id }) =>
  showEvent(remove(desk, eventCalled(desk, event_id))),
);
