// Why a message did not arrive, for receivers that do not speak what the URL says.
import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { makeClient } from "../../../src/engine/webhooks/http-delivery.ts";
import { freePort } from "../../free-port.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function portOf(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket.on("error", () => undefined)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  open.push({
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  });
  return (server.address() as AddressInfo).port;
}

async function errorAt(url: string): Promise<string | undefined> {
  const client = makeClient(10_000);
  open.push(client);
  const { outcome, error, answer } = await client.send({ url, headers: {}, body: "{}" }).result;
  expect({ outcome, answer }).toEqual({ outcome: "UNREACHABLE", answer: null });
  return error;
}

/** What a receiver sends at once, or when it has read something. */
const sending = (bytes: string | Buffer) =>
  createServer((socket) => void socket.once("data", () => socket.write(bytes)));

// A fatal alert of TLS 1.2: unexpected message.
const ALERT = Buffer.from([0x15, 3, 3, 0, 2, 2, 10]);

it.each([
  ["https to a receiver of plain HTTP", "https", () => receiveServer(), "does not speak TLS. Use http:// in the URL"],
  ["https to an SSH server", "https", () => sending("SSH-2.0-OpenSSH_9.6\r\n"), "does not speak TLS. Use http://"],
  ["http to a server of HTTPS", "http", () => createHttpsServer(), "If the receiver expects TLS, use https:// in its"],
  ["http to a TLS server that sends an alert", "http", () => sending(ALERT), "expects TLS. Use https:// in the URL"],
  ["http to an SSH server", "http", () => sending("SSH-2.0-OpenSSH_9.6\r\n"), "does not speak HTTP. Correct the port"],
  ["http to a server that breaks off", "http", () => sending("HTTP/1.1 2x0\r\n\r\n"), "is not valid HTTP"],
  ["https to a server without a certificate", "https", () => createHttpsServer(), "rejected the TLS handshake. Check"],
] as const)("%s: explains the problem and the solution", async (_, scheme, make, sentence) => {
  const port = await portOf(make());
  const error = await errorAt(`${scheme}://127.0.0.1:${port}/hook`);
  expect(error).toMatch(/^127\.0\.0\.1:\d+ .*\([A-Z\d_]+\)\.$/);
  expect(error).toContain(sentence);
  expect(error).not.toMatch(/openssl|routines|Parse Error/i);
});

it("reports that nothing listens", async () => {
  const port = await freePort();
  expect(await errorAt(`http://127.0.0.1:${port}/`)).toBe(
    `Nothing listens at 127.0.0.1:${port}. Start the receiver, or correct its URL (ECONNREFUSED).`,
  );
});

it("has no advice about TLS for an https receiver that closes the connection", async () => {
  const port = await portOf(createServer((socket) => void socket.once("data", () => socket.destroy())));
  expect(await errorAt(`https://127.0.0.1:${port}/`)).toBe(
    `127.0.0.1:${port} closed the connection without a response (ECONNRESET).`,
  );
});

const receiveServer = () =>
  createServer((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
