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
    if (token.startsWith('"')) {
      const offset = start;
      start = offset === undefined ? index : undefined;
      if (offset === undefined || colon === undefined || !container) continue;
      // Two spellings of one name are equal only without their escapes.
      const name: string = JSON.parse(text.slice(offset, index + 1));
      container.member = name;
      if (container.names.has(name)) return { name, path: open.map(({ member }) => member).join("."), offset };
      container.names.add(name);
    } else if (start !== undefined) continue;
    else if (token === "{" || token === "[") open.push({ member: token === "{" ? "" : 0, names: new Set() });
    else if (token === "}" || token === "]") open.pop();
    else if (typeof container?.member === "number") container.member++;
  }
  return undefined;
}
