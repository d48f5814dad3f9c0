// How an explanation is laid out: titles, and pieces that flow over the lines of the screen.
import type { Look } from "./line.ts";
import { widthOf, wrap } from "./terminal.ts";

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 120;
/** Columns that an explanation may use. */
export const roomOf = ({ width }: Look): number => Math.min(width, WIDEST);

/** A title and its lines; a single line beside it, where that has room. */
export function section(title: string, lines: readonly string[], look: Look): string[] {
  const { paint } = look;
  const [only = "", ...others] = lines;
  if (lines.length === 0) return [];
  if (others.length === 0 && widthOf(bare(` ${title}: ${only}`)) <= roomOf(look))
    return [` ${paint("bold", `${title}:`)} ${only}`];
  return [` ${paint("bold", title)}`, ...lines.map((line) => `   ${line}`)];
}

/** Pieces one after the other, in lines that the screen holds; no piece is broken that fits into a line. */
export function flow(pieces: readonly string[], look: Look, between = "  "): string[] {
  const lines: string[] = [];
  const room = roomOf(look) - 4;
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && widthOf(bare(`${line}${between}${piece}`)) <= room)
      lines[lines.length - 1] = `${line}${between}${piece}`;
    else if (widthOf(bare(piece)) <= room) lines.push(piece);
    else lines.push(...wrap(piece, room - 2).map((part, at) => (at === 0 ? part : `  ${part}`)));
  }
  return lines;
}

/** Without the codes of colours, which take no room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const bare = (text: string): string => text.replace(/\u001b\[[\d;]*m/g, "");
