// GET /v1/events/{eventId}. Assumptions: event-fields, event-transitions (a deleted event answers 404).
import { showEvent } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { publicEvent } from "./public-event.ts";

export const getEvent = read("getEvent", (tx, { path }) => showEvent(publicEvent(tx, path.eventId)));
