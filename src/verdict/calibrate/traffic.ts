// The traffic that calibration reads: the pairs of the service's operations, the webhooks that a receiver of the same file got, and
// short questions that detectors ask of them.

import type words from "../../contract/generated/traffic-words.json";
import { valueAt } from "../../platform/member-paths.ts";
import type { Pair } from "./har.ts";
import type { SpecifiedOperation } from "./specification.ts";

export type Shape = Readonly<Record<string, unknown>>;

/** A pair of an operation of the service, with what stands in its path. */
export interface Exchange extends Pair {
  operation: SpecifiedOperation;
  params: Readonly<Record<string, string>>;
}

export interface Traffic {
  exchanges: readonly Exchange[];
  deliveries: readonly Pair[];
}

/** What one place of the traffic says: the values of an assumption that fit it; none where something else is seen. */
export interface Sighting {
  at: string;
  fits: readonly string[];
}

export type Detector = (traffic: Traffic) => Sighting[];

/** By the id of an assumption of which the register says what traffic tells it. */
export type Detectors = Readonly<Partial<Record<keyof typeof words.record, Detector>>>;

export const succeeded = ({ status }: Pair): boolean => status >= 200 && status < 300;

export const isRecord = (value: unknown): value is Shape =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const member = (value: unknown, ...path: string[]): unknown => valueAt(value, path);

export const list = (value: unknown): Shape[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const codeOf = ({ output }: Pair): string => String(member(output, "code") ?? member(output, "error") ?? "");

/**
 * Whether the message of a refusal names a field or parameter. As a whole word, so that `to` is not found in `total`.
 */
export const names = ({ output }: Pair, field: string): boolean => {
  const message = `${member(output, "message") ?? ""} ${member(output, "error_description") ?? ""}`;
  return new RegExp(`(^|[^A-Za-z0-9])${field.replace(/[^\w-]/g, ".")}($|[^A-Za-z0-9])`).test(message);
};

export const callsOf = ({ exchanges }: Traffic, ...ids: string[]): Exchange[] =>
  exchanges.filter(({ operation }) => ids.includes(operation.id));

export interface Observation {
  exchange: Exchange;
  record: Shape;
}

/** The records that successful answers of these operations show, in their order. */
export const observationsOf = (traffic: Traffic, ...ids: string[]): Observation[] =>
  callsOf(traffic, ...ids)
    .filter(succeeded)
    .flatMap((exchange) => {
      const items = member(exchange.output, "items");
      const records = Array.isArray(items) ? list(items) : list([exchange.output]);
      return records.map((record) => ({ exchange, record }));
    });

export const see = ({ at }: Pair, ...fits: string[]): Sighting => ({ at, fits });

/** Every value under a name, at any depth. */
export function valuesUnder(value: unknown, fits: (name: string) => boolean): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesUnder(each, fits));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    // Metadata is the integrator's own, and no word of the service.
    name === "metadata" ? [] : [...(fits(name) ? [each] : []), ...valuesUnder(each, fits)],
  );
}

/** The latest instant that an answer up to here has shown: the service's clock is not before it. */
export function clockAt(traffic: Traffic, exchange: Exchange): number {
  const known = clocks.get(traffic) ?? clocksOf(traffic);
  clocks.set(traffic, known);
  return known.get(exchange) ?? 0;
}

/** Of all answers at once: each would otherwise look at all before it. */
const clocks = new WeakMap<Traffic, ReadonlyMap<Exchange, number>>();

function clocksOf({ exchanges }: Traffic): ReadonlyMap<Exchange, number> {
  let latest = 0;
  return new Map(
    exchanges.map((exchange) => {
      for (const each of valuesUnder(exchange.output, (name) => name === "created_at" || name === "updated_at"))
        latest = Math.max(latest, Date.parse(String(each)) || 0);
      return [exchange, latest];
    }),
  );
}
