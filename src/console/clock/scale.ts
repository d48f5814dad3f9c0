// The time scale of the scrubber: converts between instants, positions and steps.
export interface Scale {
  from: number;
  until: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The selectable lengths of the future part of the scale. */
export const SPANS: readonly { name: string; ms: number }[] = [
  { name: "1 day", ms: DAY_MS },
  { name: "1 week", ms: 7 * DAY_MS },
  { name: "1 month", ms: 30 * DAY_MS },
  { name: "1 year", ms: 365 * DAY_MS },
];

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

export const toIsoString = (ms: number): string => new Date(ms).toISOString();

/** Parses a typed instant, with or without seconds and zone. The default zone is UTC. */
export function parseInstant(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?)?$/i.exec(
    text.trim(),
  );
  if (!form) return undefined;
  const [, day, time = "00:00", zone = "Z"] = form;
  const local = Date.parse(`${day}T${time}Z`);
  // Date.parse reads 30 February as 2 March, and 24:00 as the next day.
  if (Number.isNaN(local) || !toIsoString(local).startsWith(`${day}T${time.slice(0, 5)}`)) return undefined;
  const ms = Date.parse(`${day}T${time}${zone.toUpperCase() === "UTC" ? "Z" : zone}`);
  return Number.isNaN(ms) ? undefined : ms;
}
