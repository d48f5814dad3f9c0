// JSON.parse keeps the last of two members with one name, and nobody sees that the first one is lost.

interface DuplicateMember {
  name: string;
  /** Of the second one's quote in the text. */
  offset: number;
}

const [QUOTE, BACKSLASH, COLON, OPEN, CLOSE] = [34, 92, 58, 123, 125];

/** The first member of an object that has the name of one before it, at any depth. The text has to be valid JSON. */
export function findDuplicateMember(text: string): DuplicateMember | undefined {
  const openObjects: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === OPEN) openObjects.push(new Set());
    else if (char === CLOSE) openObjects.pop();
    else if (char === QUOTE) {
      const offset = at;
      at = findQuote(text, at + 1);
      if (!isBeforeColon(text, at + 1)) continue;
      const name = parseName(text.slice(offset, at + 1));
      const names = openObjects.at(-1);
      if (names?.has(name)) return { name, offset };
      names?.add(name);
    }
  }
  return undefined;
}

/** The offset of the quote that ends a string. */
function findQuote(text: string, start: number): number {
  let at = start;
  for (let char = text.charCodeAt(at); char !== QUOTE && at < text.length; char = text.charCodeAt(at))
    at += char === BACKSLASH ? 2 : 1;
  return at;
}

function isBeforeColon(text: string, start: number): boolean {
  let at = start;
  // In valid JSON only blanks have a code up to that of the space.
  while (text.charCodeAt(at) <= 32) at++;
  return text.charCodeAt(at) === COLON;
}

/** Two spellings of one name are equal only without their escapes. */
const parseName = (quoted: string): string => (quoted.includes("\\") ? JSON.parse(quoted) : quoted.slice(1, -1));
