// Writing for people and for programs: data to stdout, words about it to stderr, colour only where it is seen and wanted. Whatever is
// written passes one door, behind which no control character moves a cursor, unless it is one of our own colours.

import { randomInt } from "node:crypto";
import { styleText } from "node:util";
import stringWidth from "string-width";
import type { Environment } from "../options.ts";

export type Style = Parameters<typeof styleText>[0];

/** The one way out: everything that is printed passes it. */
export interface Terminal {
  /** A line of the result. */
  print(text: string): void;
  /** A sentence about it, in lines that a screen holds. */
  say(text: string): void;
  /** The same two, without an end of the line. */
  write(text: string): void;
  complain(text: string): void;
  /** Over the line of stderr that is not ended yet; without a text the line is cleared. */
  redraw(text: string): void;
  /** A result that is too long for one text, as fast as the reader takes it. */
  pour(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  json(value: unknown): void;
  paint(style: Style, text: string): string;
  readonly colours: boolean;
  /** As it is now: a window may be resized. */
  readonly width: number;
  /** Characters printed that the reader has not taken yet. */
  readonly unread: number;
  /** The same of stderr; 0 where it is no screen, and nothing may move on it. */
  readonly sayWidth: number;
}

type Stream = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns"> &
  Partial<Pick<NodeJS.WriteStream, "once" | "writableLength">>;

/** Nothing is written yet. `environment` decides about colour. */
export function makeTerminal(stdout: Stream, stderr: Stream, environment: Environment): Terminal {
  const colours = wantsColour(stdout, environment);
  const print = (text: string) => void stdout.write(`${harmless(text)}\n`);
  return {
    print,
    say: (text) => void stderr.write(`${harmless(stderr.isTTY ? fitted(text, widthOfScreen(stderr)) : text)}\n`),
    write: (text) => void stdout.write(harmless(text)),
    complain: (text) => void stderr.write(harmless(text)),
    redraw: (text) => void stderr.write(`\r${text === "" ? "\u001b[K" : harmless(text)}`),
    async pour(pieces) {
      // A character may be cut between two pieces.
      const decoder = new TextDecoder();
      for await (const piece of pieces) {
        if (!stdout.write(harmless(decoder.decode(piece, { stream: true }))))
          await new Promise<void>((resolve) => stdout.once?.("drain", resolve));
      }
    },
    json: (value) => print(JSON.stringify(value)),
    colours,
    paint: (style, text) => (colours ? coloured(style, text) : text),
    get width() {
      // What is no screen has no width: programs get whole lines.
      return stdout.isTTY ? widthOfScreen(stdout) : Number.POSITIVE_INFINITY;
    },
    get unread() {
      return stdout.writableLength ?? 0;
    },
    sayWidth: stderr.isTTY ? widthOfScreen(stderr) : 0,
  };
}

const widthOfScreen = ({ columns: wide }: Stream): number => Math.max(40, wide || 80);

/**
 * Numbers that no text can know: a colour is ours when it has them. Text from a response could carry a colour code, and
 * would be let through without them.
 */
const OURS = Array.from({ length: 4 }, () => randomInt(1000, 10_000)).join(";");

function coloured(style: Style, text: string): string {
  const [on = "", off = ""] = styleText(style, "|", { validateStream: false }).split("|");
  const marked = (codes: string) => codes.replaceAll("m", `;${OURS}m`);
  return `${marked(on)}${text}${marked(off)}`;
}

/** Control characters, also those of C1 and of direction. */
const CONTROL = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const ANY_CONTROL = new RegExp(`[${CONTROL}]`, "g");
/** A tab and an end of a line move the cursor to where a reader expects it. */
const HARMFUL = new RegExp(`\\u001b\\[(\\d+);${OURS}m|\\r?\\n|(?!\\t)[${CONTROL}]`, "g");

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** In one line: an end of a line is escaped too. In JSON it is the same text. */
export const plain = (text: string): string => text.replace(ANY_CONTROL, escaped);

const harmless = (text: string): string =>
  text.replace(HARMFUL, (found, colour?: string) => {
    if (colour !== undefined) return `\u001b[${colour}m`;
    return found.endsWith("\n") ? found : escaped(found);
  });

/** NO_COLOR (no-color.org) wins over FORCE_COLOR, and both over the terminal. */
export function wantsColour({ isTTY }: Pick<Stream, "isTTY">, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return Boolean(isTTY) && environment.TERM !== "dumb";
}

/** A reader that has closed its end (`| head`) ends the command without an error. Anything else, as a full disk, is a failure. */
export function endWithItsOutput(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // EIO: the terminal is gone.
      if (error.code !== "EPIPE" && error.code !== "EIO") {
        if (stream === stdout) stderr.write(`The output can't be written: ${error.message}.\n`);
        // Whatever the command ends with.
        process.once("exit", () => (process.exitCode ||= 1));
      }
      // A command that serves or listens cleans up first; any other just ends.
      if (!process.emit("SIGTERM", "SIGTERM")) process.exit();
    });
  }
}

