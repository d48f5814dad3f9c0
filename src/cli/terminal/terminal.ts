// Writes results to stdout and sentences about them to stderr, with colours on a terminal that supports them. All output is escaped:
// only the terminal's own colour codes reach the screen, and no other control character.

import { randomInt } from "node:crypto";
import { stripVTControlCharacters, styleText } from "node:util";
import stringWidth from "string-width";
import type { Environment } from "../options.ts";

export type Style = Parameters<typeof styleText>[0];

export type Terminal = ReturnType<typeof makeTerminal>;

type Stream = Pick<NodeJS.WriteStream, "write" | "isTTY" | "columns"> &
  Partial<Pick<NodeJS.WriteStream, "writableLength">>;

/** Colours depend on `environment` and on whether stdout is a terminal. */
export function makeTerminal(stdout: Stream, stderr: Stream, environment: Environment) {
  const colours = shouldUseColour(stdout, environment);
  const wrapLines = (text: string): string => (stdout.isTTY ? fitText(text, getScreenWidth(stdout)) : text);
  const write = (text: string): void => void stdout.write(escapeUnsafe(text));
  const writeStderr = (text: string): void => void stderr.write(escapeUnsafe(text));
  return {
    /** Writes lines of the result to stdout, wrapped to the width of a screen. */
    print: (text: string): void => write(`${wrapLines(text)}\n`),
    /** Wraps lines to the width of stdout. A program that reads stdout gets complete lines. */
    wrapLines,
    /** Writes a sentence about the result to stderr, wrapped to the width of a screen. */
    say: (text: string): void => writeStderr(`${stderr.isTTY ? fitText(text, getScreenWidth(stderr)) : text}\n`),
    /** Writes to stdout without a line break. */
    write,
    /** Writes to stderr without a line break. */
    writeStderr,
    /** Replaces the current line of stderr. An empty text clears it. */
    redraw: (text: string): void => void stderr.write(`\r${text === "" ? "\u001b[K" : escapeUnsafe(text)}`),
    json: (value: unknown): void => write(`${JSON.stringify(value)}\n`),
    colours,
    paint: (style: Style, text: string): string => (colours ? applyStyle(style, text) : text),
    /** The current width of stdout in columns; infinite where stdout is not a terminal. A window may be resized. */
    get width(): number {
      return stdout.isTTY ? getScreenWidth(stdout) : Number.POSITIVE_INFINITY;
    },
    /** Characters that stdout's reader has not read yet. */
    get unread(): number {
      return stdout.writableLength ?? 0;
    },
    /** The width of stderr in columns; 0 where stderr is not a terminal, so no progress line can be redrawn. */
    sayWidth: stderr.isTTY ? getScreenWidth(stderr) : 0,
  };
}

const getScreenWidth = ({ columns: wide }: Stream): number => Math.max(40, wide || 80);

/**
 * Random numbers that mark the terminal's own colour codes. Without them a colour code inside a response would reach
 * the screen.
 */
const OWN_CODES = Array.from({ length: 4 }, () => randomInt(1000, 10_000)).join(";");

function applyStyle(style: Style, text: string): string {
  const [on = "", off = ""] = styleText(style, "|", { validateStream: false }).split("|");
  const markCodes = (codes: string) => codes.replaceAll("m", `;${OWN_CODES}m`);
  return `${markCodes(on)}${text}${markCodes(off)}`;
}

/** The ranges of all control characters, including C1 and text direction. */
const CONTROL_RANGES = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";
const ANY_CONTROL = new RegExp(`[${CONTROL_RANGES}]`, "g");
/** Tabs and line breaks are allowed, because they move the cursor where a reader expects it. */
const UNSAFE_CONTROL = new RegExp(`\\u001b\\[(\\d+);${OWN_CODES}m|\\r?\\n|(?!\\t)[${CONTROL_RANGES}]`, "g");

const escapeCharacter = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Escapes all control characters, line breaks too. The escapes are those of JSON. */
export const escapeText = (text: string): string => text.replace(ANY_CONTROL, escapeCharacter);

