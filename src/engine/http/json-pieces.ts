// An answer that may be long, as text in pieces: others have a turn between two of them, while its items are looked up and written.

/** Characters of a piece: about a millisecond of work. */
const PIECE = 32 * 1024;

/** The JSON of an object; a member that is a generator is a list, of which each item is made when it is written. */
export function* jsonPieces(members: Readonly<Record<string, unknown>>): Generator<string> {
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
