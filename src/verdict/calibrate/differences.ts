// What answers have that the specification does not say. Names and values of a service are words; whatever looks otherwise is not
// repeated, since it may be a secret or a person's.
import type { SpecificationDifference } from "./specification.ts";
import type { Exchange } from "./traffic.ts";

export interface Unknown {
  operation: string;
  status: number;
  what: "member" | "value" | "missing" | "form" | "status";
  /** In the body; a star stands for each item. */
  place: string;
  value?: string;
  times: number;
  at: string;
}

/** Each difference once, with how often it was seen and where first. */
export function unknownsIn(
  exchanges: readonly Exchange[],
  differencesOf: (exchange: Exchange) => readonly SpecificationDifference[],
): Unknown[] {
  const found = new Map<string, Unknown>();
  for (const exchange of exchanges)
    for (const { path, what, value } of differencesOf(exchange)) {
      const { at, operation, status } = exchange;
      const optionalValue = value === undefined ? {} : { value: word(value) };
      const unknown = { operation: operation.id, status, what, place: pathOf(path), ...optionalValue };
      // What was redacted is the same for all, so many secrets of one member are one row.
      const key = JSON.stringify(unknown);
      const known = found.get(key);
      found.set(key, { ...unknown, times: (known?.times ?? 0) + 1, at: known?.at ?? at });
    }
  return [...found.values()];
}

const pathOf = (path: string): string =>
  path
    .split("/")
    .map((step) => (step === "" || step === "*" || step.startsWith("?") ? step : word(step)))
    .join("/");

/** A word of letters, without the digits and the length of a token. */
function word(text: string): string {
  const isWord = /^([a-z]+|[A-Z]+|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*)([_-]([a-z]+|[A-Z]+))*\d{0,3}$/.test(text);
  return isWord && text.length <= 40 ? text : "(not repeated)";
}
