// GET /v1/event-availabilities/{eventId}. Assumption: event-availability-shape.
import { eventAvailability } from "../../domain/event/availability.ts";
import { read } from "../operation.ts";
import { publicEvent } from "./public-event.ts";

export const getEventAvailability = read("getEventAvailability", (tx, { path }) =>
  eventAvailability(tx, publicEvent(tx, path.eventId)),
);
