// Writes responses, or breaks the connection for a fault. Assumption: alpha-mark (every response of the service has a
// maturity; requests without an operation are stable).
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { type Answer, BREAK, type Exchange, HOP, readHeader, TOKEN_PATH } from "./exchange.ts";

/** Writes the response. Returns its body for the log. */
export function write(exchange: Exchange, response: ServerResponse): string | Buffer | undefined {
  const answer = exchange.answer as Answer;
  if (answer.stream) {
    if (response.destroyed) return undefined;
    response.setHeader("sandbox-request-id", exchange.id);
    answer.stream(response);
    return undefined;
  }
  const body = encodeBody(answer);
  const headers: Record<string, string | number> = { "sandbox-request-id": exchange.id };
  // Only responses of the service have a maturity.
  if (exchange.path.startsWith("/_sandbox")) headers["x-content-type-options"] = "nosniff";
  else headers["sandbox-maturity"] = exchange.route?.maturity ?? "stable";
  if (body !== undefined || answer.pieces) headers["content-type"] = "application/json; charset=utf-8";
  if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
  // RFC 6749 §5.1 requires these headers for tokens. Every response of the token endpoint has them.
  if (exchange.path === TOKEN_PATH) Object.assign(headers, { "cache-control": "no-store", pragma: "no-cache" });
  if (isNegotiated(exchange)) headers.vary = [response.getHeader("vary") ?? [], "Accept-Language"].flat().join(", ");
  // Headers of the response take precedence over these defaults.
  Object.assign(headers, answer.headers);
  if (response.headersSent || response.destroyed) return undefined;
  response.writeHead(answer.status, headers);
  if (answer.pieces && exchange.method !== "HEAD") sendPieces(answer.pieces, response);
  else response.end(exchange.method === "HEAD" ? undefined : body);
  return Buffer.isBuffer(answer.body) ? undefined : body;
}

/** Whether the response depends on Accept-Language (RFC 9110 section 12.5.5), which includes errors. Assumption: language. */
function isNegotiated({ route }: Exchange): boolean {
  return route?.operation.request?.headers?.some(({ name }) => name.toLowerCase() === "accept-language") ?? false;
}

/**
 * Sends pieces until the end or until the client disconnects. If a piece fails, the connection is broken, so that the
 * client notices.
 */
function sendPieces(pieces: Iterable<string>, response: ServerResponse): void {
  pipeline(Readable.from(streamPieces(pieces), { highWaterMark: 2 }), response).catch(() => undefined);
}

async function* streamPieces(pieces: Iterable<string>): AsyncGenerator<string> {
  for (const piece of pieces) {
    if (piece !== "") yield piece;
    await setImmediate();
  }
}

/** Breaks the connection. `truncate` announces one byte more than there is, so that every client notices. */
export function breakConnection(
  exchange: Exchange,
  response: ServerResponse,
  how: "reset" | "empty" | "truncate",
): undefined {
  const { socket } = response;
  // The node that forwards the response has to break the client's connection.
  if (how !== "truncate" && readHeader(exchange, HOP) !== undefined) response.writeHead(502, { [BREAK]: how }).end();
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

/** Returns the body of a response for the log; undefined for bytes and without a body. */
export function encodeSent(answer: Answer | undefined): string | Buffer | undefined {
  return answer && !Buffer.isBuffer(answer.body) ? encodeBody(answer) : undefined;
}

function encodeBody({ body }: Answer): string | Buffer | undefined {
  if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) return body;
  return encodeJson(body);
}

/**
 * Handles errors while a response is written, which must not end the process: closes the connection and warns with the
 * reason.
 */
export const reportWriteFailure = (response: ServerResponse, warn: (sentence: string) => void) => (cause: unknown) => {
  response.destroy();
  const reason = cause instanceof Error ? cause.message : String(cause);
  warn(`A response could not be written (${reason}), so its connection was closed. Please report it.`);
};

/**
 * Characters. Longer texts are sent as bytes, because Node would allocate three bytes per character, and to spare the
 * garbage collector.
 */
const LONG_TEXT_LENGTH = 4096;

/** The bytes of a frozen body, which can't change: a repeated page of a list is three times as fast. */
const written = new WeakMap<object, Buffer>();

function encodeJson(body: unknown): string | Buffer {
  const known = written.get(body as object);
  if (known) return known;
  const text = JSON.stringify(body);
  if (text.length <= LONG_TEXT_LENGTH) return text;
  const bytes = Buffer.from(text);
  if (typeof body === "object" && body && Object.isFrozen(body)) written.set(body, bytes);
  return bytes;
}
