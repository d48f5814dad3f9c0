// The scale of the clock's scrubber: where an instant lies between its ends, and which instant lies where.
export interface Scale {
  from: number;
  until: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** How far ahead the scale goes. */
export const SPANS: readonly { name: string; ms: number }[] = [
  { name: "1 day", ms: DAY_MS },
  { name: "1 week", ms: 7 * DAY_MS },
  { name: "1 month", ms: 30 * DAY_MS },
  { name: "1 year", ms: 365 * DAY_MS },
];

/** Behind now there is as much room as the history has, but at most a third of what is ahead, so that now stays in sight. */
export function createScale(now: number, ahead: number, since: number): Scale {
  return { from: Math.max(Math.min(since, now), now - ahead / 3), until: now + ahead };
}

/** 0 to 100. */
export const toPercent = (at: number, { from, until }: Scale): number =>
  Math.max(0, Math.min(100, ((at - from) / (until - from)) * 100));

/** Steps of the handle from now to the end: those of a day are minutes, and no screen shows more. */
export const STEPS = 1440;

const getStepMs = ({ until }: Scale, now: number) => (until - now) / STEPS;

/** How many steps there are behind now. */
export const countPastSteps = (scale: Scale, now: number): number =>
  Math.max(0, Math.floor((now - scale.from) / getStepMs(scale, now)));

/** Now itself, or a whole minute: another for each step, since a step is a minute or more. */
export const toInstant = (steps: number, scale: Scale, now: number): number =>
  steps === 0 ? now : Math.floor((now + steps * getStepMs(scale, now)) / MINUTE_MS) * MINUTE_MS;

/** The steps from now to an instant; those of `toInstant` come back. */
export const countSteps = (at: number, scale: Scale, now: number): number =>
  Math.ceil((at - now) / getStepMs(scale, now));

export const toIsoString = (ms: number): string => new Date(ms).toISOString();

/** An instant as somebody types it: with or without seconds and zone; UTC unless it says otherwise. */
export function parseInstant(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(
    text.trim(),
  );
  if (!form) return undefined;
  const [, day, time = "00:00", zone = "Z"] = form;
  const local = Date.parse(`${day}T${time}Z`);
  // Date.parse takes the 30th of February for the 2nd of March, and 24:00 for the next day.
  if (Number.isNaN(local) || !toIsoString(local).startsWith(`${day}T${time.slice(0, 5)}`)) return undefined;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase() === "UTC" ? "Z" : zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}
