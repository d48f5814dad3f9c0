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

/** Matches a name or another string, and the characters that begin, end and separate values. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\],]/gs;

/** Returns the first field whose object has an earlier field of the same name, at any depth. The text must be valid JSON. */
export function findDuplicateMember(text: string): DuplicateMember | undefined {
  const open: Container[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [token, colon] = found;
    const container = open.at(-1);
    if (token === "{") open.push({ member: "", names: new Set() });
    else if (token === "[") open.push({ member: 0, names: new Set() });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && typeof container?.member === "number") container.member++;
    if (colon === undefined || !container) continue;
    const quoted = token.slice(0, -colon.length);
    // Two spellings of one name are equal only without their escapes.
    const name = quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1);
    container.member = name;
    if (container.names.has(name))
      return { name, path: open.map(({ member }) => member).join("."), offset: found.index };
    container.names.add(name);
  }
  return undefined;
}
