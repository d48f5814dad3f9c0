// POST /v1/experiences/{experienceId}/availabilities, a read. Heading "Availability (Preview…)"; assumptions: availability-shape,
// availability-window (from now, 30 days), availability-which, timeslots.

import { computeSittingAvailability, computeSlotAvailability } from "../../domain/event/availability.ts";
import { readWindow, type Window } from "../../domain/event/local-time-window.ts";
import { listFreeSlots } from "../../domain/event/timeslots.ts";
import { reject } from "../../domain/kernel/domain-error.ts";
import {
  after,
  countDays,
  type Instant,
  isLocal,
  parseDuration,
  readInstant,
  shiftLocal,
  toMillis,
} from "../../domain/kernel/instant.ts";
import { loadExperience } from "../../domain/kernel/lookups.ts";
import type { Experience } from "../../domain/kernel/records.ts";
import type { Transaction } from "../../domain/kernel/transaction.ts";
import { walkEvents } from "../events/list-events.ts";
import { type Ask, read } from "../operation.ts";
import { page } from "../paging.ts";

type AvailabilityQuery = NonNullable<Ask<"listAvailabilities">["body"]>;
type AvailabilityView = ReturnType<typeof computeSittingAvailability>;

interface Sitting {
  /** A unique id among sittings of one time: events of an experience may use the same session ids. */
  id: string;
  starts_at: Instant;
  show(): AvailabilityView;
}

export const listAvailabilities = read("listAvailabilities", (tx, { path, body }) => {
  const experience = loadExperience(tx, path.experienceId);
  const query: AvailabilityQuery = body ?? {};
  return page(tx, {
    list: "listAvailabilities",
    query,
    path: "body.cursor",
    keyOf: (sitting: Sitting) => sitting.starts_at,
    behind: (past) => {
      const passed = past ? `${past.key}\u0000${past.id}` : "";
      return getSittings(tx, experience, query).filter((sitting) => toPosition(sitting) > passed);
    },
    show: (sitting) => sitting.show(),
  });
});

const toPosition = (sitting: Sitting) => `${sitting.starts_at}\u0000${sitting.id}`;

/** Lists every sitting of an event and every free slot that the query selects, in order. */
function getSittings(tx: Transaction, experience: Experience, query: AvailabilityQuery): Sitting[] {
  const window = toWindow(tx, query);
  const { event_ids, location_ids, durations } = query.filter ?? {};
  // PT1H and PT60M are the same length.
  const lengths = durations && new Set(durations.map(parseDuration));
  const isWanted = (span: { location_id: string; starts_at: Instant; ends_at: Instant; timezone: string }) =>
    window.holds(span) &&
    (!location_ids || location_ids.includes(span.location_id)) &&
    (!lengths || lengths.has(toMillis(span.ends_at) - toMillis(span.starts_at)));

  const events = [...walkEvents(tx, window, experience.id, undefined)].filter(
    (event) =>
      event.state === "ACTIVE" && event.visibility === "PUBLIC" && (!event_ids || event_ids.includes(event.id)),
  );
  const sittings = events.flatMap((event) =>
    event.sessions.filter(isWanted).map((session) => ({
      id: `${session.id} ${event.id}`,
      starts_at: session.starts_at,
      show: () => computeSittingAvailability(tx, event, session, experience),
    })),
  );
  // A slot that has begun can't be booked.
  const earliest = window.earliest && window.earliest > tx.now ? window.earliest : tx.now;
  // A slot has no event yet, so a filter of events excludes all slots.
  const slots = event_ids ? [] : listFreeSlots(tx, experience, earliest, window.latest ?? after(earliest, "P30D"));
  const offered = slots
    .filter((slot) => isWanted(slot) && slot.starts_at > tx.now)
    .map((slot) => ({
      id: `${slot.location_id} ${slot.end_time}`,
      starts_at: slot.starts_at,
      show: () => computeSlotAvailability(tx, slot, experience),
    }));
  return [...sittings, ...offered].sort(compare);
}

/** Compares as `toPosition` would, without building a text for each of thousands of slots. */
function compare(a: Sitting, b: Sitting): number {
  if (a.starts_at !== b.starts_at) return a.starts_at < b.starts_at ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** Returns the window. Its default start is now, and its default length is thirty days. */
function toWindow(tx: Transaction, query: AvailabilityQuery): Window {
  const [from, to] = [query.from || undefined, query.to || undefined];
  const requested = readWindow(from, to ?? (from && addThirtyDays(from)), "body");
  if (from) return requested;
  const latest = to ? requested.latest : after(tx.now, "P30D");
  const isHeld: Window["holds"] = (session) =>
    requested.holds(session) && session.starts_at >= tx.now && (to !== undefined || session.starts_at < (latest ?? ""));
  return { earliest: tx.now, latest, holds: isHeld };
}

/** Years after 9999 have five digits and don't compare as text. */
const LAST_DAY = "9999-12-31";

function addThirtyDays(from: string): string | undefined {
  const start = isLocal(from) ? from : readInstant(from);
  if (start === undefined) return undefined;
  if (countDays(start, LAST_DAY) >= 30) return isLocal(start) ? shiftLocal(start, 30) : after(start, "P30D");
  const what = `${from} is less than thirty days before ${LAST_DAY}. Use an earlier time, or set \`to\`.`;
  return reject("INVALID_INPUT", { path: "body.from", what });
}
