// A body as it is sent and as the log keeps it: text where it is short, bytes where it is long, since Node would first make room for
// three bytes a letter, and a long text is one more for the garbage collector to move.

/** Letters from which on a text is sent as bytes. */
const LONG = 4096;

export function jsonOf(body: unknown): string | Buffer {
  const text = JSON.stringify(body);
  return text.length > LONG ? Buffer.from(text) : text;
}
