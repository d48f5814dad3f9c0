// GET /v1/event-availabilities. Assumptions: event-availability-paths, event-availability-shape, event-window-format.
import { eventAvailability } from "../../domain/availability.ts";
import type { ScheduledEvent } from "../../domain/records.ts";
import { readWindow } from "../../domain/window.ts";
import { read } from "../operation.ts";
import { page } from "../paging.ts";
import { publicExperience } from "../tongue.ts";
import { earliestIn, eventsBehind } from "./list-events.ts";

export const listEventAvailabilities = read("listEventAvailabilities", (desk, { query }) => {
  const { id } = publicExperience(desk, query.experienceId);
  const window = readWindow(query.from, query.to, "query");
  return page(desk, {
    list: "listEventAvailabilities",
    cursor: query.cursor,
    limit: query.limit ?? 50,
    keyOf: (event: ScheduledEvent) => earliestIn(event, window)?.starts_at ?? "",
    behind: (past) => eventsBehind(desk, window, id, past),
    show: (event) => eventAvailability(desk, event),
  });
});
