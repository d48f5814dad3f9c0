// Faults hit the requested requests, as often as requested, and no others. The log names them. Faults of tokens.
import { beforeEach, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { FORM, form, type ReceivedAnswer, rawRequest } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
let token: string;

beforeEach(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
});

const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
const arm = (...faults: object[]) => world.control("put", "faults", { faults });
const add = (fault: object) => world.control("post", "faults", fault);
const listed = async (): Promise<{ name: string; hits: number; seed?: number }[]> =>
  (await world.control("get", "faults")).body.faults;
const hits = async () => (await listed()).map(({ hits: count }) => count);
const names = async () => (await listed()).map(({ name }) => name);
const subscriptions = async () => (await world.control("get", "")).body.counts.subscriptions;

const statuses = async (times: number, operation: "getMe" | "listBookings" = "getMe") => {
  const all: number[] = [];
  for (let count = 0; count < times; count++) all.push((await world.call(operation)).status);
  return all;
};
const logged = async (view = "full") =>
  (await world.control("get", `log?kinds=request&view=${view}`)).body.items.at(-1);

function requestToken(client_id = world.clientId, client_secret = world.clientSecret): Promise<Response> {
  const members = { grant_type: "client_credentials", audience: sandbox.url };
  const body = form({ ...members, client_id, client_secret });
  return fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers: FORM, body });
}

const askToken = async () => (await (await requestToken()).json()) as { access_token: string; expires_in: number };

function create(): Promise<ReceivedAnswer> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": `${text.length}`,
  };
  return rawRequest(sandbox.url, "POST /v1/webhook-subscriptions", headers, text);
}

