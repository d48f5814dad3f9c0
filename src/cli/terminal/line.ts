// Formats the cells of log lines. Times are on the world's clock, in UTC.
import { escapeText, type Style, type Terminal } from "./terminal.ts";

export { escapeText } from "./terminal.ts";

export type Look = Pick<Terminal, "paint">;
export type Cell = readonly [text: string, style?: Style];

/** `09:00:05Z`. */
export const formatTime = (instant: string): string => `${instant.slice(11, 19)}Z`;

/** `2030-06-01 09:00:00`. */
export const formatInstant = (instant: string): string => instant.slice(0, 19).replace("T", " ");

/** Formats an instant as a time, with its date if that differs from the date of `since`. */
export function formatLaterTime(instant: string, since = instant): string {
  const day = instant.slice(0, 10);
  return day === since.slice(0, 10) ? formatTime(instant) : `${day} ${formatTime(instant)}`;
}

export const dropFullStop = (sentence: string): string => sentence.replace(/\.$/, "");

/** Returns a function that returns a date line if an entry is the first of its day, because log lines show only a time. */
export function createDayBreaks({ paint }: Look): (entry: { at: string; world?: string }) => string[] {
  // Each world has its own clock, and so its own date.
  const days = new Map<string | undefined, string>();
  return ({ at, world }) => {
    const day = at.slice(0, 10);
    if (days.get(world) === day) return [];
    days.set(world, day);
    return [paint("dim", [`${escapeText(day)} (UTC)`, ...toWorldCells(world).map(([text]) => text)].join("  "))];
  };
}

export const toTimeCell = (at: string): Cell => [formatTime(at), "dim"];
export const toDurationCell = (ms: number): Cell => [`${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`.padStart(8)];
export const toWorldCells = (world: string | undefined): Cell[] =>
  world === undefined || world === "default" ? [] : [[`[${world}]`, "dim"]];

/** Escapes cells and joins those with a text to one line. */
export const joinCells = (cells: readonly Cell[], { paint }: Look): string =>
  cells
    .filter(([text]) => text !== "")
    .map(([text, style]) => (style ? paint(style, escapeText(text)) : escapeText(text)))
    .join("  ");

export function toStatusCell(status: number | null): Cell {
  if (status === null) return ["---", "red"];
  return [String(status), status < 300 ? "green" : status < 400 ? "cyan" : status < 500 ? "yellow" : "red"];
}

export const formatStatus = (status: number | null, paint: Terminal["paint"]): string =>
  joinCells([toStatusCell(status)], { paint });
