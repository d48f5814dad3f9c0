// Where a text and a value of JSON end, so that a long document is read without parsing it as a whole.

export const [QUOTE, COMMA, COLON] = [34, 44, 58];
const BACKSLASH = 92;

const isOpening = (byte: number | undefined): boolean => byte === 123 || byte === 91;
const isClosing = (byte: number | undefined): boolean => byte === 125 || byte === 93;
export const isBlank = (byte: number | undefined): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

export const TOO_DEEP = -1;

/** The offset after the quote that ends a text. */
export function textEnd(bytes: Buffer, start: number, to: number): number {
  let at = start + 1;
  while (at < to && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** The offset after a value, or where something stands that is none; TOO_DEEP where more than `deepest` levels are open. */
export function valueEnd(bytes: Buffer, start: number, to: number, deepest = Number.POSITIVE_INFINITY): number {
  let depth = 0;
  for (let at = start; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = textEnd(bytes, at, to) - 1;
    else if (isOpening(byte)) {
      depth += 1;
      if (depth > deepest) return TOO_DEEP;
    } else if (depth === 0 && (byte === COMMA || byte === COLON || isClosing(byte) || isBlank(byte))) return at;
    else if (isClosing(byte)) depth -= 1;
    if (depth === 0 && (byte === QUOTE || isClosing(byte))) return at + 1;
  }
  return to;
}
