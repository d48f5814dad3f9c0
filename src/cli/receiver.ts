// The receiver of `sandbox listen`: receives deliveries on a loopback port, verifies and forwards them, and responds with the status of
// the forwarded request, so that failed deliveries are retried like any other.
import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { isSigned } from "../client/signed.ts";
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

/** The response to a delivery. */
interface DeliveryResponse {
  status: number;
  headers?: Record<string, string>;
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
  const receive = async (headers: Record<string, string>, body: string): Promise<DeliveryResponse> => {
    const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } = headers;
    const parsed = parseJson(body);
    const received = { id, kind: String((parsed as { type?: unknown } | null)?.type ?? "?"), body: parsed };
    // An unsigned delivery is never forwarded.
    if (!isSigned({ id, timestamp, signature, body }, await secret)) {
      tell({ ...received, verified: false, forwarded: null });
      return { status: 400 };
    }
    if (earlier.size > 0 && !earlier.has(id)) await once(turns, "live");
    const sent = forwardTo === undefined ? undefined : await forward(client, forwardTo, headers, body);
    if (earlier.delete(id) && earlier.size === 0) turns.emit("live");
    tell({ ...received, verified: true, forwarded: sent?.forwarded ?? null });
    return sent?.answer ?? { status: 204 };
  };
  const server = createServer((request, response) => {
    // The signature covers the whole body.
    text(request)
      .then((body) => receive(selectHeaders(request.headers), body))
      .then(({ status, headers }) => response.writeHead(status, headers).end())
      .catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    expect(known, ids = []) {
      earlier = new Set(ids);
      resolveFirst(known);
      secret = Promise.resolve(known);
    },
    async close() {
      client.close();
      const closed = once(server, "close");
      server.close();
      // An open keep-alive connection would keep the command running.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns the headers of the sandbox, which are forwarded. */
const selectHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    ["content-type", "webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(headers[name] ?? ""),
    ]),
  );

/** Forwards a delivery. The response is that of the receiver, or 502 without one, so that the sandbox retries failures. */
async function forward(
  client: HttpClient,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ forwarded: Forwarding; answer: DeliveryResponse }> {
  const start = performance.now();
  const { outcome, answer, error } = await client.send({ url, headers, body }).result;
  const response = outcome === "ANSWERED" ? answer : null;
  const retryAfter = response?.headers["retry-after"];
  return {
    forwarded: {
      url,
      status: response?.status ?? null,
      duration_ms: Math.round((performance.now() - start) * 10) / 10,
      ...(error === undefined ? {} : { error }),
    },
    answer: { status: response?.status ?? 502, ...(retryAfter ? { headers: { "retry-after": retryAfter } } : {}) },
  };
}
