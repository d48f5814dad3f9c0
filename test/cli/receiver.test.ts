// The receiver of `listen` forwards deliveries with the webhook client of the sandbox, and reports failures in the same sentences.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { type ReceivedDelivery, startReceiver } from "../../src/cli/receiver.ts";
import { BAD_PORTS } from "../../src/platform/bad-port.ts";
import { freePort } from "../free-port.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** On a free port, or on the first of those that is free. Returns its address. */
async function startTarget(answer: RequestListener, ports: Iterable<number> = [0]): Promise<string> {
  const server = createServer(answer);
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  for (const port of ports) {
    server.listen(port, "127.0.0.1");
    const isListening = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (isListening) return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  throw new Error("No port is free.");
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** One signed delivery, forwarded: what the sandbox gets, and what the command prints. */
async function forward(to: string) {
  const received: ReceivedDelivery[] = [];
  const receiver = await startReceiver(to, (each) => received.push(each), 15_000);
  open.push(receiver);
  receiver.expect(SECRET);
  const body = '{"type":"v1.event.created"}';
  const signature = createHmac("sha256", Buffer.alloc(32, 7)).update(`msg-1.1900000000.${body}`).digest("base64");
  const headers = { "webhook-id": "msg-1", "webhook-timestamp": "1900000000", "webhook-signature": signature };
  const response = await fetch(receiver.url, { method: "POST", body, headers });
  await response.arrayBuffer();
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    forwarded: received[0]?.forwarded,
  };
}

it("forwards the status and Retry-After of the target", async () => {
  const host = await startTarget((_, response) => response.writeHead(503, { "retry-after": "7" }).end());
  expect(await forward(`http://${host}/hook`)).toMatchObject({
    status: 503,
    retryAfter: "7",
    forwarded: { url: `http://${host}/hook`, status: 503 },
  });
});

it("does not wait for the end of an endless response", async () => {
  const host = await startTarget((_, response) => {
    const write = () => void (response.destroyed || response.write("x".repeat(16_384), () => setImmediate(write)));
    write();
  });
  expect(await forward(`http://${host}/`)).toMatchObject({ status: 200, forwarded: { status: 200 } });
});

it("reaches a port that fetch rejects, as deliveries do", async () => {
  const host = await startTarget(
    (_, response) => response.end(),
    [...BAD_PORTS].filter((port) => port > 1024),
  );
  expect(await forward(`http://${host}/`)).toMatchObject({ status: 200, forwarded: { status: 200 } });
});

it("explains why the target was not reached", async () => {
  const host = await startTarget((_, response) => response.end());
  const port = await freePort();
  const noTls = `${host} does not speak TLS. Use http:// in the URL of the receiver (EPROTO).`;
  expect(await forward(`https://${host}/`)).toMatchObject({ status: 502, forwarded: { status: null, error: noTls } });
  const absent = `Nothing listens at 127.0.0.1:${port}. Start the receiver, or correct its URL (ECONNREFUSED).`;
  expect(await forward(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: 502,
    forwarded: { status: null, error: absent },
  });
});
