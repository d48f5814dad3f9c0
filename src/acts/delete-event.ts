// An event is taken away; refused while active bookings exist. Assumption: event-transitions.
import { deleteEvent as remove } from "../domain/event/event-end.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const deleteEvent = act("deleteEvent", (tx, { event_id }) => showEvent(remove(tx, eventCalled(tx, event_id))));
