// Plans a soak: when guests and hosts act, when failures are injected and when the program is restarted. The plan follows from the seed
// and the rows of spec/soak.yaml alone, so a part of it can be repeated by the numbers of its steps.
import rates from "../../contract/generated/soak.ts";

export interface BusinessRow {
  /** The average number per day. */
  per_day: number;
  does: string;
}
export interface WeatherRow extends BusinessRow {
  /** A fault of the control API. A list of two numbers means a random number between them. */
  fault: Readonly<Record<string, unknown>>;
}

export type Business = keyof typeof rates.business;
type Weather = keyof typeof rates.weather;
export const { business, weather } = rates;

type Row = Business | Weather | "restart" | "rotated-secret";

export interface Planning {
  seed: string;
  days: number;
  rate: number;
  restarts: number;
  /** Rows of spec/soak.yaml to omit, or "restart" and "rotated-secret". */
  without?: readonly Row[];
}

export interface Step {
  number: number;
  /** Milliseconds since the start of the soak. */
  at: number;
  row: Row;
  /** Counts the steps of a row from 1. Odd steps of "restart" stop the program, and even ones start it again. */
  nth: number;
}

/** The names that `--without` accepts. */
export const ROWS: readonly Row[] = [
  ...(Object.keys(business) as Business[]),
  ...(Object.keys(weather) as Weather[]),
  ...(["restart", "rotated-secret"] as const),
];

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** Guests and hosts act between these hours (UTC). Failures are injected at any time. */
const [OPENS, CLOSES] = [6, 21];

export const isWeather = (row: Row): row is Weather => row in weather;
export const isBusiness = (row: Row): row is Business => row in business;

/** Returns the steps sorted by time and numbered from 1. Each row has its own random stream, so omitting one changes no other. */
export function createPlan(planning: Planning): Step[] {
  const rows = Object.entries({ ...business, ...weather }) as [Business | Weather, BusinessRow][];
  // The secret is rotated before the program starts.
  const rotation = { at: 0, row: "rotated-secret" as const, nth: 1 };
  const all = [
    rotation,
    ...planRestarts(planning),
    ...rows.flatMap(([row, { per_day }]) => planRow(row, per_day, planning)),
  ];
  return all
    .filter(({ row }) => !planning.without?.includes(row))
    .sort((a, b) => a.at - b.at)
    .map((step, index) => ({ ...step, number: index + 1 }));
}

function planRow(row: Business | Weather, perDay: number, { seed, days, rate }: Planning): Omit<Step, "number">[] {
  const draw = createDraw(`${seed}/${row}`);
  const [from, to] = isWeather(row) ? [0, 24 * 60 - 1] : [OPENS * 60, CLOSES * 60];
  const wanted = perDay * rate;
  const found: Omit<Step, "number">[] = [];
  for (let day = 0; day < days; day++) {
    // A rate of 2.3 means three steps on 30 % of the days, and two on the others.
    const times = Math.floor(wanted) + (draw.share() < wanted % 1 ? 1 : 0);
    for (let time = 0; time < times; time++)
      found.push({ at: day * DAY + draw.between(from, to) * MINUTE, row, nth: found.length + 1 });
  }
  return found;
}

/** Stops the program for some hours, but never in the first or last tenth of the soak. */
function planRestarts({ seed, days, restarts }: Planning): Omit<Step, "number">[] {
  const draw = createDraw(`${seed}/restart`);
  const interval = (days * DAY * 0.8) / Math.max(1, restarts);
  return Array.from({ length: restarts }, (_, index) => {
    const at = Math.round(days * DAY * 0.1 + index * interval + draw.share() * interval * 0.7);
    const stoppedMs = Math.round(interval * 0.05 + draw.share() * Math.min(6 * HOUR, interval * 0.2));
    return [at, at + stoppedMs].map((time, end) => ({ at: time, row: "restart" as const, nth: 2 * index + end + 1 }));
  }).flat();
}

/** Returns how long the old secret stays valid: until a point between 20 % and 60 % of the soak. */
export const drawOverlap = ({ seed, days }: Planning): string =>
  `PT${Math.round(days * 24 * (0.2 + 0.4 * createDraw(`${seed}/secret`).share()))}H`;

export interface Draw {
  /** Returns a number of at least 0 and below 1. */
  share(): number;
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  one<T>(of: readonly [T, ...T[]]): T;
}

/** Equal names have equal streams. */
export function createDraw(name: string): Draw {
  // FNV-1a of the name seeds the generator.
  let state = 2166136261;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619);
  // Mulberry32, by Tommy Ettinger, in the public domain.
  const share = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (least: number, most: number) => least + Math.floor(share() * (most - least + 1));
  return { share, between, one: (of) => of[between(0, of.length - 1)] ?? of[0] };
}

/** Replaces each span of two numbers in a fault by a number that is drawn from it. */
export function drawNumbers(value: unknown, draw: Draw): unknown {
  const [least, most] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof least === "number" && typeof most === "number") return draw.between(least, most);
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, drawNumbers(member, draw)]));
}
