// POST /v1/experiences/{experienceId}/availabilities, a read. Heading "Availability (Preview…)"; assumptions: availability-shape,
// availability-window (from now, 30 days), availability-which, timeslots.

import { sittingAvailability, slotAvailability } from "../../domain/event/availability.ts";
import { readWindow, type Window } from "../../domain/event/local-time-window.ts";
import { freeSlots } from "../../domain/event/timeslots.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import {
  after,
  daysBetween,
  durationMillis,
  type Instant,
  isLocal,
  readInstant,
  shiftLocal,
  toMillis,
} from "../../domain/kernel/instant.ts";
import { experienceById } from "../../domain/kernel/lookups.ts";
import type { Experience } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { eventsBehind } from "../events/list-events.ts";
import { type Ask, read } from "../operation.ts";
import { page } from "../paging.ts";

type AvailabilityQuery = NonNullable<Ask<"listAvailabilities">["body"]>;
type AvailabilityView = ReturnType<typeof sittingAvailability>;

interface Sitting {
  /** Of no other at that time: events of one experience may use the same session ids. */
  id: string;
  starts_at: Instant;
  show(): AvailabilityView;
}

export const listAvailabilities = read("listAvailabilities", (tx, { path, body }) => {
  const experience = experienceById(tx, path.experienceId);
  const query: AvailabilityQuery = body ?? {};
  return page(tx, {
    list: "listAvailabilities",
    cursor: query.cursor,
    path: "body.cursor",
    limit: query.limit ?? 100,
    keyOf: (sitting: Sitting) => sitting.starts_at,
    behind: (past) => {
      const passed = past ? `${past.key}\u0000${past.id}` : "";
      return sittingsOf(tx, experience, query).filter((sitting) => positionOf(sitting) > passed);
    },
    show: (sitting) => sitting.show(),
  });
});

const positionOf = (sitting: Sitting) => `${sitting.starts_at}\u0000${sitting.id}`;

/** Every sitting of an event, and every free slot, that the query wants, in order. */
function sittingsOf(tx: Transaction, experience: Experience, query: AvailabilityQuery): Sitting[] {
  const window = windowOf(tx, query);
  const { event_ids, location_ids, durations } = query.filter ?? {};
  // PT1H and PT60M are the same length.
  const lengths = durations && new Set(durations.map(durationMillis));
  const wanted = (span: { location_id: string; starts_at: Instant; ends_at: Instant; timezone: string }) =>
    window.holds(span) &&
    (!location_ids || location_ids.includes(span.location_id)) &&
    (!lengths || lengths.has(toMillis(span.ends_at) - toMillis(span.starts_at)));

  const events = [...eventsBehind(tx, window, experience.id, undefined)].filter(
    (event) =>
      event.state === "ACTIVE" && event.visibility === "PUBLIC" && (!event_ids || event_ids.includes(event.id)),
  );
  const sittings = events.flatMap((event) =>
    event.sessions.filter(wanted).map((session) => ({
      id: `${session.id} ${event.id}`,
      starts_at: session.starts_at,
      show: () => sittingAvailability(tx, event, session, experience),
    })),
  );
  // A slot that has begun can't be booked.
  const earliest = window.earliest && window.earliest > tx.now ? window.earliest : tx.now;
  // A slot is no event yet, so it can't be one of these.
  const slots = event_ids ? [] : freeSlots(tx, experience, earliest, window.latest ?? after(earliest, "P30D"));
  const offered = slots
    .filter((slot) => wanted(slot) && slot.starts_at > tx.now)
    .map((slot) => ({
      id: `${slot.location_id} ${slot.end_time}`,
      starts_at: slot.starts_at,
      show: () => slotAvailability(tx, slot, experience),
    }));
  return [...sittings, ...offered].sort(inOrder);
}

/** As `positionOf`, without making a text for each comparison: there may be thousands of slots. */
function inOrder(a: Sitting, b: Sitting): number {
  if (a.starts_at !== b.starts_at) return a.starts_at < b.starts_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Without a beginning it is from now on, and without an end for thirty days. */
function windowOf(tx: Transaction, query: AvailabilityQuery): Window {
  const [from, to] = [query.from || undefined, query.to || undefined];
  const requested = readWindow(from, to ?? (from && thirtyDaysAfter(from)), "body");
  if (from) return requested;
  const latest = to ? requested.latest : after(tx.now, "P30D");
  const holds: Window["holds"] = (session) =>
    requested.holds(session) && session.starts_at >= tx.now && (to !== undefined || session.starts_at < (latest ?? ""));
  return { earliest: tx.now, latest, holds };
}

/** Later years have five digits, and don't compare as text. */
const LAST_DAY = "9999-12-31";

function thirtyDaysAfter(from: string): string | undefined {
  const start = isLocal(from) ? from : readInstant(from);
  if (start === undefined) return undefined;
  if (daysBetween(start, LAST_DAY) >= 30) return isLocal(start) ? shiftLocal(start, 30) : after(start, "P30D");
  const what = `${from} leaves no thirty days up to ${LAST_DAY}. Ask from an earlier time, or give \`to\` as well.`;
  return reject("INVALID_INPUT", { path: "body.from", what });
}
