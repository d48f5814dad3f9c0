// Reads some members of a record from its text without parsing the rest: building an index over a hundred thousand records needs two or
// three short members of each. Only text as JSON.stringify writes it is understood.
import { COLON, QUOTE, textEnd, valueEnd } from "../../../platform/json-text.ts";

/** The members with these names that the record has; undefined when JSON.stringify did not write the text. */
export function membersIn(bytes: Buffer, from: number, to: number, names: readonly string[]): object | undefined {
  const found: Record<string, unknown> = {};
  let missing = names.length;
  // Ends early when all are found.
  for (let at = from + 1; at < to - 1 && missing > 0; ) {
    if (bytes[at] !== QUOTE) return undefined;
    const colon = textEnd(bytes, at, to);
    if (bytes[colon] !== COLON) return undefined;
    const end = valueEnd(bytes, colon + 1, to);
    // Byte by byte: to make a text of every name would cost more than the parsing that is saved.
    const name = nameAt(bytes, at + 1, colon - 1, names);
    if (name !== undefined) {
      found[name] = JSON.parse(bytes.toString("utf8", colon + 1, end));
      missing -= 1;
    }
    at = end + 1;
  }
  return found;
}

/** Names are plain ASCII, so bytes and characters are the same. */
function nameAt(bytes: Buffer, from: number, to: number, names: readonly string[]): string | undefined {
  for (const name of names) {
    if (name.length !== to - from) continue;
    let same = 0;
    while (same < name.length && bytes[from + same] === name.charCodeAt(same)) same += 1;
    if (same === name.length) return name;
  }
  return undefined;
}
