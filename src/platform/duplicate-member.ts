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

const [QUOTE, COMMA, COLON, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [34, 44, 58, 91, 92, 93, 123, 125];

/** Returns the first field whose object has an earlier field of the same name, at any depth. The text must be valid JSON. */
export function findDuplicateMember(text: string): DuplicateMember | undefined {
  const open: Container[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const container = open.at(-1);
    if (char === OPEN) open.push({ member: "", names: new Set() });
    else if (char === OPEN_LIST) open.push({ member: 0, names: new Set() });
    else if (char === CLOSE || char === CLOSE_LIST) open.pop();
    else if (char === COMMA && typeof container?.member === "number") container.member++;
    else if (char === QUOTE) {
      const offset = at;
      at = findQuote(text, at + 1);
      if (!isBeforeColon(text, at + 1)) continue;
      const name = parseName(text.slice(offset, at + 1));
      if (container) container.member = name;
      if (container?.names.has(name)) return { name, path: open.map(({ member }) => member).join("."), offset };
      container?.names.add(name);
    }
  }
  return undefined;
}

/** Returns the offset of the quote that ends a string. */
function findQuote(text: string, start: number): number {
  let at = start;
  for (let char = text.charCodeAt(at); char !== QUOTE && at < text.length; char = text.charCodeAt(at))
    at += char === BACKSLASH ? 2 : 1;
  return at;
}

function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  // Whitespace of valid JSON has codes up to that of the space.
  while (text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === COLON;
}

/** Two spellings of one name are equal only without their escapes. */
const parseName = (quoted: string): string => (quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1));