describe("A fault", () => {
  it.each([
    ["before the operation, so that nothing happens", "before", 0],
    ["after it, so that the change is kept", "after", 1],
  ])("hits %s", async (_, when, retained) => {
    await arm({ operation: "createWebhookSubscription", status: 503, when, times: 1 });
    const answer = await create();
    expect([answer.status, answer.body.code]).toEqual([503, "SERVICE_UNAVAILABLE"]);
    expect(answer.body.message).toMatch(/^Injected fault: /);
    expect(await subscriptions()).toBe(retained);
    expect(await hits()).toEqual([1]);
  });

  it("hits as often as specified, and is then used up", async () => {
    await arm({ operation: "getMe", status: 429, code: "SLOW_DOWN", times: 2 });
    const answers = [];
    for (let count = 0; count < 4; count++) answers.push((await world.call("getMe")).status);
    expect(answers).toEqual([429, 429, 200, 200]);
    expect(await hits()).toEqual([2]);
  });

  it("hits no more often while others are armed and disarmed beside it", async () => {
    const fault = { operation: "getMe", status: 503, times: 12 };
    await arm(fault, fault);
    let isOver = false;
    async function edit() {
      for (let round = 0; !isOver; round++) {
        const { faults } = (await world.control("get", "faults")).body;
        await arm(...faults.slice(0, 2), ...(round % 2 ? [] : [{ operation: "getOrder", status: 500, times: 1 }]));
      }
    }
    async function call() {
      const statuses = [];
      for (let count = 0; count < 20; count++) statuses.push((await world.call("getMe")).status);
      return statuses;
    }
    const calls = Promise.all([call(), call(), call()]).finally(() => {
      isOver = true;
    });
    const [statuses] = await Promise.all([calls, edit(), edit()]);
    expect(statuses.flat().filter((status) => status === 503)).toHaveLength(24);
    expect((await hits()).slice(0, 2)).toEqual([12, 12]);
  });

  it("is added after the armed faults, which keep their hits", async () => {
    await arm({ operation: "getMe", status: 500, times: 2 });
    await world.call("getMe");
    const { status, body: added } = await add({ operation: "getMe", status: 503, times: 1 });
    expect([status, added.faults]).toEqual([200, await listed()]);
    expect(await names()).toEqual(["getMe: 500", "getMe: 503"]);
    expect(await hits()).toEqual([1, 0]);
    expect([(await world.call("getMe")).status, (await world.call("getMe")).status]).toEqual([500, 503]);
  });

  it("is rejected when it is added as in a list, at its own path", async () => {
    await add({ operation: "getMe", status: 500, times: 1 });
    const { status, body: refused } = await add({ operation: "getmee", status: 500, times: 1 });
    expect([status, refused.message]).toEqual([
      400,
      "body.operation: there is no operation getmee that a fault can hit. Did you mean getMe?",
    ]);
    expect((await add({ operation: "getMe", code: "X", times: 1 })).body.message).toMatch(
      /^body\.status: it is needed/,
    );
    expect(await names()).toEqual(["getMe: 500"]);
  });

  it("is disarmed by its name, and the others stay armed", async () => {
    const busy = { operation: "getMe", status: 503, name: "busy", times: 3 };
    await arm(busy, { operation: "getOrder", status: 500, times: 1 }, busy);
    expect((await world.control("delete", "faults?name=busy")).status).toBe(204);
    expect(await names()).toEqual(["getOrder: 500"]);
    const gone = await world.control("delete", "faults?name=busy");
    expect([gone.status, gone.body.message]).toEqual([404, "No fault called busy is armed."]);
    expect(await names()).toEqual(["getOrder: 500"]);
  });

  it("starts again if it is sent without its counts, and with them if it is no longer armed", async () => {
    const fault = { operation: "getMe", status: 429, times: 3 };
    await arm(fault);
    await world.call("getMe");
    const { faults: listed } = (await world.control("get", "faults")).body;
    await arm(fault);
    expect(await hits()).toEqual([0]);
    await world.control("delete", "faults");
    await arm(...listed);
    expect(await hits()).toEqual([1]);
    await world.call("getMe");
    await arm(...listed);
    expect(await hits()).toEqual([2]);
  });

  it.each([
    ["NOT_ENOUGH_RESOURCES", 409],
    ["UNAUTHORIZED", 401],
    ["EVENT_NOT_FOUND", 400],
    ["TOO_MANY_REQUESTS", 429],
    ["NOT_AVAILABLE_IN_PRODUCTION", 404],
  ])("with only the code %s responds with its default status, %i", async (code, status) => {
    const { body: armed } = await arm({ operation: "getMe", code, times: 1 });
    expect(armed.faults).toEqual([expect.objectContaining({ operation: "getMe", code, status, times: 1, hits: 0 })]);
    const answer = await world.call("getMe", { undocumented: true });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("delays the response", async () => {
    await arm({ operation: "getMe", delay_ms: 80, times: 1 });
    const start = performance.now();
    expect((await world.call("getMe")).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThanOrEqual(75);
  });

  it.each([
    ["reset", "before", 0],
    ["empty", "before", 0],
    ["reset", "after", 1],
    ["empty", "after", 1],
  ])("breaks the connection: %s, %s", async (connection, when, retained) => {
    await arm({ operation: "createWebhookSubscription", connection, when, times: 1 });
    expect(await create()).toMatchObject({ status: 0, text: "" });
    expect(await subscriptions()).toBe(retained);
  });

  it("truncates the response", async () => {
    await arm({ operation: "createWebhookSubscription", connection: "truncate", when: "after", times: 1 });
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.text.length).toBeGreaterThan(20);
    expect(answer.text.length).toBeLessThan(Number(answer.headers["content-length"]));
    expect(answer.body).toBeUndefined();
    expect(await subscriptions()).toBe(1);
  });

  it("is in the request log, without a status if the response was lost", async () => {
    await arm({ operation: "createWebhookSubscription", connection: "empty", when: "after", times: 1 });
    await create();
    const { items } = (await world.control("get", "requests?operation=createWebhookSubscription")).body;
    expect(items).toEqual([expect.objectContaining({ status: null, answer: null })]);
  });

  it("sets Retry-After", async () => {
    await arm({ operation: "getMe", status: 429, retry_after: 30, times: 1 });
    expect((await world.call("getMe")).headers["retry-after"]).toBe("30");
    expect((await world.call("getMe")).headers).not.toHaveProperty("retry-after");
  });

  it("hits one client only, also for token requests", async () => {
    const other = (await world.act("createKey", { name: "other", scopes: ["booking.read"] })).body.result;
    await arm(
      { operation: "getMe", status: 500, times: 5, client_id: other.client_id },
      { operation: "createToken", status: 503, times: 5, client_id: other.client_id },
    );
    expect((await world.call("getMe")).status).toBe(200);
    expect(await world.token()).toMatch(/\.[\w-]{43}$/);
    expect((await requestToken(other.client_id, other.client_secret)).status).toBe(503);
    expect(await hits()).toEqual([0, 1]);
  });

  it("hits the token endpoint in its own format", async () => {
    await arm({ operation: "createToken", status: 503, times: 1 });
    const answer = await requestToken();
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: "server_error", error_description: expect.stringMatching(/^Injected fault: /) },
    ]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(await world.token()).toMatch(/\.[\w-]{43}$/);
  });

  it("hits only its own world, and no request without a token", async () => {
    await arm({ operation: "getMe", status: 500, times: 5 });
    const other = await sandbox.world({ fixture: "empty" });
    expect((await other.call("getMe")).status).toBe(200);
    expect((await world.call("getMe", { token: null })).status).toBe(401);
    expect(await hits()).toEqual([0]);
  });

  it("is removed when it is cleared, when the world is reset, and when the world is deleted", async () => {
    const fault = { operation: "getMe", status: 500, times: 5 };
    await arm(fault);
    await world.control("delete", "faults");
    expect((await world.call("getMe")).status).toBe(200);
    await arm(fault);
    await world.control("post", "state/reset");
    expect(await hits()).toEqual([]);
    await arm(fault);
    await world.control("delete", `worlds/${world.id}`);
    await fetch(`${sandbox.url}/_sandbox/worlds`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: world.id, fixture: "empty" }),
    });
    expect(await hits()).toEqual([]);
  });
});