const escapeUnsafe = (text: string): string =>
  text.replace(UNSAFE_CONTROL, (found, colour?: string) => {
    if (colour !== undefined) return `\u001b[${colour}m`;
    return found.endsWith("\n") ? found : escapeCharacter(found);
  });

/** NO_COLOR (no-color.org) wins over FORCE_COLOR, and both over the terminal. */
export function shouldUseColour({ isTTY }: Pick<Stream, "isTTY">, environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return Boolean(isTTY) && environment.TERM !== "dumb";
}

/** Exits when an output stream fails: without an error where its reader has gone (`| head`), otherwise (a full disk) with code 1. */
export function exitWhenOutputFails(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
  for (const stream of [stdout, stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // EIO means that the terminal was closed.
      if (error.code !== "EPIPE" && error.code !== "EIO") {
        if (stream === stdout) stderr.write(`The output can't be written: ${error.message}.\n`);
        // The exit code is 1 even if the command succeeds.
        process.once("exit", () => (process.exitCode ||= 1));
      }
      // Commands that serve or listen clean up first; the others exit immediately.
      if (!process.emit("SIGTERM", "SIGTERM")) process.exit();
    });
  }
}

/** Formats rows as a table. A column is as wide as its widest cell; the last cell of a row can be longer. */
export function formatColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.slice(0, -1).entries()) widths[at] = Math.max(widths[at] ?? 0, measureWidth(cell));
  const padCell = (cell: string, at: number) => cell + " ".repeat((widths[at] ?? 0) - measureWidth(cell));
  return rows.map((row) => [...row.slice(0, -1).map(padCell), ...row.slice(-1)].join("  ").trimEnd());
}

/** Returns the columns that a text takes on a screen. Colour codes take none, some characters take two. */
export function measureWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  return /^[\x20-\x7e]*$/.test(plain) ? plain.length : stringWidth(plain);
}

/** A space inside a command in backticks, which is kept on one line if it fits. */
const NO_BREAK = "\u00a0";

/** Wraps a text at spaces. Words are never cut, so that an address or a secret can be copied. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  const joined = text.replace(/`[^`]*`/g, (code) =>
    measureWidth(code) <= width ? code.replaceAll(" ", NO_BREAK) : code,
  );
  // JSON that is too long is split after commas, where a line break changes nothing.
  const words = joined
    .split(" ")
    .flatMap((word) => (measureWidth(word) > width ? word.split(/(?<=,)(?=["{[])/) : [word]));
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || measureWidth(line) + measureWidth(word) + 1 > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.map((line) => line.replaceAll(NO_BREAK, " "));
}

/** A line of a shell command to copy, which must not be wrapped. */
const COMMAND_LINE = /^ {2,}(?:sandbox |cd |\| )| \\$/;

const MAX_INDENT = 10;

/** Wraps each line of a text; continuation lines are indented by four more spaces. */
export function fitText(text: string, width: number): string {
  const lines = text.split("\n").flatMap((line) => {
    if (measureWidth(line) <= width || COMMAND_LINE.test(line)) return [line];
    const text = line.trimStart();
    // The later rows of a table begin with empty cells.
    const indent = " ".repeat(Math.min(line.length - text.length, MAX_INDENT));
    // A wide gap between columns has no purpose in a wrapped row.
    const [first = "", ...rest] = wrap(text.replace(/ {3,}/g, "  "), width - indent.length - 4);
    const below = rest.map((each) => each.trim()).filter((each) => each !== "");
    return [indent + first.trimEnd(), ...below.map((each) => `${indent}    ${each}`)];
  });
  return lines.join("\n");
}

/** Shortens a text to `width` columns, with an ellipsis at the end. */
export function cut(text: string, width: number): string {
  // Measuring is slow, and a character takes at most two columns.
  if (text.length * 2 <= width || measureWidth(text) <= width) return text;
  let [end, taken] = [0, 1];
  for (const char of text) {
    taken += measureWidth(char);
    if (taken > width && end > 0) break;
    end += char.length;
  }
  return `${text.slice(0, end)}…`;
}
