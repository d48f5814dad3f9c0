// A body as it is sent and as the log keeps it: text where it is short, bytes where it is long, since Node would first make room for
// three bytes a letter, and a long text is one more for the garbage collector to move.

/** Letters from which on a text is sent as bytes. */
const LONG = 4096;

/** Of bodies that are frozen: they say that they stay as they are. */
const written = new WeakMap<object, Buffer>();

export function jsonOf(body: unknown): string | Buffer {
  const known = written.get(body as object);
  if (known) return known;
  const text = JSON.stringify(body);
  if (text.length <= LONG) return text;
  const bytes = Buffer.from(text);
  if (typeof body === "object" && body && Object.isFrozen(body)) written.set(body, bytes);
  return bytes;
}
