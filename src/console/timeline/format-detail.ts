// Formats durations and details in one line.
const UNITS: readonly [ms: number, unit: string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
  [1, "ms"],
];

/** Formats a duration with at most two units, such as "3 min" or "2 d 4 h". */
export function formatDuration(ms: number): string {
  const at = UNITS.findIndex(([size]) => Math.abs(ms) >= size);
  if (at < 0) return `${Math.round(ms)} ms`;
  const [size, unit] = UNITS[at] as [number, string];
  const [less, lesser] = UNITS[at + 1] ?? [0, ""];
  const whole = Math.trunc(ms / size);
  const rest = less > 1 ? Math.trunc(Math.abs(ms % size) / less) : 0;
  return rest > 0 ? `${whole} ${unit} ${rest} ${lesser}` : `${whole} ${unit}`;
}

/** Formats the fields of an object in one line, without empty ones. */
export const formatDetail = (detail: Readonly<Record<string, unknown>>): string =>
  Object.entries(detail)
    .map(([name, value]) => [name, [value].flat().map(formatDetailValue).join(", ")])
    .filter(([, words]) => words !== "")
    .map(([name, words]) => `${name} ${words}`)
    .join(" · ");

const formatDetailValue = (value: unknown): string =>
  typeof value === "object" && value !== null ? formatDetail(value as Record<string, unknown>) : String(value ?? "");
