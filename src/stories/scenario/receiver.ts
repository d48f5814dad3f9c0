// Runs a webhook receiver on this machine for scenarios about deliveries. It responds as the scenario says, stores the deliveries, and
// checks signatures if it knows the secret.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { isSigned } from "../../client/signed.ts";
import type { Json, JsonObject } from "../../platform/json.ts";

export interface Receiver {
  url: string;
  /** Sets the secret, and the response for all later deliveries or for the next `times` deliveries. */
  setResponse(orders: { answer?: number; times?: number; headers?: Record<string, string>; secret?: string }): void;
  received(): JsonObject[];
  close(): Promise<void>;
}

interface Behaviour {
  status: number;
  headers: Record<string, string>;
}

/** Listens on a free loopback port. The receiver does not keep the process alive. */
export async function startReceiver(): Promise<Receiver> {
  const got: JsonObject[] = [];
  let secret: string | undefined;
  let byDefault: Behaviour = { status: 200, headers: {} };
  // The responses to the next deliveries, each of which is used once.
  let next: Behaviour[] = [];
  const server = createServer((request, response) => {
    readDelivery(request).then(
      (message) => {
        got.push({ ...message, ...(secret ? { verified: isSigned(readSignedParts(message), secret) } : {}) });
        const { status, headers } = next.shift() ?? byDefault;
        response.writeHead(status, { "content-type": "text/plain", ...headers }).end();
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    setResponse({ answer: status, times, headers = {}, secret: known }) {
      if (known !== undefined) secret = known;
      if (status === undefined) return;
      next = Array.from({ length: times ?? 0 }, () => ({ status, headers }));
      if (times === undefined) byDefault = { status, headers };
    },
    received: () => [...got],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // The sandbox's connections stay open, so they must be closed here.
        server.closeAllConnections();
      }),
  };
}

interface Delivered extends JsonObject {
  headers: Record<string, string>;
  text: string;
  body: Json;
}

async function readDelivery(request: IncomingMessage): Promise<Delivered> {
  const text = (await buffer(request)).toString();
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { headers, text, body: JSON.parse(text) as Json };
}

const readSignedParts = ({ headers, text }: Delivered) => ({
  id: headers["webhook-id"] ?? "",
  timestamp: headers["webhook-timestamp"] ?? "",
  signature: headers["webhook-signature"] ?? "",
  body: text,
});
