// Converts the sessions of an event: local times to instants, and the end of booking that follows from them. Heading "Event
// session and Event"; assumptions: session-fields, local-time, ids.

import type { Schemas } from "../../../contract/schemas.ts";
import { getLanguages } from "../catalogue/language.ts";
import { getZone, mustNotBeRemoved } from "../catalogue/location.ts";
import { mustExist, reject } from "../kernel/domain-error.ts";
import {
  after,
  before,
  fromLocal,
  type Instant,
  isDuration,
  isLocal,
  LAST_INSTANT,
  readInstant,
  toLocal,
} from "../kernel/instant.ts";
import type { Experience, ScheduledEvent, Session } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { findZone } from "../kernel/zone.ts";

type SessionInput = Schemas["CreateEventInput"]["sessions"][number];

/** The event with its current sessions; a new event has none. */
type SessionOwner = Pick<ScheduledEvent, "id"> & Partial<Pick<ScheduledEvent, "sessions">>;

/** Returns the sessions in order of their start. Rejects with INVALID_INPUT at the index of the input. */
export function toSessions(
  tx: Transaction,
  event: SessionOwner,
  experience: Experience,
  inputs: readonly SessionInput[],
): Session[] {
  const named = new Set(inputs.map(({ id }) => id));
  const createId = (index: number): string => {
    // The id is derived from a number, so that the same input gives the same ids. Ids that another session keeps are
    // skipped.
    for (let number = index + 1; ; number += inputs.length) {
      const id = tx.idFor(`${event.id}-${number}`);
      if (!named.has(id)) return id;
    }
  };
  const sessions = inputs.map((input, index) =>
    toSession(tx, { event, experience, index, id: input.id ?? createId(index) }, input),
  );
  // Duplicates are checked before sorting, while the index is that of the input.
  sessions.forEach(({ id }, index) => {
    if (sessions.findIndex((session) => session.id === id) === index) return;
    reject("INVALID_INPUT", { path: `body.sessions.${index}.id`, what: `${id} names another session of the event.` });
  });
  if (tx.assumes("event-sessions") !== "overlap-allowed") mustFollow(sessions);
  return sessions.sort(compareStart);
}

const compareStart = (a: Session, b: Session) => (a.starts_at < b.starts_at ? -1 : a.starts_at > b.starts_at ? 1 : 0);

/**
 * Rejects overlapping sessions, because one event can't use a seat or a bike twice at a time. Assumption:
 * event-sessions.
 */
function mustFollow(sessions: readonly Session[]): void {
  const inOrder = sessions.map((session, index) => ({ ...session, index })).sort(compareStart);
  const problems = inOrder.flatMap(({ start_time, starts_at, index }, position) => {
    // Every earlier session is checked, because a long session may contain short ones.
    const before = inOrder.slice(0, position).find(({ ends_at }) => ends_at > starts_at);
    if (!before) return [];
    const what = `${start_time} is before ${before.end_time}, when session ${before.index} of the event ends.`;
    return [{ path: `body.sessions.${index}.start_time`, what }];
  });
  if (problems.length > 0) reject("INVALID_INPUT", problems);
}

/** A longer session is most likely a typing error. */
const MAX_LENGTH = "P1Y";

function toSession(
  tx: Transaction,
  { event, experience, index, id }: { event: SessionOwner; experience: Experience; index: number; id: string },
  input: SessionInput,
): Session {
  const path = `body.sessions.${index}`;
  const known = event.sessions?.find((session) => session.id === input.id);
  const location_id = pickLocation(input.location_id ?? known?.location_id, experience.location_ids, path);
  // A session may stay at a removed location, but not move there.
  if (location_id !== known?.location_id) mustNotBeRemoved(tx, location_id);
  const timezone = readZone(tx, location_id, input.timezone, path);
  const start_time = readTime(input.start_time, `${path}.start_time`);
  const end_time = readTime(input.end_time, `${path}.end_time`);
  // A time that the clocks skip means the instant after the gap (assumption: local-time).
  const starts_at = fromLocal(start_time, timezone);
  const ends_at = fromLocal(end_time, timezone);
  if (ends_at <= starts_at) {
    const meant = toLocal(starts_at, timezone);
    const skipped =
      meant <= start_time ? "" : `: the clocks of ${timezone} skip ${start_time} that night, so it means ${meant}`;
    const what = `${input.end_time} is not after ${input.start_time}${skipped}.`;
    reject("INVALID_INPUT", { path: `${path}.end_time`, what });
  }
  if (ends_at > after(starts_at, MAX_LENGTH)) {
    reject("INVALID_INPUT", { path: `${path}.end_time`, what: `a session lasts at most ${MAX_LENGTH}.` });
  }
  const languages = input.languages ?? known?.languages ?? [...getLanguages(tx)];
  return { id, start_time, end_time, timezone, location_id, languages, starts_at, ends_at };
}

/** Returns the requested location, or the experience's first. Rejects with INVALID_INPUT if there is none. */
export function pickLocation(requested: string | undefined, locations: readonly string[], path: string): string {
  const what = "the experience takes place at no location. Name one here, or give the experience `location_ids`.";
  return requested ?? locations[0] ?? reject("INVALID_INPUT", { path: `${path}.location_id`, what });
}

/** Reads a time to the second, as the specification writes it; fractions are cut off. */
function readTime(text: string, path: string): string {
  if (!isLocal(text))
    reject("INVALID_INPUT", { path, what: `${text} is not a local date-time (2030-06-01T09:00:00).` });
  return text.slice(0, 19).padEnd(19, ":00");
}

/** The location is the authority on the zone of its sessions. */
export function readZone(tx: Transaction, locationId: string, requested: string | undefined, path: string): string {
  const location = mustExist(tx.locations.get(locationId), "location", locationId);
  const zone = getZone(tx, location);
  // An alias of the same zone is accepted.
  if (requested === undefined || findZone(requested) === zone) return zone;
  const what = `${requested} is not the zone of ${locationId}, which is ${zone}. Leave it out.`;
  return reject("INVALID_INPUT", { path: `${path}.timezone`, what });
}

/**
 * Computes the end of booking: a duration before the first start, an instant, or (null) the first start. Only an
 * explicit choice is stored, so that the default follows later changes of the sessions. Assumption: booking-cutoff.
 */
export function toCutoff(
  sessions: readonly Pick<Session, "starts_at">[],
  requested: string | null | undefined,
): Pick<ScheduledEvent, "cutoff_at" | "booking_cutoff"> {
  const start = getStart(sessions);
  if (requested === undefined || requested === null) return { cutoff_at: start };
  const instant = isDuration(requested) ? before(start, requested) : readInstant(requested);
  if (instant) return { cutoff_at: instant, booking_cutoff: requested };
  const what = `${requested} is neither a duration (PT2H) nor an instant.`;
  return reject("INVALID_INPUT", { path: "body.booking_cutoff", what });
}

/** Returns the end of the last session. Instants compare as text, because all are in UTC and of one length. */
export function getEnd(sessions: readonly Session[]): Instant {
  return sessions.reduce((last, session) => (session.ends_at > last ? session.ends_at : last), "");
}

/** Returns the start of the first session. The list is never empty here. */
export function getStart(sessions: readonly Pick<Session, "starts_at">[]): Instant {
  return sessions.reduce((first, session) => (session.starts_at < first ? session.starts_at : first), LAST_INSTANT);
}
