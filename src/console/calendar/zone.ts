// Local times of a zone in a browser, by Intl alone: which instant a local time means, and where a day is not 24 hours long.

const formats = new Map<string, Intl.DateTimeFormat>();

/** "2030-06-01T09:00:00" of an instant (ms). */
export function localOf(at: number, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    // Swedish dates are written as ISO 8601 has them.
    format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    formats.set(zone, format);
  }
  return format.format(at).replace(" ", "T");
}

const offsetAt = (at: number, zone: string): number =>
  Date.parse(`${localOf(at, zone)}Z`) - Math.floor(at / 1000) * 1000;

/** The instant (ms) of a local time: the first of two, and as if the clocks had not been moved where they skip it. */
export function instantOf(local: string, zone: string): number {
  const asUtc = Date.parse(`${local}Z`);
  const [before, after] = [offsetAt(asUtc - 86_400_000, zone), offsetAt(asUtc + 86_400_000, zone)];
  const fits = [asUtc - before, asUtc - after].filter((at) => localOf(at, zone) === localOf(asUtc, "UTC"));
  return fits.length > 0 ? Math.min(...fits) : asUtc - before;
}

/** The date so many days after "2030-06-01". */
export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** The Monday of the week of a date. */
export function mondayOf(day: string): string {
  return dayAfter(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

/** Where the clocks are moved on a day: what they read before and after, and how long the day is. */
export interface ClockChange {
  hours: number;
  from: string;
  to: string;
}

export function clockChangeOn(day: string, zone: string): ClockChange | undefined {
  const [begin, end] = [instantOf(`${day}T00:00:00`, zone), instantOf(`${dayAfter(day, 1)}T00:00:00`, zone)];
  const hours = (end - begin) / 3_600_000;
  if (hours === 24) return undefined;
  let [low, high] = [begin, end];
  while (high - low > 60_000) {
    const middle = Math.floor((low + high) / 120_000) * 60_000;
    if (offsetAt(middle, zone) === offsetAt(begin, zone)) low = middle;
    else high = middle;
  }
  // The reading that the change replaces is one minute after the last one before it.
  const from = localOf(low, zone).slice(0, 11) + clockAfter(localOf(low, zone).slice(11, 16));
  return { hours, from: from.slice(11), to: localOf(high, zone).slice(11, 16) };
}

function clockAfter(clock: string): string {
  const minutes = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3)) + 1;
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
