// Caches the UTC offsets of zones from one change of the clocks to the next, because Temporal is slow: without the cache, it
// takes most of the time of reading a date-time.
import { Temporal } from "temporal-polyfill";

/** The zone is `offset` milliseconds ahead of UTC from the first instant up to, not including, the last. */
interface Stretch {
  from: number;
  until: number;
  offset: number;
}

const MAX_STRETCHES = 64;
const remembered = new Map<string, Stretch[]>();

/** Returns the stretch that contains an instant. Throws a RangeError for an unknown zone. */
export function getStretch(zone: string, millis: number): Stretch {
  const known = remembered.get(zone) ?? [];
  for (const stretch of known) if (stretch.from <= millis && millis < stretch.until) return stretch;
  const found = findStretch(zone, millis);
  remembered.set(zone, [found, ...known.slice(0, MAX_STRETCHES - 1)]);
  return found;
}

function findStretch(zone: string, millis: number): Stretch {
  const there = Temporal.Instant.fromEpochMilliseconds(millis).toZonedDateTimeISO(zone);
  // "previous" means strictly before, and the clocks may change at this very instant.
  const before = there.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const after = there.getTimeZoneTransition("next");
  return {
    from: before?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    until: after?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: there.offsetNanoseconds / 1e6,
  };
}

/**
 * Returns the IANA name in its official spelling, in any case of letters. Returns undefined for an unknown zone or
 * an offset. Changes of clocks are not looked up, because a search back from 1970 takes 20 ms. Assumption:
 * location-zone.
 */
export function findZone(zone: string): string | undefined {
  if (!/^[A-Za-z]/.test(zone)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId;
  } catch {
    return undefined;
  }
}