describe("A fault hits", () => {
  it("any operation except that of tokens", async () => {
    await arm({ operation: "*", status: 503, times: 2 });
    expect(await world.token()).toMatch(/[\w-]{20}/);
    expect([...(await statuses(1)), ...(await statuses(1, "listBookings")), ...(await statuses(1))]).toEqual([
      503, 503, 200,
    ]);
  });

  it("requests with a method", async () => {
    await arm({ operation: "*", methods: ["POST", "DELETE"], status: 503, times: 5 });
    expect(await statuses(2)).toEqual([200, 200]);
    expect((await world.call("deleteWebhookSubscription", { path: { subscriptionId: "x" } })).status).toBe(503);
    expect(await listed()).toMatchObject([{ hits: 1, seen: 1, left: 4 }]);
  });

  it("requests after the skipped ones, and continues its count when it is armed again", async () => {
    await arm({ operation: "getMe", status: 503, skip: 3, times: 1 });
    expect(await statuses(2)).toEqual([200, 200]);
    const again = await listed();
    expect(again).toMatchObject([{ hits: 0, seen: 2, left: 1 }]);
    await arm(...again);
    expect(await statuses(3)).toEqual([200, 503, 200]);
    expect(await listed()).toMatchObject([{ hits: 1, left: 0 }]);
  });

  it("a share of the requests, the same ones for the same seed", async () => {
    const fault = { operation: "getMe", status: 503, share: 0.4, seed: 7, times: 100 };
    await arm(fault);
    const first = await statuses(20);
    await arm(fault);
    expect(await statuses(20)).toEqual(first);
    const hit = first.filter((status) => status === 503).length;
    expect(hit).toBeGreaterThan(2);
    expect(hit).toBeLessThan(14);
    await arm({ ...fault, seed: 8 });
    expect(await statuses(20)).not.toEqual(first);
  });

  it("a share by the seed of the world, which the list shows", async () => {
    const seeded = (await world.control("get", "")).body.seed;
    await arm({ operation: "getMe", status: 503, share: 0.5, times: 1 });
    expect(String((await listed())[0]?.seed)).toBe(String(seeded));
  });
});

describe("The log names a fault", () => {
  it("by its effect, in a summary too, and as it was armed in the full view", async () => {
    const fault = { operation: "getMe", status: 503, times: 1 };
    await arm(fault);
    await statuses(1);
    const did = "answered 503 before the operation";
    expect((await logged("summary")).faults).toEqual([{ name: "getMe: 503", did }]);
    expect((await logged()).faults).toEqual([{ name: "getMe: 503", did, fault: { ...fault, name: "getMe: 503" } }]);
    await statuses(1);
    expect((await logged()).faults).toEqual([]);
  });

  it.each([
    [{ name: "the network is down", connection: "reset", when: "after" }, "the network is down", /^reset the .* after/],
    [{ delay_ms: 1 }, "getMe: 1 ms late", /^waited 1 ms before the operation$/],
    [{ delay_ms: 1, connection: "empty" }, "getMe: 1 ms late connection empty", /^waited 1 ms and closed the/],
    [
      { code: "CONFLICT", when: "after" },
      "getMe: 409 CONFLICT after it was carried out",
      /^answered 409 CONFLICT after/,
    ],
  ])("%j", async (fault, name, did) => {
    await arm({ operation: "getMe", times: 1, ...fault });
    await world.call("getMe", { undocumented: true }).catch(() => undefined);
    expect((await logged("summary")).faults).toEqual([{ name, did: expect.stringMatching(did) }]);
  });
});

