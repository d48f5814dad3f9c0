// The scale of the clock's scrubber: where an instant lies between its ends, and which instant lies where.
export interface Scale {
  from: number;
  until: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** How far ahead the scale goes. */
export const SPANS: readonly { name: string; ms: number }[] = [
  { name: "1 day", ms: DAY },
  { name: "1 week", ms: 7 * DAY },
  { name: "1 month", ms: 30 * DAY },
  { name: "1 year", ms: 365 * DAY },
];

/** Behind now there is as much room as the history has, but at most a third of what is ahead, so that now stays in sight. */
export function scaleOf(now: number, ahead: number, since: number): Scale {
  return { from: Math.max(Math.min(since, now), now - ahead / 3), until: now + ahead };
}

/** 0 to 100. */
export const positionOf = (at: number, { from, until }: Scale): number =>
  Math.max(0, Math.min(100, ((at - from) / (until - from)) * 100));

/** A whole minute after now; before now any, since several things may have happened in one. */
export function instantAt(share: number, { from, until }: Scale, now: number): number {
  const exact = from + (until - from) * share;
  if (Math.abs(exact - now) < (until - from) / 400) return now;
  return Math.round(exact / MINUTE) * MINUTE;
}

export const written = (ms: number): string => new Date(ms).toISOString();

/** An instant as somebody types it: with or without seconds and zone; UTC unless it says otherwise. */
export function readInstant(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(
    text.trim(),
  );
  if (!form) return undefined;
  const [, day, time = "00:00", zone = "Z"] = form;
  const local = Date.parse(`${day}T${time}Z`);
  // Date.parse takes the 30th of February for the 2nd of March, and 24:00 for the next day.
  if (Number.isNaN(local) || !written(local).startsWith(`${day}T${time.slice(0, 5)}`)) return undefined;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase() === "UTC" ? "Z" : zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}
