// Instants, local times and durations. Instants are UTC text with milliseconds, so that they compare as text
// (assumption: timestamps). Local times follow RFC 5545 §3.3.5 (assumption: local-time), which is Temporal's "compatible".
import { Temporal } from "temporal-polyfill";
import { getStretch } from "./zone.ts";

/** `YYYY-MM-DDTHH:MM:SS.sssZ`; two of them compare with `<`. */
export type Instant = string;

const DAY = 86_400_000;

/** The years 0 to 9999 are the limits of time, because only these compare as text. */
export const LAST_INSTANT: Instant = "9999-12-31T23:59:59.999Z";
const [START, END] = [Date.parse("0000-01-01T00:00:00.000Z"), Date.parse(LAST_INSTANT)];

/** Formats an instant. A time outside the limits becomes the nearest limit. */
export function fromMillis(millis: number): Instant {
  if (millis !== last.millis) last = { millis, text: new Date(Math.min(Math.max(millis, START), END)).toISOString() };
  return last.text;
}

/** The last result is cached, because one request formats its own instant several times. */
let last: { millis: number; text: Instant } = { millis: 0, text: "1970-01-01T00:00:00.000Z" };

export function toMillis(instant: Instant): number {
  return Date.parse(instant);
}

/** Temporal accepts more: a space for T, an hour without minutes, the name of a zone. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Reads RFC 3339 with `Z` or an offset. Returns undefined for anything but an instant of the years 0 to 9999. */
export function readInstant(text: string): Instant | undefined {
  if (!RFC_3339.test(text)) return undefined;
  try {
    // RFC 3339 allows any number of digits in a fraction, but Temporal only nine.
    const millis = Temporal.Instant.from(text.replace(/(\.\d{9})\d+/, "$1")).epochMilliseconds;
    return millis >= START && millis <= END ? fromMillis(millis) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the text has a finer resolution than milliseconds. */
export const isFinerThanMillis = (text: string): boolean => /\.\d{3}\d*[1-9]/.test(text);

/** Returns the first millisecond that is not before the text from which the instant was read. */
export const roundUp = (instant: Instant, text: string): Instant =>
  isFinerThanMillis(text) ? fromMillis(toMillis(instant) + 1) : instant;

/** Every month has the days 1 to 28, so these need no look at the calendar. */
const EVERY_MONTH_HAS = /^\d{4}-(?:0[1-9]|1[012])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Whether a text is an instant in the form in which instants are stored and compared. */
export function isInstant(text: string): boolean {
  if (EVERY_MONTH_HAS.test(text)) return true;
  const millis = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(millis) && fromMillis(millis) === text;
}

/** Converts a local date-time of a zone: a skipped time moves forward by the gap, a repeated one is the first. */
export function fromLocal(local: string, zone: string): Instant {
  const wall = toWall(local);
  const { from, until, offset } = getStretch(zone, wall);
  const millis = wall - offset;
  // Far from any change of the zone's clocks, the offset is unambiguous.
  if (from + MAX_OFFSET_MS <= millis && millis < until - MAX_OFFSET_MS) return fromMillis(millis);
  return fromMillis(
    Temporal.PlainDateTime.from(local).toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds,
  );
}

/** No zone is further from UTC, or changes by more. */
const MAX_OFFSET_MS = 2 * DAY;

/** Converts an instant to `YYYY-MM-DDTHH:MM:SS` in that zone. */
export function toLocal(instant: Instant, zone: string): string {
  const millis = toMillis(instant);
  return formatWall(millis + getStretch(zone, millis).offset);
}

/** Reads a local date-time as if its zone were UTC, so that all its days are equal. */
function toWall(local: string): number {
  return Date.parse(`${local}Z`);
}

function formatWall(millis: number): string {
  return fromMillis(millis).slice(0, 19);
}

export function isLocal(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)) return false;
  const millis = toWall(text);
  // Date.parse reads 31 February as a day of March.
  return !Number.isNaN(millis) && fromMillis(millis).startsWith(text.slice(0, 16));
}

export function isDuration(text: string): boolean {
  return canRead(() => Temporal.Duration.from(text));
}

/** Adds a duration on the UTC calendar: P1D is 24 h, P1M is the same day of the next month or its last day. */
export function after(instant: Instant, duration: string): Instant {
  return fromMillis(addMillis(instant, duration));
}

/** A clock moves at most this far. */
export const MAX_MOVE = "P10Y";

/** Whether adding the duration exceeds the last instant. */
export function isBeyondTime(instant: Instant, duration: string): boolean {
  return addMillis(instant, duration) > END;
}

function addMillis(instant: Instant, duration: string): number {
  try {
    const fixed = toFixedMs(duration);
    if (fixed !== undefined) return toMillis(instant) + fixed;
    const moved = Temporal.Instant.from(instant).toZonedDateTimeISO("UTC").add(Temporal.Duration.from(duration));
    return moved.epochMilliseconds;
  } catch {
    // Temporal can't count this far.
    return Temporal.Duration.from(duration).sign * Number.POSITIVE_INFINITY;
  }
}

const known = new Map<string, number | undefined>();

/**
 * Returns the length of a duration without months and years, or undefined if the length depends on the start.
 * Results are cached, because few durations are in use.
 */
function toFixedMs(duration: string): number | undefined {
  if (known.has(duration)) return known.get(duration);
  const { years, months } = Temporal.Duration.from(duration);
  const millis = years === 0 && months === 0 ? parseDuration(duration) : undefined;
  if (known.size < 1000) known.set(duration, millis);
  return millis;
}

export function before(instant: Instant, duration: string): Instant {
  const fixed = toFixedMs(duration);
  if (fixed !== undefined) return fromMillis(toMillis(instant) - fixed);
  return after(instant, Temporal.Duration.from(duration).negated().toString());
}

/** Moves a local date-time (`YYYY-MM-DDTHH:MM…`) by whole days, keeping its time of day. */
export function shiftLocal(local: string, days: number): string {
  return formatWall(toWall(local) + days * DAY);
}

/** Adds a duration to a local date-time on its own calendar. */
export function addToLocal(local: string, duration: string): string {
  const fixed = toFixedMs(duration);
  if (fixed !== undefined) return formatWall(toWall(local) + fixed);
  return Temporal.PlainDateTime.from(local).add(Temporal.Duration.from(duration)).toString({ smallestUnit: "second" });
}

/** Counts whole days between the dates of two local date-times. */
export function countDays(from: string, to: string): number {
  return (Date.parse(to.slice(0, 10)) - Date.parse(from.slice(0, 10))) / DAY;
}

/** Returns the ISO weekday (1 = Monday) of a local date-time. */
export function getWeekday(local: string): number {
  return new Date(toWall(local)).getUTCDay() || 7;
}

/** Short durations are cached: many records share a few, and parsing one takes as long as reading half a record. */
const lengths = new Map<string, number>();
const [MAX_CACHED_LENGTHS, MAX_CACHED_CHARACTERS] = [1000, 20];

/**
 * Returns the duration in milliseconds; days are 24 h, and only weeks, days and times are meaningful here. Throws
 * for other texts.
 */
export function parseDuration(duration: string): number {
  const known = lengths.get(duration);
  if (known !== undefined) return known;
  const millis = Temporal.Duration.from(duration).total({
    unit: "millisecond",
    relativeTo: Temporal.PlainDateTime.from("2000-01-01T00:00"),
  });
  if (duration.length <= MAX_CACHED_CHARACTERS && lengths.size < MAX_CACHED_LENGTHS) lengths.set(duration, millis);
  return millis;
}

function canRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
