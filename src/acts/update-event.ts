// A host changes an event: its sessions, capacity, visibility or cut-off. Heading "Event session and Event".
import { updateEvent as update } from "../domain/event/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const updateEvent = act("updateEvent", (tx, { event_id, ...change }) =>
  showEvent(update(tx, eventCalled(tx, event_id), change)),
);
