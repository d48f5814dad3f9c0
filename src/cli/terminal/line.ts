// What the lines of the log have in common: cells in a row, cut to the width of the terminal. Times are those of the world's clock, in UTC.
import { cut, plain, type Style, type Terminal, widthOf } from "./terminal.ts";

export { plain } from "./terminal.ts";

export type Look = Pick<Terminal, "paint" | "width">;
/** Cells are joined by two spaces; the first one that does not fit is cut, and ends the line. */
export type Cell = readonly [text: string, style?: Style];

/** An instant's time of day in UTC, which the Z says. */
export function timeOf(instant: string): string {
  return `${instant.slice(11, 19)}Z`;
}

/** With its day only where that is another day than that of `since`. */
export function laterTime(instant: string, since = instant): string {
  const day = instant.slice(0, 10);
  return day === since.slice(0, 10) ? timeOf(instant) : `${day} ${timeOf(instant)}`;
}

/** Of a sentence that is followed by more. */
export const withoutStop = (sentence: string): string => (sentence.endsWith(".") ? sentence.slice(0, -1) : sentence);

/** For lines that have only a time: the day in front of the first line of another day of its world. */
export function dayBreaks({ paint }: Pick<Terminal, "paint">): (entry: { at: string; world?: string }) => string[] {
  // Each world has its own clock, and so its own day.
  const days = new Map<string | undefined, string>();
  return ({ at, world }) => {
    const day = plain(at.slice(0, 10));
    if (days.get(world) === day) return [];
    days.set(world, day);
    return [paint("dim", [`${day} (UTC)`, ...worldCell(world).map(([text]) => text)].join("  "))];
  };
}

export const timeCell = (at: string): Cell => [plain(timeOf(at)), "dim"];
export const tookCell = (ms: number): Cell => [`${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`.padStart(8)];
export const worldCell = (world: string | undefined): Cell[] =>
  world === undefined || world === "default" ? [] : [[`[${plain(world)}]`, "dim"]];

/** One line of the terminal, cut to its width, since a line that wraps breaks the columns of those below. */
export function joined(cells: readonly Cell[], { paint, width }: Look): string {
  const shortened: string[] = [];
  let left = width;
  for (const [text, style] of cells) {
    // A cell of one character says nothing.
    if (left < 2) break;
    const fitting = cut(text, left);
    shortened.push(style ? paint(style, fitting) : fitting);
    left -= widthOf(fitting) + 2;
  }
  return shortened.join("  ");
}

export function statusCell(status: number | null): Cell {
  if (status === null) return ["---", "red"];
  return [String(status), status < 300 ? "green" : status < 400 ? "cyan" : status < 500 ? "yellow" : "red"];
}

export function statusText(status: number | null, paint: Terminal["paint"]): string {
  const [text, style] = statusCell(status);
  return style ? paint(style, text) : text;
}
