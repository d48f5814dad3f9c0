// The receiver of `listen`: it takes deliveries on a loopback port, checks and forwards them, and answers with the response of the
// other end, so that a delivery which failed there is retried like any other.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Delivered, isSigned } from "./verify.ts";

export interface Received {
  id: string;
  kind: string;
  body: unknown;
  verified: boolean;
  forwarded: Forwarded | null;
}

interface Forwarded {
  url: string;
  /** Null when no answer came; then `error` says why. */
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

const PATIENCE_MS = 15_000;

export async function receive(forwardTo: string | undefined, tell: (received: Received) => void): Promise<Receiver> {
  let resolveFirst: (secret: string) => void = () => undefined;
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
  const body = Buffer.concat(pieces).toString("utf8");
  const delivered = {
    id: header("webhook-id"),
    timestamp: header("webhook-timestamp"),
    signature: header("webhook-signature"),
    body,
  };
  const verified = isSigned(delivered, await secret());
  const passed =
    forwardTo !== undefined && verified ? await forward(forwardTo, delivered, header("content-type")) : undefined;
  const headers = passed?.retryAfter ? { "retry-after": passed.retryAfter } : {};
  response.writeHead(passed ? (passed.forwarded.status ?? 502) : verified ? 204 : 400, headers).end();
  const read = parse(body);
  const kind = (read as { type?: unknown } | null)?.type;
  return { id: delivered.id, kind: String(kind ?? "?"), body: read, verified, forwarded: passed?.forwarded ?? null };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
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
    server.closeAllConnections();
  });
}
