// Reads some members of a record from its text without parsing the rest: building an index over a hundred thousand records needs two or
// three short members of each. Only text as JSON.stringify writes it is understood.
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const BACKSLASH = 92;

const isOpening = (byte: number | undefined): boolean => byte === 123 || byte === 91;
const isClosing = (byte: number | undefined): boolean => byte === 125 || byte === 93;

/** The members with these names that the record has; undefined when JSON.stringify did not write the text. */
export function membersIn(bytes: Buffer, from: number, to: number, names: readonly string[]): object | undefined {
  const found: Record<string, unknown> = {};
  let missing = names.length;
  for (let at = from + 1; at < to - 1 && missing > 0; ) {
    if (bytes[at] !== QUOTE) return undefined;
    const colon = textEnd(bytes, at, to);
    if (bytes[colon] !== COLON) return undefined;
    const end = valueEnd(bytes, colon + 1, to);
    const name = nameAt(bytes, at + 1, colon - 1, names);
    if (name !== undefined) {
      found[name] = JSON.parse(bytes.toString("utf8", colon + 1, end));
      missing -= 1;
    }
    at = end + 1;
  }
  return found;
}

function nameAt(bytes: Buffer, from: number, to: number, names: readonly string[]): string | undefined {
  for (const name of names) {
    if (name.length !== to - from) continue;
    let same = 0;
    while (same < name.length && bytes[from + same] === name.charCodeAt(same)) same += 1;
    if (same === name.length) return name;
  }
  return undefined;
}

/** The offset after the quote that ends a text. */
function textEnd(bytes: Buffer, start: number, to: number): number {
  let at = start + 1;
  while (at < to && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

/** The offset of the comma or brace after a value. */
function valueEnd(bytes: Buffer, start: number, to: number): number {
  let depth = 0;
  for (let at = start; at < to; ) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = textEnd(bytes, at, to);
      continue;
    }
    if (depth === 0 && (byte === COMMA || isClosing(byte))) return at;
    if (isOpening(byte)) depth += 1;
    else if (isClosing(byte)) depth -= 1;
    at += 1;
  }
  return to;
}
