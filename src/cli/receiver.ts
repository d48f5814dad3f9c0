// The receiver of `listen`: it takes deliveries on a loopback port, checks and forwards them, and answers with the response of the
// other end, so that a delivery which failed there is retried like any other.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Delivered, isSigned } from "../client/signed.ts";
import { jsonOrText } from "../platform/json.ts";

/** A delivery as it was received, whatever it was: anybody on this machine may post here. */
export interface Received {
  id: string;
  kind: string;
  body: unknown;
  verified: boolean;
  forwarded: Forwarded | null;
}

interface Forwarded {
  url: string;
  /** Null without an answer; then `error` says why. */
  status: number | null;
  duration_ms: number;
  error?: string;
}

interface Receiver {
  url: string;
  /** From then on deliveries are checked against it; those that come before the first one wait. */
  expect(secret: string): void;
  close(): Promise<void>;
}

/** As long as the sandbox itself waits for a receiver. */
const PATIENCE_MS = 15_000;

/** On a free port of the loopback. Rejects where it can't listen. */
export async function receive(forwardTo: string | undefined, tell: (received: Received) => void): Promise<Receiver> {
  let resolveFirst: (secret: string) => void = () => undefined;
  // A delivery may come before the subscription's answer has been read.
  let secret = new Promise<string>((resolve) => (resolveFirst = resolve));
  const expect = (text: string) => {
    resolveFirst(text);
    secret = Promise.resolve(text);
  };
  const server = createServer((request, response) => {
    take(request, response, () => secret, forwardTo).then(tell, () => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, expect, close: () => close(server) };
}

async function take(
  request: IncomingMessage,
  response: ServerResponse,
  secret: () => Promise<string>,
  forwardTo: string | undefined,
): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const header = (name: string) => String(request.headers[name] ?? "");
  // The whole body before anything else: the signature covers it.
  const body = Buffer.concat(pieces).toString("utf8");
  const delivered = {
    id: header("webhook-id"),
    timestamp: header("webhook-timestamp"),
    signature: header("webhook-signature"),
    body,
  };
  const verified = isSigned(delivered, await secret());
  const passed =
    // What is not signed is never passed on.
    forwardTo !== undefined && verified ? await forward(forwardTo, delivered, header("content-type")) : undefined;
  const headers = passed?.retryAfter ? { "retry-after": passed.retryAfter } : {};
  // The status of the other end, so that the sandbox retries what failed there; 502 where there was none.
  response.writeHead(passed ? (passed.forwarded.status ?? 502) : verified ? 204 : 400, headers).end();
  const read = jsonOrText(body);
  const kind = (read as { type?: unknown } | null)?.type;
  return { id: delivered.id, kind: String(kind ?? "?"), body: read, verified, forwarded: passed?.forwarded ?? null };
}

async function forward(url: string, { id, timestamp, signature, body }: Delivered, type: string) {
  const start = performance.now();
  const took = () => Math.round((performance.now() - start) * 10) / 10;
  const headers = {
    "content-type": type,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  };
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(url, { method: "POST", body, headers, redirect: "manual", signal });
    await answer.arrayBuffer();
    const forwarded: Forwarded = { url, status: answer.status, duration_ms: took() };
    return { forwarded, retryAfter: answer.headers.get("retry-after") };
  } catch (error) {
    const { cause, name, message } = error as Error & { cause?: { code?: string; message?: string } };
    const reason =
      name === "TimeoutError" ? `no answer within ${PATIENCE_MS / 1000} s` : (cause?.code ?? cause?.message ?? message);
    return { forwarded: { url, status: null, duration_ms: took(), error: reason }, retryAfter: null };
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // A connection that is kept open would hold the command.
    server.closeAllConnections();
  });
}
