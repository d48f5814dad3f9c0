// Writes a long response in pieces, with turns for other requests in between.

/** Characters of a piece, which takes about a millisecond. */
const PIECE = 32 * 1024;

/** Yields the JSON of an object. A generator is written as a list, whose items are created when they are written. */
export function* writeJsonPieces(members: Readonly<Record<string, unknown>>): Generator<string> {
  let text = "";
  let comma = "{";
  for (const [name, value] of Object.entries(members)) {
    text += `${comma}${JSON.stringify(name)}:`;
    comma = ",";
    if (!isGenerator(value)) {
      text += JSON.stringify(value);
      continue;
    }
    let separator = "[";
    for (const item of value) {
      text += separator + JSON.stringify(item);
      separator = ",";
      if (text.length < PIECE) continue;
      yield text;
      text = "";
    }
    text += separator === "[" ? "[]" : "]";
  }
  yield `${text}}`;
}

const isGenerator = (value: unknown): value is Generator<unknown> =>
  typeof value === "object" && value !== null && Symbol.iterator in value && !Array.isArray(value);
