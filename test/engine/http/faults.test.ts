// Faults: each misbehaves as it was asked to, as often as it was asked to, and no more.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";
import { FORM, form, type ReceivedAnswer, rawRequest } from "./http-kit.ts";

let sandbox: TestSandbox;
let world: TestWorld;
let token: string;

beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
});
beforeEach(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
});
afterAll(() => sandbox.close());

const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
const arm = (...faults: object[]) => world.control("put", "faults", { faults });
const add = (fault: object) => world.control("post", "faults", fault);
const listed = async (): Promise<{ name: string; hits: number }[]> =>
  (await world.control("get", "faults")).body.faults;
const hits = async () => (await listed()).map(({ hits: count }) => count);
const names = async () => (await listed()).map(({ name }) => name);
const subscriptions = async () => (await world.control("get", "")).body.counts.subscriptions;

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
    const members = { grant_type: "client_credentials", audience: sandbox.url };
    const body = form({ ...members, client_id: other.client_id, client_secret: other.client_secret });
    expect((await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers: FORM, body })).status).toBe(503);
    expect(await hits()).toEqual([0, 1]);
  });

  it("hits the token endpoint in its own format", async () => {
    await arm({ operation: "createToken", status: 503, times: 1 });
    const members = {
      grant_type: "client_credentials",
      audience: sandbox.url,
      client_id: world.clientId,
      client_secret: world.clientSecret,
    };
    const answer = await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers: FORM, body: form(members) });
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

describe("Arming is rejected, and keeps the armed faults,", () => {
  const fine = { operation: "getMe", status: 500, times: 1 };
  it.each<[string, object, RegExp]>([
    [
      "for an unknown operation",
      { ...fine, operation: "getmee" },
      /body\.faults\.0\.operation: there is no operation getmee that a fault can hit\. Did you mean getMe\?/,
    ],
    ["for an operation called constructor", { ...fine, operation: "constructor" }, /no operation constructor/],
    ["with a name that nobody knows", { ...fine, statuscode: 500 }, /statuscode/],
    ["without times", { ...fine, times: undefined }, /body\.faults\.0\.times is required/],
    ["zero times", { ...fine, times: 0 }, /times must be >= 1/],
    ["with a success", { ...fine, status: 200 }, /status must be >= 400/],
    [
      "with a Retry-After of no answer",
      { operation: "getMe", delay_ms: 1, retry_after: 3, times: 1 },
      /^body\.faults\.0\.retry_after: it is a header of the fault/,
    ],
    ["with another connection", { ...fine, connection: "slow" }, /connection must be/],
    ["with another moment", { ...fine, when: "during" }, /when must be/],
    ["when it does nothing", { operation: "getMe", times: 1 }, /body\.faults\.0/],
    [
      "with a code that the service has not, and no status",
      { operation: "getMe", delay_ms: 1, code: "X", times: 1 },
      /^body\.faults\.0\.status: it is needed here, since the service has no code X /,
    ],
    ["with a code called constructor", { operation: "getMe", code: "constructor", times: 1 }, /no code constructor/],
  ])("%s", async (_, fault, sentence) => {
    await arm(fine);
    const answer = await arm(fault);
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(answer.body.message).toMatch(sentence);
    expect(await hits()).toEqual([0]);
  });
});
