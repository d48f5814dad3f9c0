// GET /v1/events/{eventId}. Assumptions: event-fields, event-transitions (a deleted event answers 404).
import { loadEvent } from "../../domain/kernel/lookups.ts";
import { showEvent } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getEvent = read("getEvent", (tx, { path }) => showEvent(loadEvent(tx, path.eventId)));
