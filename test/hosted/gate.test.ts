// A request does not wait without end for its world to be opened: it is told to come again, and the next one finds the world.
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WorldLocation } from "../../src/engine/app/hosted.ts";
import { makeGate } from "../../src/hosted/gate/gate.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function arriving(headers: IncomingMessage["headers"]) {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: "GET", url: "/v1/bookings", headers });
  const response = new ServerResponse(request);
  const answered = new Promise<unknown[]>((resolve) => {
    const head = vi.spyOn(response, "writeHead");
    response.end = ((text: string) => {
      const sent = JSON.stringify(head.mock.calls[0]).toLowerCase();
      resolve([response.statusCode, /"retry-after"[:,]"(\d+)"/.exec(sent)?.[1], JSON.parse(text).message]);
      return response;
    }) as typeof response.end;
  });
  return { request, response, answered };
}

function gateOf(hosted: object) {
  const application = { newId: () => "req-1", worlds: new Map(), monitor: {}, warn: () => undefined };
  const router = { match: () => ({ found: "nothing" }) };
  return makeGate(hosted as never, application as never, router as never, (_request, _response, then) =>
    then(undefined),
  );
}

it.each([
  ["of a client", "locate", {}],
  ["that another node sent on", "locateHere", { "sandbox-hop": "node-2" }],
])("A request %s is answered after six seconds, and its world is not kept open for it", async (_, requested, hop) => {
  let open: (found: WorldLocation) => void = () => undefined;
  const leave = vi.fn();
  const looking = vi.fn(() => new Promise<WorldLocation>((resolve) => (open = resolve)));
  const gate = gateOf({
    node: "node-1",
    isLeaving: false,
    isNode: () => true,
    lease: () => undefined,
    [requested]: looking,
  });
  const { request, response, answered } = arriving({ authorization: "Bearer wld.token", ...hop });
  const serve = vi.fn();

  gate(request as never, response, serve);
  await vi.waitFor(() => expect(looking).toHaveBeenCalledOnce());
  await vi.advanceTimersByTimeAsync(6001);
  expect(await answered).toEqual([503, "1", "World wld is still being opened. Send the request again."]);

  open({ is: "here", lease: { isLost: false, onGone: () => undefined, release: leave } });
  await vi.waitFor(() => expect(leave).toHaveBeenCalledOnce());
  expect(serve).not.toHaveBeenCalled();
});
