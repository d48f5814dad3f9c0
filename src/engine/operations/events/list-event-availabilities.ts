// GET /v1/event-availabilities. Assumptions: event-availability-paths, event-availability-shape, event-window-format.

import { computeEventAvailability } from "../../domain/event/availability.ts";
import { readWindow } from "../../domain/event/local-time-window.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import type { ScheduledEvent } from "../../domain/kernel/records.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { findEarliest, walkEvents } from "./list-events.ts";

export const listEventAvailabilities = read("listEventAvailabilities", (tx, { query }) => {
  const { id } = loadExperience(tx, query.experienceId);
  const window = readWindow(query.from, query.to, "query");
  return page(tx, {
    list: "listEventAvailabilities",
    query: { ...query, limit: query.limit ?? 50 },
    keyOf: (event: ScheduledEvent) => findEarliest(event, window)?.starts_at ?? "",
    behind: (past) => walkEvents(tx, window, id, past),
    show: (event) => computeEventAvailability(tx, event),
  });
});
