// A request does not wait without end for its world to be opened: it is told to come again, and the next one finds the world. One that
// another node did not take is sent again.
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { StoreError } from "../../src/engine/log/store-error.ts";
import { createGate } from "../../src/hosted/gate/gate.ts";
import type { WorldLocation } from "../../src/hosted/ownership/hosted-node.ts";
import { startLocalServer } from "../local-server.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function arriving(headers: IncomingMessage["headers"]) {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/v1/bookings", headers });
  return { request, response: new ServerResponse(request) };
}

function gateOf(hosted: object) {
  const application = {
    newId: () => "req-1",
    worlds: new Map(),
    monitor: { count: () => undefined },
    warn: () => undefined,
  };
  return createGate(hosted as never, {} as never, application as never);
}

it.each([
  ["of a client", "locate", {}],
  ["that another node sent on", "locateHere", { "sandbox-hop": "node-2" }],
])("A request %s gets a response after six seconds, and its world is not kept open", async (_, requested, hop) => {
  let open: (found: WorldLocation) => void = () => undefined;
  const leave = vi.fn();
  const looking = vi.fn(() => new Promise<WorldLocation>((resolve) => (open = resolve)));
  const gate = gateOf({
    node: "node-1",
    isLeaving: false,
    isNode: () => true,
    acquireLease: () => undefined,
    [requested]: looking,
  });
  const { request, response } = arriving({ authorization: "Bearer wld.token", ...hop });
  const next = vi.fn();

  gate(request, response, next);
  await vi.waitFor(() => expect(looking).toHaveBeenCalledOnce());
  await vi.advanceTimersByTimeAsync(6001);
  expect(next.mock.calls).toEqual([[new StoreError("World wld is still being opened. Send the request again.")]]);

  open({ is: "here", lease: { isLost: false, onGone: () => undefined, release: leave } });
  await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce());
  expect(next).toHaveBeenCalledOnce();
});

/** Where it listens, until the test is over. */
async function serving(listener: RequestListener): Promise<string> {
  const { url, close } = await startLocalServer(listener);
  onTestFinished(close);
  return url;
}

it.each([
  ["is sent again where the other node gave up on its connection", {}, 200, 2],
  ["is given back where a fault of its world is armed", { "sandbox-request-id": "req-9" }, 408, 1],
])("A request gets 408 %s", async (_, headers, status, times) => {
  vi.useRealTimers();
  const arrived: string[] = [];
  const node = await serving(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    arrived.push(`${request.method} ${request.url} ${body}`);
    response.writeHead(arrived.length === 1 ? 408 : 200, headers).end("{}");
  });
  const gate = gateOf({
    hop: "node-1",
    isLeaving: false,
    isNode: () => false,
    acquireLease: () => undefined,
    forgetAddress: () => undefined,
    locate: async () => ({ is: "elsewhere", url: node }),
    isAt: async () => true,
  });
  const url = await serving((request, response) => gate(request, response, vi.fn()));

  const answer = await fetch(`${url}/v1/bookings`, {
    method: "POST",
    body: '{"a":1}',
    headers: { authorization: "Bearer wld.token" },
  });

  expect(answer.status).toBe(status);
  expect(arrived).toEqual(Array.from({ length: times }, () => 'POST /v1/bookings {"a":1}'));
});
