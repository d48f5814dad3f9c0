// Slow clients: disconnected within ten seconds, and nobody else waits for them.
import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { serve } from "../../../src/engine/http/serve.ts";
import { openSandbox, shareSandbox } from "../../sandbox.ts";
import { countTenths } from "../../tenths.mjs";
import { send } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });

/** Sends the beginning, then a byte each half second; resolves with the response and the tenths of a second until the end. */
function dawdle(beginning: string, most: number): Promise<{ text: string; tenths: number }> {
  const tenths = countTenths();
  return new Promise((resolve) => {
    let text = "";
    let drip: NodeJS.Timeout | undefined;
    const { hostname, port } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname, () => {
      if (beginning) socket.write(beginning);
      drip = setInterval(() => {
        if (tenths() > most) end();
        else if (beginning) socket.write("a");
      }, 500);
    });
    const end = () => {
      clearInterval(drip);
      socket.destroy();
      resolve({ text, tenths: tenths() });
    };
    socket
      .on("data", (chunk) => (text += chunk))
      .on("error", end)
      .on("close", end);
  });
}

/** Requests more than the system buffers for a client, and reads nothing until `closed`; resolves with how much arrived in the end. */
function lookAway(
  at: string,
  path: string,
  world: string,
  closed: Promise<unknown>,
): Promise<{ received: number; whole: boolean }> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const { hostname, port } = new URL(at);
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nsandbox-world: ${world}\r\nconnection: close\r\n\r\n`);
      socket.pause();
      void closed.then(() => socket.resume());
    });
    socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => undefined);
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("latin1");
      resolve({ received: text.length, whole: text.endsWith("\r\n0\r\n\r\n") });
    });
  });
}

/** A world whose export is far larger than what a connection holds. */
async function largeWorld(): Promise<string> {
  const large = await sandbox.world({ fixture: "empty" });
  const { checksum: _, ...document } = (await large.control("get", "state")).body;
  const made = { created_at: "2030-06-01T09:00:00.000Z", company_id: "c", source: "s", email: "bo@example.com" };
  const full_name = "x".repeat(1_000_000);
  document.collections.consents = Array.from({ length: 40 }, (_, at) => ({ id: `con-${at}`, full_name, ...made }));
  // Not by a request, which on a busy machine would be a slow one itself.
  const { worlds, states } = sandbox.running.application;
  await states.import(worlds.get(large.id)!, document);
  return large.id;
}

/** A state that arrives in pieces for longer than any other body may; one piece is enough for a second. */
async function uploadSteadily(tenths: number): Promise<number> {
  const world = await sandbox.world({ fixture: "empty" });
  const { body: state } = await world.control("get", "state");
  const count = countTenths();
  const pieces = Readable.from(
    (async function* () {
      yield JSON.stringify(state);
      for (; count() < tenths; await pause(100)) yield " ".repeat(128 * 1024);
    })(),
  );
  const headers = { "content-type": "application/json" };
  const { status } = await fetch(`${sandbox.url}/_sandbox/state?world=${world.id}`, {
    method: "PUT",
    headers,
    body: pieces,
    duplex: "half",
  } as RequestInit);
  return status;
}

it("Slow headers, slow bodies, silence and unread responses are disconnected, while others and a steady upload are served", async () => {
  const tenths = countTenths();
  let cut = 0;
  const [serving, closed] = await watched();
  const large = await largeWorld();
  const began = tenths();
  const away = lookAway(serving.url, "/_sandbox/state", large, closed);
  void closed.then(() => {
    cut = tenths() - began;
  });
  const waiting = Promise.all([
    dawdle("GET /v1/me HTTP/1.1\r\nhost: localhost\r\nx-slow: ", 120),
    dawdle("POST /oauth2/token HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n", 120),
    dawdle("", 120),
    uploadSteadily(115),
  ]);
  expect((await send(sandbox, "/healthz")).status).toBe(200);
  const [headers, body, silence, upload] = await waiting;
  expect(upload).toBe(200);
  expect(headers.tenths).toBeLessThan(75);
  expect(headers.text).toMatch(
    /^HTTP\/1\.1 408 [\s\S]*\{"code":"BAD_REQUEST","message":"The request timed out before it was complete/,
  );
  expect(body.tenths).toBeLessThan(100);
  expect(body.text).toMatch(/^HTTP\/1\.1 408 /);
  expect(silence.tenths).toBeLessThan(75);
  const { received, whole } = await away;
  expect(cut).toBeLessThan(100);
  expect(received).toBeLessThan(40_000_000);
  expect(whole).toBe(false);
  await serving.close();
}, 240_000);

/** A server of its own, and the end of its first connection. */
async function watched() {
  const { router } = sandbox.running;
  let close = (_: unknown): void => undefined;
  const closed = new Promise((resolve) => {
    close = resolve;
  });
  const serving = await serve(
    (request, response) => {
      request.socket.once("close", close);
      router(request, response);
    },
    0,
    "127.0.0.1",
  );
  return [serving, closed] as const;
}

/** Connects, asks, and never reads. */
function ignore(url: string, request: string): void {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => {
    socket.pause();
    socket.write(request);
  });
  socket.on("error", () => undefined);
}

it("A client that reads nothing is disconnected: from one large response, and from many in parallel", async () => {
  const { router } = sandbox.running;
  const closed: Promise<unknown>[] = [];
  const held = new Set<unknown>();
  const serving = await serve(
    (request, response) => {
      // Not by `once` of events, which rejects where the connection ends by an error, as it may.
      if (!held.has(request.socket)) closed.push(new Promise((end) => request.socket.once("close", end)));
      held.add(request.socket);
      router(request, response);
    },
    0,
    "127.0.0.1",
    400,
  );
  const large = await largeWorld();
  const headers = `host: localhost\r\nsandbox-world: ${large}\r\n\r\n`;
  const requests = ["GET /_sandbox/state", "GET /openapi.json"];
  for (const [at, line] of requests.entries()) {
    ignore(serving.url, `${line} HTTP/1.1\r\n${headers}`.repeat(line === "GET /openapi.json" ? 400 : 1));
    await vi.waitFor(() => expect(held.size).toBe(at + 1), { timeout: 30_000 });
  }
  await Promise.all(closed);
  await serving.close();
}, 240_000);

it("A stream reader that reads none of its pending data is disconnected, and an idle one is not", async () => {
  const { router } = sandbox.running;
  const [busy, quiet] = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  const ended: string[] = [];
  const serving = await serve(
    (request, response) => {
      const who = new URL(request.url ?? "", "http://localhost").searchParams.get("world") ?? "";
      request.socket.once("close", () => ended.push(who));
      router(request, response);
    },
    0,
    "127.0.0.1",
    50,
  );
  for (const { id } of [quiet, busy])
    ignore(serving.url, `GET /_sandbox/stream?world=${id}&view=full HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await vi.waitFor(() => expect(sandbox.running.application.followers.size).toBe(2), { timeout: 30_000 });
  // Far more than the system holds for a connection, so that some of it waits here.
  const input = { full_name: "x".repeat(900_000), email: "anna@example.com", source: "checkout" };
  for (let sent = 0; sent < 20; sent++) await busy.act("submitConsent", input);
  await vi.waitFor(() => expect(ended).toEqual([busy.id]), { timeout: 30_000 });
  expect(sandbox.running.application.followers.size).toBe(1);
  await serving.close();
}, 60_000);

