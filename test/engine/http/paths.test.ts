// What there is not: unknown paths, other methods, ids of other worlds, and addresses that are none.
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { routes, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { raw, rawRequest } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
let token: string;
let bearer: Record<string, string>;
beforeAll(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
  bearer = { authorization: `Bearer ${token}` };
});

describe("An error about an unknown path suggests the nearest documented one:", () => {
  it.each([
    ["/v1/booking", "/v1/bookings"],
    ["/v1/Bookings", "/v1/bookings"],
    ["/bookings", "/v1/bookings"],
    ["/v2/bookings", "/v1/bookings"],
    ["/v1//bookings", "/v1/bookings"],
    ["/v1/bookings/", "/v1/bookings"],
    ["//bookings//x//ticket", "/v1/bookings/{bookingId}/tickets"],
    ["/v1/bookings/x/ticket", "/v1/bookings/{bookingId}/tickets"],
    ["/v1/orders/x/lineitems", "/v1/orders/{orderId}/line-items"],
    ["/v1/giftcards/x/extend-expiry", "/v1/gift-cards/{giftCardId}/extend-expiry"],
    ["/oauth/token", "/oauth2/token"],
    ["/v1/webhook-subscription", "/v1/webhook-subscriptions"],
    ["/openapi.yml", "/openapi.yaml"],
    ["/health", "/healthz"],
    ["/_sandbox/clocks", "/_sandbox/clock"],
  ])("%s → %s", async (path, nearest) => {
    const answer = await request(sandbox.router).get(path).auth(token, { type: "bearer" });
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      code: "NOT_FOUND",
      message: `There is no ${path}. The nearest documented path is ${nearest}.`,
    });
  });

  it.each([
    ["cancelBookings", "There is no act cancelBookings. Did you mean cancelBooking?"],
    ["xyz", "There is no act xyz."],
  ])("and suggests an act: %s", async (act, message) => {
    const answer = await rawRequest(sandbox.url, `POST /_sandbox/acts/${act}`);
    expect([answer.status, answer.body]).toEqual([404, { code: "NOT_FOUND", message, list: "GET /_sandbox/acts" }]);
  });

  it("which stays short when the path is long", async () => {
    const answer = await rawRequest(sandbox.url, `GET /${"a/".repeat(10_000)}`);
    expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
    expect(answer.text.length).toBeLessThan(400);
  });
});

