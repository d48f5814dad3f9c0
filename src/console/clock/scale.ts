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

/** Steps of the handle from now to the end: those of a day are minutes, and no screen shows more. */
export const STEPS = 1440;

const stepOf = ({ until }: Scale, now: number) => (until - now) / STEPS;

/** How many steps there are behind now. */
export const stepsBehind = (scale: Scale, now: number): number =>
  Math.max(0, Math.floor((now - scale.from) / stepOf(scale, now)));

/** Now itself, or a whole minute: another for each step, since a step is a minute or more. */
export const instantAt = (steps: number, scale: Scale, now: number): number =>
  steps === 0 ? now : Math.floor((now + steps * stepOf(scale, now)) / MINUTE) * MINUTE;

/** The steps from now to an instant; those of `instantAt` come back. */
export const stepsTo = (at: number, scale: Scale, now: number): number => Math.ceil((at - now) / stepOf(scale, now));

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
