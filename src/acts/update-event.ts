// A host changes an event: its sessions, capacity, visibility or cut-off. Heading "Event session and Event".
import { updateEvent as update } from "../domain/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const updateEvent = act("updateEvent", (desk, { event_id, ...change }) =>
  showEvent(update(desk, eventCalled(desk, event_id), change)),
);
