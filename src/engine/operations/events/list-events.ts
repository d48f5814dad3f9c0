// GET /v1/events. Heading "Events (Preview)": any session in the window counts, an event appears once, placed by its earliest
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
    cursor: query.cursor,
    limit: query.limit ?? 100,
    keyOf: (event) => findEarliest(event, window)?.starts_at ?? "",
    behind: (past) => walkEvents(tx, window, query.experience_id, past),
    show: showEvent,
  });
});

/** Sessions are in order of their start, so the first that fits is the earliest. */
export function findEarliest(event: ScheduledEvent, window: Window): Session | undefined {
  return event.sessions.find((session) => window.holds(session));
}

/** Events in order of their earliest session in the window. */
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
  // By event: the start at which the walk met it last.
  const walked = new Map<string, string>();
  for (const event of tx.events.walk(experience === undefined ? "start" : "experienceStart", bounds)) {
    // The walk meets an event at each of its starts, also at some that its own zone keeps out of the window.
    const before = walked.get(event.id) ?? "";
    const met = event.sessions.find(({ starts_at }) => {
      return starts_at > before && starts_at >= (window.earliest ?? "") && `${starts_at}\u0000${event.id}` > passed;
    });
    if (!met) continue;
    walked.set(event.id, met.starts_at);
    if (met.starts_at === findEarliest(event, window)?.starts_at) yield event;
  }
}
