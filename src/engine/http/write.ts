// The one place that writes an answer, or breaks its connection as a fault asks. Assumption: alpha-mark (every answer of the service
// has a maturity; a request without an operation is stable).
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { type Answer, type Exchange, header } from "./exchange.ts";
import { BREAK, HOP } from "./hop.ts";
import { TOKEN_PATH } from "./token-endpoint.ts";

/** RFC 6749 §5.1; here on every answer of the token endpoint. */
const NOT_STORED = { "cache-control": "no-store", pragma: "no-cache" };

/** Writes the answer; returns its body as the log keeps it. */
export function write(exchange: Exchange, response: ServerResponse): string | Buffer | undefined {
  const answer = exchange.answer as Answer;
  if (answer.stream) {
    // The client has gone.
    if (response.destroyed) return undefined;
    response.setHeader("sandbox-request-id", exchange.id);
    answer.stream(response);
    return undefined;
  }
  const body = encodeBody(answer);
  const headers: Record<string, string | number> = { "sandbox-request-id": exchange.id };
  // The maturity is a mark of the service.
  if (exchange.path.startsWith("/_sandbox")) headers["x-content-type-options"] = "nosniff";
  else headers["sandbox-maturity"] = exchange.route?.maturity ?? "stable";
  if (body !== undefined || answer.pieces) headers["content-type"] = "application/json; charset=utf-8";
  if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
  if (exchange.path === TOKEN_PATH) Object.assign(headers, NOT_STORED);
  if (isNegotiated(exchange)) headers.vary = [response.getHeader("vary") ?? [], "Accept-Language"].flat().join(", ");
  // Last: what an answer says of itself wins.
  Object.assign(headers, answer.headers);
  if (response.headersSent || response.destroyed) return undefined;
  response.writeHead(answer.status, headers);
  if (answer.pieces && exchange.method !== "HEAD") sendPieces(answer.pieces, response);
  else response.end(exchange.method === "HEAD" ? undefined : body);
  return Buffer.isBuffer(answer.body) ? undefined : body;
}

/** RFC 9110 section 12.5.5: every answer of such an operation depends on the header, errors too. Assumption: language. */
function isNegotiated({ route }: Exchange): boolean {
  return route?.operation.request?.headers?.some(({ name }) => name.toLowerCase() === "accept-language") ?? false;
}

/** A client that goes away ends it; a client that gets only a part sees that the connection broke. */
function sendPieces(pieces: Iterable<string>, response: ServerResponse): void {
  pipeline(Readable.from(streamPieces(pieces), { highWaterMark: 2 }), response).catch(() => undefined);
}

async function* streamPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (piece !== "") yield piece;
    await setImmediate();
  }
}

/** `truncate` announces one byte more than it could ever send, so that every client notices. */
export function breakConnection(
  exchange: Exchange,
  response: ServerResponse,
  how: "reset" | "empty" | "truncate",
): undefined {
  const { socket } = response;
  // Another node forwards the answer: it has to break the client's connection, not this one.
  if (how !== "truncate" && header(exchange, HOP) !== undefined) response.writeHead(502, { [BREAK]: how }).end();
  else if (how === "reset") socket?.resetAndDestroy();
  else if (how === "empty") socket?.destroy();
  else {
    const body = encodeBody(exchange.answer as Answer) ?? "";
    response.writeHead(exchange.answer?.status ?? 200, {
      "sandbox-request-id": exchange.id,
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body) + 1,
    });
    response.write(body.slice(0, Math.floor(body.length / 2)), () => socket?.destroy());
  }
  return undefined;
}

/** An answer's body as the log keeps it; undefined where it has none or it is no text. */
export function encodeSent(answer: Answer | undefined): string | Buffer | undefined {
  return answer && !Buffer.isBuffer(answer.body) ? encodeBody(answer) : undefined;
}

function encodeBody({ body }: Answer): string | Buffer | undefined {
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return body;
  return encodeJson(body);
}

/** A failure while an answer is written must not end the process: the connection is closed, and one line says why. */
export const reportWriteFailure = (response: ServerResponse, warn: (sentence: string) => void) => (cause: unknown) => {
  response.destroy();
  const reason = cause instanceof Error ? cause.message : String(cause);
  warn(`An answer could not be written (${reason}), so its connection was closed. Please report it.`);
};

// A body as it is sent and as the log keeps it: text where it is short, bytes where it is long, since Node would first make room for
// three bytes a letter, and a long text is one more for the garbage collector to move.

/** Letters from which on a text is sent as bytes. */
const LONG = 4096;

/** Of bodies that are frozen: they say that they stay as they are. */
const written = new WeakMap<object, Buffer>();

function encodeJson(body: unknown): string | Buffer {
  const known = written.get(body as object);
  if (known) return known;
  const text = JSON.stringify(body);
  if (text.length <= LONG) return text;
  const bytes = Buffer.from(text);
  if (typeof body === "object" && body && Object.isFrozen(body)) written.set(body, bytes);
  return bytes;
}