it("A client that waits for a slow response is not disconnected", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const token = await world.token();
  await world.control("put", "faults", { faults: [{ operation: "getMe", delay_ms: 400, times: 1 }] });
  const serving = await serve(sandbox.running.router, 0, "127.0.0.1", 50);
  const answer = await fetch(`${serving.url}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, ((await answer.json()) as { company_id: string }).company_id]).toEqual([
    200,
    expect.any(String),
  ]);
  await serving.close();
});

it("A stop completes the responses in flight and closes the rest, within two seconds", async () => {
  const own = await openSandbox({ fixture: "empty" });
  const world = await own.world({ fixture: "empty" });
  const token = await world.token();
  await world.control("put", "faults", { faults: [{ operation: "getMe", delay_ms: 300, times: 1 }] });
  const stream = fetch(`${own.url}/_sandbox/stream`).then((answer) => answer.text().catch(() => "cut"));
  const inFlight = send(own, "/v1/me", { token });
  const { followers, faults } = own.running.application;
  await vi.waitFor(() => expect([followers.size, faults.list(world.id)[0]?.hits]).toEqual([1, 1]), {
    timeout: 30_000,
  });
  const tenths = countTenths();
  await own.close();
  expect(tenths()).toBeLessThan(20);
  expect((await inFlight).status).toBe(200);
  expect(await stream).toMatch(/listening|cut/);
});

it("A used port is reported in one sentence with advice", async () => {
  const { router } = sandbox.running;
  const port = Number(new URL(sandbox.url).port);
  await expect(serve(router, port, "127.0.0.1")).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use by another process; choose another port, or port 0 for a free one.`,
  );
  await expect(serve(router, 0, "203.0.113.7")).rejects.toThrow(
    "203.0.113.7 is not an address of this machine; choose another host.",
  );
});