describe("A fault of tokens", () => {
  it("revokes the token of a request, which is the first to be rejected", async () => {
    await arm({ operation: "*", token: { revoke: true }, skip: 2, times: 1 });
    expect(await statuses(4)).toEqual([200, 200, 401, 401]);
    const { items } = (await world.control("get", "log?kinds=request&view=summary")).body;
    const reported = [{ name: "any operation: token revoked", did: "revoked the token of the request" }];
    expect(items.slice(-2).map(({ faults }: { faults: object[] }) => faults)).toEqual([reported, []]);
    const fresh = await askToken();
    expect((await world.call("getMe", { token: fresh.access_token })).status).toBe(200);
  });

  it("revokes the token of one client only", async () => {
    await arm({ operation: "*", token: { revoke: true }, times: 1, client_id: "another" });
    expect(await statuses(2)).toEqual([200, 200]);
  });

  it("issues a token that is short-lived, long, and valid", async () => {
    await arm({ operation: "createToken", token: { expires_in: 60, form: "long" }, times: 1 });
    const { access_token, expires_in } = await askToken();
    expect(expires_in).toBe(60);
    expect(access_token).toHaveLength(2048);
    expect((await world.call("getMe", { token: access_token })).status).toBe(200);
    await world.control("post", "clock/advance", { by: "PT61S" });
    expect((await world.call("getMe", { token: access_token })).status).toBe(401);
    expect(await askToken()).toMatchObject({ expires_in: 3599, access_token: expect.stringMatching(/^.{30,100}$/) });
  });
});

describe("Arming is rejected, and keeps the armed faults:", () => {
  const fine = { operation: "getMe", status: 500, times: 1 };
  const bare = { operation: "getMe", times: 1 };
  it.each<[object, RegExp]>([
    [{ ...fine, operation: "getmee" }, /0\.operation: there is no operation getmee .* Did you mean getMe\?/],
    [{ ...fine, operation: "constructor" }, /no operation constructor/],
    [{ ...fine, statuscode: 500 }, /statuscode/],
    [{ ...fine, times: undefined }, /body\.faults\.0\.times is required/],
    [{ ...fine, times: 0 }, /times must be >= 1/],
    [{ ...fine, status: 200 }, /status must be >= 400/],
    [{ ...bare, delay_ms: 1, retry_after: 3 }, /^body\.faults\.0\.retry_after: it is a header of the fault/],
    [{ ...fine, connection: "slow" }, /connection must be/],
    [{ ...fine, when: "during" }, /when must be/],
    [bare, /body\.faults\.0/],
    [{ ...bare, delay_ms: 1, code: "X" }, /^body\.faults\.0\.status: it is needed here, .* has no code X /],
    [{ ...bare, code: "constructor" }, /no code constructor/],
    [{ ...fine, token: { revoke: true } }, /^body\.faults\.0\.status: .* Arm two faults\.$/],
    [{ ...bare, stale: true, move: true }, /^body\.faults\.0\.move: the fault has stale too/],
    [{ ...fine, operation: undefined }, /^body\.faults\.0\.operation: it is required, such as createBooking, or \*/],
    [{ ...bare, delivery: { do: "drop" } }, /^body\.faults\.0\.operation: a fault of deliveries hits no requests/],
    [{ ...fine, seed: 1 }, /^body\.faults\.0\.seed: .*Add a share\.$/],
    [{ ...fine, share: 1.5 }, /share must be <= 1/],
    [{ ...bare, token: { form: "long" } }, /operation: a token is issued by createToken/],
    [{ ...bare, operation: "createToken", token: { revoke: true } }, /operation: no token is used there/],
    [{ ...bare, token: { revoke: true, expires_in: 5 } }, /^body\.faults\.0\.token\.revoke: /],
    [{ ...bare, page: { short: true } }, /operation: page has no effect on getMe\. It works on list/],
    [{ ...bare, answer: { leave_out: false } }, /answer\.leave_out: it is false/],
    [{ times: 1, delivery: { do: "drop", late_ms: 5 } }, /late_ms: it works only with late and reorder/],
  ])("%j", async (fault, sentence) => {
    await arm(fine);
    const answer = await arm(fault);
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.body.message).toMatch(sentence);
    expect(await hits()).toEqual([0]);
  });
});
