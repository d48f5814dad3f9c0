// An event is open to everybody again. Assumption: availability-shape.
import { unlockEvent as unlock } from "../domain/event/exclusivity.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";
import { eventCalled } from "./named.ts";

export const unlockEvent = act("unlockEvent", (tx, { event_id }) => showEvent(unlock(tx, eventCalled(tx, event_id))));
