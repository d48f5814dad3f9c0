// GET /v1/events. Heading "Events (Preview)": an event with any session in the window appears once, placed by its earliest
// session there. Assumptions: event-query, event-window-format.

import { readWindow, type Window } from "../../domain/event/local-time-window.ts";
import { joinKeys, toPrefixEnd } from "../../domain/kernel/index-keys.ts";
import type { ScheduledEvent, Session } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { showEvent } from "../../domain/views.ts";
import { read } from "../operation.ts";
import { type PagePosition, page } from "../paging.ts";

export const listEvents = read("listEvents", (tx, { query }) => {
  const window = readWindow(query.from, query.to, "query");
  return page(tx, {
    list: "listEvents",
    query,
    keyOf: (event) => findEarliest(event, window)?.starts_at ?? "",
    behind: (past) => walkEvents(tx, window, query.experience_id, past),
    show: showEvent,
  });
});

/** Finds the earliest session in the window; sessions are in order of their start. */
export function findEarliest(event: ScheduledEvent, window: Window): Session | undefined {
  return event.sessions.find((session) => window.holds(session));
}

/** Yields events in order of their earliest session in the window. */
export function* walkEvents(
  tx: Transaction,
  window: Window,
  experience: string | undefined,
  past: PagePosition | undefined,
): Generator<ScheduledEvent> {
  const toKey = (instant: string) => (experience === undefined ? instant : joinKeys(experience, instant));
  const bounds = {
    from: toKey(window.earliest ?? ""),
    until:
      window.latest === undefined
        ? experience === undefined
          ? "\uffff"
          : toPrefixEnd(experience)
        : toKey(window.latest),
    ...(past ? { past: { key: toKey(past.key), id: past.id } } : {}),
  };
  const passed = past ? `${past.key}\u0000${past.id}` : "";
  // The map holds the latest start of each event that the walk has passed.
  const walked = new Map<string, string>();
  for (const event of tx.events.walk(experience === undefined ? "start" : "experienceStart", bounds)) {
    // The walk passes an event at each of its starts, also at starts that its own zone excludes from the window.
    const before = walked.get(event.id) ?? "";
    const met = event.sessions.find(({ starts_at }) => {
      return starts_at > before && starts_at >= (window.earliest ?? "") && `${starts_at}\u0000${event.id}` > passed;
    });
    if (!met) continue;
    walked.set(event.id, met.starts_at);
    if (met.starts_at === findEarliest(event, window)?.starts_at) yield event;
  }
}
