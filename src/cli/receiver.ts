// The receiver of `sandbox listen`: receives deliveries on a loopback port, verifies and forwards them, and responds with the status of
// the forwarded request, so that failed deliveries are retried like any other.
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
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

/** `type` is the content type. */
type ForwardedDelivery = SignedDelivery & { type: string };

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
  // A delivery may arrive before the response with the secret has been read.
  let resolveFirst: (secret: string) => void = () => undefined;
  let secret = new Promise<string>((resolve) => (resolveFirst = resolve));
  let earlier = new Set<string>();
  const turns = new EventEmitter().setMaxListeners(0);
  const client = makeClient(timeoutMs);
  /** Returns undefined for an unsigned delivery, which is never forwarded. */
  const accept = async (delivered: ForwardedDelivery) => {
    if (!isSigned(delivered, await secret)) return undefined;
    if (earlier.size > 0 && !earlier.has(delivered.id)) await once(turns, "live");
    const outcome = forwardTo === undefined ? null : await sendDelivery(client, forwardTo, delivered);
    if (earlier.delete(delivered.id) && earlier.size === 0) turns.emit("live");
    return { outcome };
  };
  const server = createServer((request, response) => {
    handleDelivery(request, response, accept).then(tell, () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    expect(known, ids = []) {
      earlier = new Set(ids);
      resolveFirst(known);
      secret = Promise.resolve(known);
    },
    close() {
      client.close();
      return close(server);
    },
  };
}

async function handleDelivery(
  request: IncomingMessage,
  response: ServerResponse,
  accept: (delivered: ForwardedDelivery) => Promise<{ outcome: ForwardOutcome | null } | undefined>,
): Promise<ReceivedDelivery> {
  const readHeader = (name: string) => String(request.headers[name] ?? "");
  // The signature covers the whole body.
  const body = await text(request);
  const id = readHeader("webhook-id");
  const accepted = await accept({
    type: readHeader("content-type"),
    id,
    timestamp: readHeader("webhook-timestamp"),
    signature: readHeader("webhook-signature"),
    body,
  });
  const { forwarded = null, retryAfter } = accepted?.outcome ?? {};
  // The response has the status of the forwarded request, or 502 without a response, so that the sandbox retries failures.
  const status = forwarded ? (forwarded.status ?? 502) : accepted ? 204 : 400;
  response.writeHead(status, retryAfter ? { "retry-after": retryAfter } : {}).end();
  const read = parseJson(body);
  const kind = (read as { type?: unknown } | null)?.type;
  return { id, kind: String(kind ?? "?"), body: read, verified: accepted !== undefined, forwarded };
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
