// `--rate-limit N/min`: for each client by itself, and only when asked for.
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Application } from "../../../src/engine/app/application.ts";
import type { HttpError } from "../../../src/engine/http/errors.ts";
import type { Exchange } from "../../../src/engine/http/exchange.ts";
import { limitRate } from "../../../src/engine/http/rate-limit.ts";
import type { World } from "../../../src/engine/world/state/world.ts";
import { openSandbox, type TestSandbox } from "../../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty", rateLimit: 3 });
});
afterAll(() => sandbox.close());

it("The request beyond the limit is refused with 429, which says to wait at least a minute", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  for (let count = 0; count < 3; count++) expect((await world.call("getMe")).status).toBe(200);
  const answer = await world.call("getMe");
  expect([answer.status, answer.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(answer.body.message).toBe("More than 3 requests a minute by this client. Wait at least a minute, then go on.");
  expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(60);
});

it("Late in the minute it still says to wait a whole one; with the next minute the count begins anew", () => {
  const limited = { settings: { rateLimit: 1 } } as unknown as Application;
  const world = { id: "default" } as World;
  const refusedAt = (started: number): string | undefined => {
    try {
      limitRate({ world, key: { id: "client" }, started } as Exchange, limited);
      return undefined;
    } catch (reason) {
      return (reason as HttpError).headers["retry-after"];
    }
  };
  expect([0, 1, 30_000, 59_999].map(refusedAt)).toEqual([undefined, "60", "60", "60"]);
  expect([60_000, 60_001, 119_999, 120_000].map(refusedAt)).toEqual([undefined, "60", "60", undefined]);
});

it("A refused write has no effect, and another client is not held up", async () => {
  const [busy, other] = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  for (let count = 0; count < 3; count++) await busy.call("listBookings");
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  expect((await busy.call("createWebhookSubscription", { body })).status).toBe(429);
  expect((await busy.control("get", "")).body.counts.subscriptions).toBe(0);
  expect((await other.call("createWebhookSubscription", { body })).status).toBe(201);
});

it("Requests without a valid token do not count against a client", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  for (let count = 0; count < 10; count++) expect((await world.call("getMe", { token: "nobody" })).status).toBe(401);
  expect((await world.call("getMe")).status).toBe(200);
});