/** Columns are as wide as their widest cell; the last one of each row is free. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.slice(0, -1).entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  const padded = (cell: string, at: number) => cell + " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : padded(cell, at)))
      .join("  ")
      .trimEnd(),
  );
}

/** Narrower, the last cell would be a tower. */
const NARROWEST = 40;
/** So far in begins what stands below its row. */
const BELOW = 6;

/** The same on a screen of so many characters: what does not fit goes on below its beginning, or below the row where there is no room. A row of one cell stays one line. */
export function columnsWithin(rows: readonly (readonly string[])[], width: number): string[] {
  return rowsWithin(rows, width).flat();
}

/** The lines of each row. */
export function rowsWithin(rows: readonly (readonly string[])[], width: number): (readonly string[])[] {
  const lines = columns(rows);
  if (lines.every((line) => widthOf(line) <= width)) return lines.map((line) => [line]);
  const heads = columns(rows.map((row) => row.slice(0, -1)));
  const offset = Math.max(...heads.map(widthOf)) + 2;
  const isBeside = width - offset >= NARROWEST;
  return rows.map((row, at) => {
    if (row.length === 1) return row;
    const [cell = "", head = ""] = [row.at(-1), heads[at]];
    const beside = wrap(cell, width - offset);
    // What can't be broken, such as a secret, stands below where it has no room beside.
    if (!isBeside || beside.some((line) => widthOf(line) > width - offset))
      return [...fitted(head, width).split("\n"), ...wrap(cell, width - BELOW).map((line) => " ".repeat(BELOW) + line)];
    return beside.map(
      (line, nth) => (nth === 0 ? head + " ".repeat(offset - widthOf(head)) : " ".repeat(offset)) + line,
    );
  });
}

/** How wide a text is on a screen: colours take no room, and some characters take two columns. */
export function widthOf(text: string): number {
  return /^[\x20-\x7e]*$/.test(text) ? text.length : stringWidth(text);
}

/** A text in lines that a screen holds. What is to be copied stays whole: an address, a secret, and a command as far as a line holds it. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of wordsOf(text, width)) {
    const line = lines.at(-1);
    if (line === undefined || widthOf(line) + widthOf(word) + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Words, and commands in backticks as one each. JSON that is too long may be broken where that changes nothing. */
function wordsOf(text: string, width: number): string[] {
  const words: string[] = [];
  let isQuoted = false;
  for (const word of text.split(" ")) {
    const last = words.at(-1);
    if (isQuoted && last !== undefined && widthOf(last) + widthOf(word) + 1 <= width)
      words[words.length - 1] = `${last} ${word}`;
    else words.push(word);
    if (word.split("`").length % 2 === 0) isQuoted = !isQuoted;
  }
  return words.flatMap((word) => (widthOf(word) > width ? word.split(/(?<=,)(?=["{[])/) : [word]));
}

/** Lines for a screen: what has no room goes on below, further in. A word is never cut, so that an address can be copied. */
export function fitted(text: string, width: number): string {
  const lines = text.split("\n").flatMap((line) => {
    if (widthOf(line) <= width) return [line];
    const indent = /^ */.exec(line)?.[0] ?? "";
    const [first = "", ...rest] = wrap(line.slice(indent.length), width - indent.length - 4);
    const below = rest.map((each) => each.trim()).filter((each) => each !== "");
    return [indent + first.trimEnd(), ...below.map((each) => `${indent}    ${each}`)];
  });
  return lines.join("\n");
}

export function cut(text: string, width: number): string {
  // A character takes two columns at most, so short texts need no measuring.
  if (text.length * 2 <= width || widthOf(text) <= width) return text;
  let [end, taken] = [0, 1];
  for (const char of text) {
    taken += widthOf(char);
    if (taken > width && end > 0) break;
    end += char.length;
  }
  return `${text.slice(0, end)}…`;
}
