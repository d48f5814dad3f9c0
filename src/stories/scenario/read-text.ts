// Reads a scenario of many steps some steps at a time. The parser makes dozens of objects for each of them, and to clear the memory of all
// at once takes as long as to read them.
import { isDeeperThan } from "../../platform/depth.ts";
import { type Path, type Position, type Positioned, readPositioned } from "../../platform/positions.ts";

/** In characters: what is shorter is read as a whole, and how much is read at a time. */
const SIZES = { long: 100_000, piece: 4_000 };

interface ReadText extends Pick<Positioned, "errors" | "positionOf"> {
  /** Throws where aliases unfold to more than any scenario says, or nothing stands behind one. */
  value(): unknown;
}

/** What is not plain, or has an error anywhere, is read as a whole, and the error is reported with its position there. */
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
  // Directives, and several documents in one text.
  if (!head || /^(?:%|---|\.\.\.)/m.test(text)) return undefined;
  const start = head.index + head[0].length;
  const indent = head[1] ?? "";
  const end = endOf(text, start, indent);
  const around = readPositioned(text.slice(0, start) + text.slice(end));
  const value = toValidValue(around);
  // Without its steps the head must be a scenario of none, or the cut was wrong.
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
    // Whatever is odd is read as a whole, and reported with its position there.
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

/** The list goes on as long as lines are steps, or deeper than these. */
function endOf(text: string, start: number, { length }: string): number {
  const margin = new RegExp(`^(?! {${length}}-[ \\r\\n]) {0,${length}}[^ \\r\\n#]`, "gm");
  margin.lastIndex = start;
  return margin.exec(text)?.index ?? text.length;
}

/** Undefined where anything is wrong with it; an alias of what stands in another piece is, too. */
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

const DEEPEST = 64;
export const TOO_DEEP = `it is nested more than ${DEEPEST} levels deep, or holds itself`;

export const isTooDeep = (value: unknown): boolean => isDeeperThan(DEEPEST, value);

/** Before it is parsed, which takes recursion: brackets that are open at once, and lists in lists on one line. */
export function hasTooManyBrackets(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth++;
    else if ((char === "]" || char === "}") && depth > 0) depth--;
    if (depth > 4 * DEEPEST) return true;
  }
  return /(?:[-?] +){64}/.test(text);
}
