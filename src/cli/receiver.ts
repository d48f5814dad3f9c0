// The receiver of `sandbox listen`: receives deliveries on a loopback port, verifies and forwards them, and responds with the status of
// the forwarded request, so that failed deliveries are retried like any other.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isSigned, type SignedDelivery } from "../client/signed.ts";
import { type HttpClient, makeClient } from "../engine/webhooks/index.ts";
import { parseJson } from "../platform/json.ts";

/** A received delivery. It may be invalid, because every program on this machine can send requests here. */
export interface ReceivedDelivery {
  id: string;
  kind: string;
  body: unknown;
  verified: boolean;
  forwarded: Forwarding | null;
}

interface Forwarding {
  url: string;
  /** Null without a response. `error` then says why. */
  status: number | null;
  duration_ms: number;
  error?: string;
}

interface ForwardOutcome {
  forwarded: Forwarding;
  retryAfter: string | undefined;
}

/** The parts of a delivery that are forwarded. */
interface ForwardedDelivery extends SignedDelivery {
  type: string;
}

interface Receiver {
  url: string;
  /**
   * Verifies later deliveries with this secret. Deliveries before the first call wait for it. Deliveries of other messages wait until the
   * `earlier` messages were received.
   */
  expect(secret: string, earlier?: readonly string[]): void;
  close(): Promise<void>;
}

/** Listens on a free loopback port, and forwards with a timeout of `timeoutMs`. Rejects if it can't listen. */
export async function startReceiver(
  forwardTo: string | undefined,
  tell: (received: ReceivedDelivery) => void,
  timeoutMs: number,
): Promise<Receiver> {
  let resolveFirst: (secret: string) => void = () => undefined;
  // A delivery may arrive before the response with the secret has been read.
  let secret = new Promise<string>((resolve) => (resolveFirst = resolve));
  const earlier = new EarlierDeliveries();
  const expect = (text: string, ids: readonly string[] = []) => {
    earlier.await(ids);
    resolveFirst(text);
    secret = Promise.resolve(text);
  };
  const client = makeClient(timeoutMs);
  const forward =
    forwardTo === undefined ? undefined : (delivered: ForwardedDelivery) => sendDelivery(client, forwardTo, delivered);
  const server = createServer((request, response) => {
    handleDelivery(request, response, { secret: () => secret, earlier, forward }).then(tell, () => response.destroy());
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const end = () => {
    client.close();
    return close(server);
  };
  return { url: `http://127.0.0.1:${port}/`, expect, close: end };
}

/** Holds back other deliveries until each of some messages was received once. */
class EarlierDeliveries {
  #missing = new Set<string>();
  #complete: Promise<void> = Promise.resolve();
  #resolve: () => void = () => undefined;

  await(ids: readonly string[]): void {
    this.#missing = new Set(ids);
    if (ids.length > 0) this.#complete = new Promise((resolve) => (this.#resolve = resolve));
  }

  async waitForTurn(id: string): Promise<void> {
    if (!this.#missing.has(id)) await this.#complete;
  }

  end(id: string): void {
    this.#missing.delete(id);
    if (this.#missing.size === 0) this.#resolve();
  }
}

interface DeliveryContext {
  secret(): Promise<string>;
  earlier: EarlierDeliveries;
  forward: ((delivered: ForwardedDelivery) => Promise<ForwardOutcome>) | undefined;
}

async function handleDelivery(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, earlier, forward }: DeliveryContext,
): Promise<ReceivedDelivery> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const readHeader = (name: string) => String(request.headers[name] ?? "");
  // The signature covers the whole body.
  const body = Buffer.concat(pieces).toString("utf8");
  const delivered = {
    type: readHeader("content-type"),
    id: readHeader("webhook-id"),
    timestamp: readHeader("webhook-timestamp"),
    signature: readHeader("webhook-signature"),
    body,
  };
  const verified = isSigned(delivered, await secret());
  if (verified) await earlier.waitForTurn(delivered.id);
  // An unsigned delivery is never forwarded.
  const passed = verified ? await forward?.(delivered) : undefined;
  if (verified) earlier.end(delivered.id);
  const headers = passed?.retryAfter ? { "retry-after": passed.retryAfter } : {};
  // The response has the status of the forwarded request, or 502 without a response, so that the sandbox retries failures.
  response.writeHead(passed ? (passed.forwarded.status ?? 502) : verified ? 204 : 400, headers).end();
  const read = parseJson(body);
  const kind = (read as { type?: unknown } | null)?.type;
  return { id: delivered.id, kind: String(kind ?? "?"), body: read, verified, forwarded: passed?.forwarded ?? null };
}

/** Forwards the delivery with the headers that the sandbox sent. */
async function sendDelivery(
  client: HttpClient,
  url: string,
  { id, timestamp, signature, body, type }: ForwardedDelivery,
): Promise<ForwardOutcome> {
  const start = performance.now();
  const headers = {
    "content-type": type,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signature,
  };
  const { outcome, answer, error } = await client.send({ url, headers, body }).result;
  const response = outcome === "ANSWERED" ? answer : null;
  const forwarded: Forwarding = {
    url,
    status: response?.status ?? null,
    duration_ms: Math.round((performance.now() - start) * 10) / 10,
    ...(error === undefined ? {} : { error }),
  };
  return { forwarded, retryAfter: response?.headers["retry-after"] };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // An open keep-alive connection would keep the command running.
    server.closeAllConnections();
  });
}
