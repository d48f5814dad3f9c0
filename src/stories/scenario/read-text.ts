// Reads a long scenario in pieces of some steps. The parser creates dozens of objects per step, and freeing all of them at once would take
// as long as reading them.
import { isDeeperThan } from "../../platform/depth.ts";
import { type Path, type Position, type Positioned, readPositioned } from "../../platform/positions.ts";

/** Sizes in characters: a text shorter than `long` is read completely, and a longer one in pieces of `piece`. */
const SIZES = { long: 100_000, piece: 4_000 };

interface ReadText extends Pick<Positioned, "errors" | "positionOf"> {
  /** Throws if aliases expand to too many values, or if an alias is undefined. */
  value(): unknown;
}

/** A text with unusual syntax or an error is read completely, so that positions of errors are correct. */
export function readText(text: string, { long, piece } = SIZES): ReadText {
  const inPieces = text.length < long ? undefined : readInPieces(text, piece);
  if (inPieces) return inPieces;
  const { document, errors, positionOf } = readPositioned(text);
  return { errors, positionOf, value: () => document.toJS() };
}

interface Piece {
  text: string;
  /** The index of its first step, and the line before it. */
  first: number;
  line: number;
}

function readInPieces(text: string, size: number): ReadText | undefined {
  const head = /^steps:[ \t]*(?:#.*)?\r?\n(?=( *)- )/m.exec(text);
  // Texts with directives or several documents are read completely.
  if (!head || /^(?:%|---|\.\.\.)/m.test(text)) return undefined;
  const start = head.index + head[0].length;
  const indent = head[1] ?? "";
  const end = findEnd(text, start, indent);
  const around = readPositioned(text.slice(0, start) + text.slice(end));
  const value = toValidValue(around);
  // The head without its steps must have `steps: null`; otherwise the text was cut incorrectly.
  if (value?.steps !== null) return undefined;
  const steps: unknown[] = [];
  const pieces: Piece[] = [];
  let line = countLines(text.slice(0, start));
  const before = line;
  for (let at = start; at < end; ) {
    // A piece ends before a step.
    const next = text.indexOf(`\n${indent}- `, at + size) + 1;
    const piece = { text: text.slice(at, next > 0 && next < end ? next : end), first: steps.length, line };
    const some = toValidValue(readPositioned(piece.text));
    // A piece that is no list needs the complete text for correct positions.
    if (!Array.isArray(some)) return undefined;
    for (const step of some) steps.push(step);
    pieces.push(piece);
    line += countLines(piece.text);
    at += piece.text.length;
  }
  const locateSurrounding = (path: Path): Position => {
    const position = around.positionOf(path);
    return position.line > before ? { ...position, line: position.line + line - before } : position;
  };
  const locate = (path: Path) => findPiecePosition(pieces, path) ?? locateSurrounding(path);
  return { errors: [], positionOf: locate, value: () => ({ ...value, steps }) };
}

/** The list ends before the first line that is neither a step nor deeper than one. */
function findEnd(text: string, start: number, { length }: string): number {
  const margin = new RegExp(`^(?! {${length}}-[ \\r\\n]) {0,${length}}[^ \\r\\n#]`, "gm");
  margin.lastIndex = start;
  return margin.exec(text)?.index ?? text.length;
}

/** Returns undefined if the text has an error, such as an alias that is defined in another piece. */
// biome-ignore lint/suspicious/noExplicitAny: of every shape
function toValidValue({ document, errors }: Positioned): any {
  try {
    return errors.length > 0 ? undefined : document.toJS();
  } catch {
    return undefined;
  }
}

function findPiecePosition(pieces: readonly Piece[], [list, index, ...path]: Path): Position | undefined {
  if (list !== "steps" || typeof index !== "number") return undefined;
  const piece = pieces.findLast(({ first }) => first <= index);
  if (!piece) return undefined;
  const { line, column } = readPositioned(piece.text).positionOf([index - piece.first, ...path]);
  return { line: line + piece.line, column };
}

const countLines = (text: string): number => text.split("\n").length - 1;

const MAX_DEPTH = 64;
export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep, or holds itself`;

export const isTooDeep = (value: unknown): boolean => isDeeperThan(MAX_DEPTH, value);

/** Checks the nesting of brackets and inline lists before parsing, because the parser is recursive. */
export function hasTooManyBrackets(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && depth > 0) depth--;
    if (depth > 4 * MAX_DEPTH) return true;
  }
  return /(?:[-?] +){64}/.test(text);
}
