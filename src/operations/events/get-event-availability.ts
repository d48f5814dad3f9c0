// GET /v1/event-availabilities/{eventId}. Assumption: event-availability-shape.
import { eventAvailability } from "../../domain/availability.ts";
import { read } from "../operation.ts";
import { publicEvent } from "./public-event.ts";

export const getEventAvailability = read("getEventAvailability", (desk, { path }) =>
  eventAvailability(desk, publicEvent(desk, path.eventId)),
);
