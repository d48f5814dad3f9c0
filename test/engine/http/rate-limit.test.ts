// `--rate-limit N/min`: for each client by itself, and only when asked for.
import { expect, it } from "vitest";
import { shareSandbox } from "../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty", rateLimit: 3 });

it("A request over the limit is rejected with 429 and a Retry-After of at least a minute", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  for (let count = 0; count < 3; count++) expect((await world.call("getMe")).status).toBe(200);
  const answer = await world.call("getMe");
  expect([answer.status, answer.body.code]).toEqual([429, "TOO_MANY_REQUESTS"]);
  expect(answer.body.message).toBe(
    "Rate limit exceeded: this client sent more than 3 requests per minute. Wait at least a minute, then retry.",
  );
  expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(60);
});

it("A rejected write has no effect, and another client is not limited", async () => {
  const [busy, other] = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  for (let count = 0; count < 3; count++) await busy.call("listBookings");
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  expect((await busy.call("createWebhookSubscription", { body })).status).toBe(429);
  expect((await busy.control("get", "")).body.counts.subscriptions).toBe(0);
  expect((await other.call("createWebhookSubscription", { body })).status).toBe(201);
});

it("Requests without a valid token do not count for a client", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  for (let count = 0; count < 10; count++) expect((await world.call("getMe", { token: "nobody" })).status).toBe(401);
  expect((await world.call("getMe")).status).toBe(200);
});
