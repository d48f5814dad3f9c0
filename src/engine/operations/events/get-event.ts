// GET /v1/events/{eventId}. Assumptions: event-fields, event-transitions (a deleted event answers 404).
import { eventById } from "../../domain/kernel/lookups.ts";
import { showEvent } from "../../domain/views.ts";
import { read } from "../operation.ts";

export const getEvent = read("getEvent", (tx, { path }) => showEvent(eventById(tx, path.eventId)));
