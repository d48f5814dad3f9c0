// The rows of spec/soak.yaml, and what is drawn by them: everything follows from the seed, each row from a stream of its own, so that a
// row that is changed leaves the others as they are.
import rates from "../../contract/generated/soak.json" with { type: "json" };

export interface BusinessRow {
  /** How often, on an average day. */
  per_day: number;
  does: string;
}
export interface WeatherRow extends BusinessRow {
  /** A fault; two numbers stand for one of them or between them. */
  fault: Readonly<Record<string, unknown>>;
}

export type Business = keyof typeof rates.business;
export type Weather = keyof typeof rates.weather;
// The table is generated from spec/soak.yaml, and its rows are types.
export const { business, weather } = rates;

export interface Draw {
  /** From 0 on, below 1. */
  share(): number;
  /** A whole number, both ends among them. */
  between(least: number, most: number): number;
  one<T>(of: readonly T[]): T | undefined;
}

/** The same numbers for the same name. */
export function drawOf(name: string): Draw {
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

/** A fault of the weather with its numbers drawn. */
export function drawn(value: unknown, draw: Draw): unknown {
  if (isSpan(value)) return draw.between(...value);
  if (Array.isArray(value) || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, drawn(member, draw)]));
}

const isSpan = (value: unknown): value is [number, number] =>
  Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === "number");
