// Finds duplicate names: JSON.parse keeps the last of two fields with one name, so the first is lost without a message.

interface DuplicateMember {
  name: string;
  /** The path of the field in the document, such as `collections.bookings.0.status`. */
  path: string;
  /** The offset of the second name's quote in the text. */
  offset: number;
}

/** An object or a list that the scan is in, with its current field and the earlier names. */
interface Container {
  member: string | number;
  names: Set<string>;
}

/** Matches an escape, a quote with the colon after it, and the characters that begin, end and separate values. */
const TOKEN = /\\.|"(\s*:)?|[{}[\],]/gs;

/** Returns the first field whose object has an earlier field of the same name, at any depth. The text must be valid JSON. */
export function findDuplicateMember(text: string): DuplicateMember | undefined {
  const open: Container[] = [];
  /** The opening quote of the string around the token. */
  let start: number | undefined;
  for (const { 0: token, 1: colon, index } of text.matchAll(TOKEN)) {
    const container = open.at(-1);
    const isQuote = token.startsWith('"');
    if (start === undefined) {
      if (isQuote) start = index;
      else if (token === "{") open.push({ member: "", names: new Set() });
      else if (token === "[") open.push({ member: 0, names: new Set() });
      else if (token === "}" || token === "]") open.pop();
      else if (typeof container?.member === "number") container.member++;
    } else if (isQuote) {
      const [offset, quoted] = [start, text.slice(start, index + 1)];
      start = undefined;
      if (colon === undefined || !container) continue;
      // Two spellings of one name are equal only without their escapes.
      const name = quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
      container.member = name;
      if (container.names.has(name)) return { name, path: open.map(({ member }) => member).join("."), offset };
      container.names.add(name);
    }
  }
  return undefined;
}
