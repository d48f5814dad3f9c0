// The time scale of the scrubber: converts between instants, positions and steps.
export interface Scale {
  from: number;
  until: number;
}

export const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The selectable lengths of the future part of the scale in milliseconds. */
export const SPANS = { "1 day": DAY_MS, "1 week": 7 * DAY_MS, "1 month": 30 * DAY_MS, "1 year": 365 * DAY_MS } as const;

/** The past part covers the history, but at most a third of the future part, so that now stays visible. */
export function createScale(now: number, ahead: number, since: number): Scale {
  return { from: Math.max(Math.min(since, now), now - ahead / 3), until: now + ahead };
}

/** Returns the position of an instant on the scale, from 0 to 100. */
export const toPercent = (at: number, { from, until }: Scale): number =>
  Math.max(0, Math.min(100, ((at - from) / (until - from)) * 100));

/** The number of steps from now to the end. With a span of one day, each step is a minute. */
export const STEPS = 1440;

const getStepMs = ({ until }: Scale, now: number) => (until - now) / STEPS;

/** Returns the number of steps before now. */
export const countPastSteps = (scale: Scale, now: number): number =>
  Math.max(0, Math.floor((now - scale.from) / getStepMs(scale, now)));

/** Returns now for step 0, otherwise a whole minute. A step is at least a minute, so each gets its own. */
export const toInstant = (steps: number, scale: Scale, now: number): number =>
  steps === 0 ? now : Math.floor((now + steps * getStepMs(scale, now)) / MINUTE_MS) * MINUTE_MS;

/** Returns the steps from now to an instant; the inverse of `toInstant`. */
export const countSteps = (at: number, scale: Scale, now: number): number =>
  Math.ceil((at - now) / getStepMs(scale, now));

/** Parses an instant such as "2030-06-02 09:00" in UTC. Returns NaN for any other text. */
export function parseInstant(text: string): number {
  const iso = text.trim().replace(" ", "T") + (text.includes(":") ? "Z" : "");
  const ms = Date.parse(iso);
  // Date.parse reads 30 February as 2 March, and other forms than this in the zone of the browser.
  return ms && toIsoString(ms).startsWith(iso.slice(0, 10)) ? ms : Number.NaN;
}

export const toIsoString = (ms: number): string => new Date(ms).toISOString();
