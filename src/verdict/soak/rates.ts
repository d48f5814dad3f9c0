// The rows of spec/soak.yaml, and random numbers for them. Each row draws from its own stream of the seed, so changing
// a row does not change the others.
import rates from "../../contract/generated/soak.json" with { type: "json" };

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
export type Weather = keyof typeof rates.weather;
export const { business, weather } = rates;

export interface Draw {
  /** Returns a number of at least 0 and below 1. */
  share(): number;
  /** Returns a whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  one<T>(of: readonly T[]): T | undefined;
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
  return { share, between, one: (of) => of[between(0, of.length - 1)] };
}

/** Replaces each span of two numbers in a fault by a number that is drawn from it. */
export function drawNumbers(value: unknown, draw: Draw): unknown {
  if (isSpan(value)) return draw.between(...value);
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, drawNumbers(member, draw)]));
}

const isSpan = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "number");
