// A host puts a date on the calendar. Heading "Event session and Event".
import { createEvent as create } from "../domain/event/event.ts";
import { showEvent } from "../domain/shown.ts";
import { act } from "./act.ts";

export const createEvent = act("createEvent", (tx, input) => showEvent(create(tx, input)));
