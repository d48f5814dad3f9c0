// GET /v1/event-availabilities/{eventId}. Assumption: event-availability-shape.

import { computeEventAvailability } from "../../domain/event/availability.ts";
import { loadEvent } from "../../domain/kernel/lookups.ts";
import { read } from "../operation.ts";

export const getEventAvailability = read("getEventAvailability", (tx, { path }) =>
  computeEventAvailability(tx, loadEvent(tx, path.eventId)),
);
