// Reads the messages of a client from stdin, one line of JSON-RPC each. The SDK's transport is not used, because it copies all bytes of
// an unfinished line with each chunk, ignores invalid lines, and stops reading after a long line.
import type { Readable } from "node:stream";
import { type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";

/** The limit of one line in bytes. The largest input of any tool is much smaller. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/** A line that is not a message, with the error response for the client. */
export interface InvalidLine {
  response: { jsonrpc: "2.0"; id: string | number | null; error: { code: number; message: string } };
}

type IncomingLine = { message: JSONRPCMessage } | InvalidLine;

/** Yields every line in order, including a last line without a line feed. Ends with the input, even if the input fails. */
export async function* readMessages(input: Readable): AsyncGenerator<IncomingLine> {
  for await (const line of readLines(input)) {
    // Some clients end a message with an empty line.
    if (line === undefined) yield toInvalidLine(PARSE_ERROR, `The line is longer than ${MAX_LINE_BYTES} bytes.`);
    else if (line.trim() !== "") yield parseLine(line);
  }
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

function parseLine(line: string): IncomingLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return toInvalidLine(
      PARSE_ERROR,
      `The line is not JSON: ${(error as Error).message}. Send one message in each line.`,
    );
  }
  const { success, data: message } = JSONRPCMessageSchema.safeParse(value);
  if (success) return { message };
  const { id } = (value ?? {}) as { id?: unknown };
  const isId = typeof id === "string" || typeof id === "number";
  return toInvalidLine(
    INVALID_REQUEST,
    'The line is not a JSON-RPC message. Send an object with "jsonrpc": "2.0", a method, and an id that is a text or an integer.',
    isId ? id : null,
  );
}

const toInvalidLine = (code: number, message: string, id: string | number | null = null): InvalidLine => ({
  response: { jsonrpc: "2.0", id, error: { code, message } },
});

/** Yields undefined for a line that exceeds the limit, whose text is dropped. */
async function* readLines(input: Readable): AsyncGenerator<string | undefined> {
  let pieces: Buffer[] = [];
  let size = 0;
  const endLine = () => {
    const line = size > MAX_LINE_BYTES ? undefined : Buffer.concat(pieces).toString();
    [pieces, size] = [[], 0];
    return line;
  };
  for await (const chunk of readUntilClosed(input)) {
    for (let start = 0; start <= chunk.length; ) {
      const end = chunk.indexOf("\n", start);
      const piece = chunk.subarray(start, end < 0 ? chunk.length : end);
      size += piece.length;
      if (size <= MAX_LINE_BYTES) pieces.push(piece);
      else pieces = [];
      if (end < 0) break;
      yield endLine();
      start = end + 1;
    }
  }
  yield endLine();
}

async function* readUntilClosed(input: Readable): AsyncGenerator<Buffer> {
  try {
    yield* input;
  } catch {
    // A killed client may close the pipe without ending it, which counts as the end of the input.
  }
}
