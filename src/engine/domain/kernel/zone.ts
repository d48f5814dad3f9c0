// What a zone's clocks differ from UTC by, remembered from one change of them to the next: asking Temporal anew for every instant
// costs more than all the rest of reading a time.
import { Temporal } from "temporal-polyfill";

/** In milliseconds: from its first instant up to, not including, its last the zone is `offset` ahead of UTC. */
interface Stretch {
  from: number;
  until: number;
  offset: number;
}

const MOST = 64;
const remembered = new Map<string, Stretch[]>();

/** The stretch in which an instant lies. Throws a RangeError when there is no such zone. */
export function getStretch(zone: string, millis: number): Stretch {
  const known = remembered.get(zone) ?? [];
  for (const stretch of known) if (stretch.from <= millis && millis < stretch.until) return stretch;
  const found = findStretch(zone, millis);
  remembered.set(zone, [found, ...known.slice(0, MOST - 1)]);
  return found;
}

type KnownZones = [zone: string, stretches: Stretch[]][];

/** For another process to recall; without those that reach to an end of time, which JSON can't say. */
export function listStretches(): KnownZones {
  return Array.from(remembered, ([zone, all]) => [
    zone,
    all.filter(({ from, until }) => Number.isFinite(from + until)),
  ]);
}

/** What another process with the same rules of zones has found. */
export function recall(known: KnownZones): void {
  for (const [zone, stretches] of known) remembered.set(zone, stretches);
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
 * The IANA name as it is spelled there, in whatever case it is given; undefined when there is none. An offset is no name.
 * Asks for no change of its clocks: looking back from 1970 for one takes 20 ms. Assumption: location-zone.
 */
export function findZone(zone: string): string | undefined {
  if (!/^[A-Za-z]/.test(zone)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone).timeZoneId;
  } catch {
    return undefined;
  }
}