describe("An unsupported method of a path gets 405 with Allow and a message:", () => {
  it.each([
    ["DELETE", "/v1/bookings", "GET, POST, HEAD, OPTIONS"],
    ["PATCH", "/v1/bookings/x", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/me", "GET, HEAD, OPTIONS"],
    ["TRACE", "/v1/me", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/gift-cards/x/extend-expiry", "POST, OPTIONS"],
    ["GET", "/v1/experiences/x/availabilities", "POST, OPTIONS"],
    ["POST", "/v1/webhook-subscriptions/x", "GET, PUT, DELETE, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
    ["DELETE", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/_sandbox", "GET, HEAD, OPTIONS"],
    ["PROPFIND", "/v1/me", "GET, HEAD, OPTIONS"],
  ])("%s %s", async (method, path, allow) => {
    const answer = await rawRequest(sandbox.url, `${method} ${path}`, bearer);
    expect([answer.status, answer.headers.allow, answer.body.code]).toEqual([405, allow, "METHOD_NOT_ALLOWED"]);
    expect(answer.body.message).toContain(allow.split(",")[0]);
  });
});

const PROTOTYPE = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"];
/** Separated by spaces. */
const ODD =
  "a,b a=b ;x .x ... %20 %2C %2F %2e%2e%2f%2e%2e {id} * ' ( " +
  "! $ @ : + %C3%A9 %F0%9F%98%80 %00 %0d%0aset-cookie:a=b ~ %E2%80%AE null 0 %25";

describe("An unknown id gets 404, whatever its format:", () => {
  const reads = [...routes.values()].filter(
    ({ operation, scopes }) => operation.method === "get" && /\{\w+\}$/.test(operation.path) && scopes.length > 0,
  );

  it.each([...PROTOTYPE, ...ODD.split(" ")])("%s", async (id) => {
    const requested = reads.map(async ({ operation }) => {
      const path = operation.path.replace(/\{\w+\}/, id);
      return { path, answer: await rawRequest(sandbox.url, `GET ${path}`, { ...bearer, "accept-language": "en" }) };
    });
    for (const { path, answer } of await Promise.all(requested)) {
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "NOT_FOUND"]);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  it.each(["%", "%Z1", "%C3%28", "%ED%A0%80", "%FF", "a%2"])("and with broken percent-encoding: %s", async (id) => {
    const answer = await rawRequest(sandbox.url, `GET /v1/bookings/${id}`, bearer);
    expect([answer.status, answer.body.code]).toEqual([404, "NOT_FOUND"]);
  });
});

it("A record of another world gets the same response as an unknown one", async () => {
  const other = await sandbox.world({ fixture: "empty" });
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  const { id } = (await other.call("createWebhookSubscription", { body })).body;
  for (const [operation, extra] of [
    ["getWebhookSubscription", {}],
    ["replaceWebhookSubscription", { body }],
    ["deleteWebhookSubscription", {}],
  ] as const) {
    const foreign = await world.call(operation, { path: { subscriptionId: id }, ...extra });
    const nobodys = await world.call(operation, { path: { subscriptionId: "nobody" }, ...extra });
    expect(foreign.status).toBe(404);
    expect(foreign.text.replaceAll(id, "nobody")).toBe(nobodys.text);
    expect(Object.keys(foreign.headers).sort()).toEqual(Object.keys(nobodys.headers).sort());
  }
  expect((await other.call("getWebhookSubscription", { path: { subscriptionId: id } })).status).toBe(200);
});

it("A record of another world gets 403 under that assumption, and an unknown one still gets 404", async () => {
  const [own, other] = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  await own.control("put", "assumptions", { "other-company": "403" });
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  const { id } = (await other.call("createWebhookSubscription", { body })).body;
  expect((await own.call("getWebhookSubscription", { path: { subscriptionId: id } })).status).toBe(403);
  expect((await own.call("getWebhookSubscription", { path: { subscriptionId: "nobody" } })).status).toBe(404);
});

describe("Names of the prototype in a query", () => {
  it.each(PROTOTYPE)("%s is an ordinary name", async (name) => {
    const answer = await request(sandbox.router)
      .get(`/v1/bookings?${name}=1&${name}=2&limit=5`)
      .auth(token, { type: "bearer" });
    expect([answer.status, answer.body]).toEqual([200, { items: [] }]);
  });

  it("do not affect other requests", async () => {
    await request(sandbox.router)
      .get("/v1/bookings?__proto__[limit]=0&__proto__.limit=0&constructor.prototype.limit=0")
      .auth(token, { type: "bearer" });
    expect(({} as { limit?: string }).limit).toBeUndefined();
    expect((await request(sandbox.router).get("/v1/bookings").auth(token, { type: "bearer" })).status).toBe(200);
  });
});

describe("A malformed HTTP request gets an error in the standard format:", () => {
  it.each<[string, string, number]>([
    ["a NUL in the path", "GET /v1/\0me HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["a control character in the path", "GET /v1/\x01me HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["a letter beyond ASCII in the path", "GET /v1/é HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["an unknown method", "FETCH /v1/me HTTP/1.1\r\nhost: x\r\n\r\n", 400],
    ["a NUL in a header", "GET /v1/me HTTP/1.1\r\nhost: x\r\nx-a: \0\r\n\r\n", 400],
    ["a header without a colon", "GET /v1/me HTTP/1.1\r\nhost: x\r\nnonsense\r\n\r\n", 400],
    [
      "both a length and chunks",
      "POST /v1/me HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a length that is none", "POST /v1/me HTTP/1.1\r\nhost: x\r\ncontent-length: many\r\n\r\n", 400],
    [
      "a chunk size that is none",
      "POST /oauth2/token HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n",
      400,
    ],
    ["TLS", "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03", 400],
    ["an address of 40,000 characters", `GET /${"a".repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ["a query of 40,000 characters", `GET /v1/bookings?cursor=${"a".repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ["headers of 40,000 characters", `GET /v1/me HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(40_000)}\r\n\r\n`, 431],
  ])("%s", async (_, bytes, status) => {
    const answer = await raw(sandbox.url, bytes);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ code: "BAD_REQUEST", message: expect.any(String) });
    expect(answer.headers.connection).toBe("close");
  });
});

describe("An absolute URL as a request target", () => {
  it.each([
    ["GET http://anything.example/v1/me", 200],
    ["GET http://anything.example", 200],
    ["GET http://[", 200],
    ["GET http://anything.example/v2", 404],
    ["OPTIONS *", 404],
  ])("%s gets %i", async (line, status) => {
    const answer = await rawRequest(sandbox.url, line, { ...bearer, accept: "application/json" });
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  });
});

it("Every response can be found by its id, and none reveals the server software", async () => {
  const ids = new Set<string>();
  for (const path of ["/v1/me", "/v1/nothing", "/healthz", "/openapi.json", "/v1/bookings/x"]) {
    const answer = await request(sandbox.router).get(path).auth(token, { type: "bearer" });
    ids.add(answer.headers["sandbox-request-id"] ?? "");
    expect(answer.headers).not.toHaveProperty("x-powered-by");
    expect(answer.headers).not.toHaveProperty("etag");
  }
  expect(ids.size).toBe(5);
});
