// The request journal: what came and what became of it, without what is secret, and never more than it may hold.
import request from "supertest";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { shareSandbox, shareWorld, type TestWorld } from "../../sandbox.ts";
import { FORM, form, send } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox, { fixture: "empty" });

const subscription = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
const idOf = ({ headers }: { headers: Record<string, string> }) => headers["sandbox-request-id"] ?? "";

it("A request is found by the id in its response, with all its details", async () => {
  const answer = await world.call("listBookings", { query: { limit: 5 } });
  const { body } = await world.control("get", `requests/${idOf(answer)}`);
  expect(body).toMatchObject({
    id: idOf(answer),
    at: "2030-06-01T09:00:00.000Z",
    world: world.id,
    client_id: world.clientId,
    method: "GET",
    path: "/v1/bookings",
    operation: "listBookings",
    status: 200,
    violations: [],
    notes: [],
    request: { query: { limit: "5" }, body: null },
    answer: { body: { items: [] } },
    facts: [],
    messages: [],
  });
  expect(body.duration_ms).toBeGreaterThan(0);
});

it("A write shows its facts", async () => {
  const answer = await world.act("submitConsent", { full_name: "Anna", email: "anna@example.com", source: "checkout" });
  expect(answer.status).toBe(200);
  const created = await world.call("createWebhookSubscription", { body: subscription });
  const { body } = await world.control("get", `requests/${idOf(created)}`);
  expect(body.facts.map(({ fact }: { fact: string }) => fact)).toEqual(["webhook_subscription.created"]);
});

it("A rejected token request has the time of its client's world", async () => {
  const ahead = await sandbox.world({ fixture: "empty", clock: "2031-01-01T00:00:00Z" });
  const right = {
    grant_type: "client_credentials",
    audience: sandbox.url,
    client_id: ahead.clientId,
    client_secret: ahead.clientSecret,
  };
  const sendToken = (members: Record<string, string>) =>
    send(sandbox, "/oauth2/token", { body: form({ ...right, ...members }), headers: FORM });
  await ahead.control("post", "faults", { operation: "createToken", status: 503, times: 1 });
  expect((await sendToken({})).status).toBe(503);
  expect((await sendToken({ client_secret: "wrong" })).status).toBe(401);
  expect((await sendToken({ grant_type: "" })).status).toBe(400);
  const { body } = await ahead.control("get", "log?kinds=request");
  expect(body.items.map(({ status, at }: { status: number; at: string }) => [status, at])).toEqual(
    [503, 401, 400].map((status) => [status, "2031-01-01T00:00:00.000Z"]),
  );
});

it("A request without a known operation is in the log of the world of its token", async () => {
  const own = await sandbox.world({ fixture: "empty", clock: "2031-01-01T00:00:00Z" });
  const token = (await own.control("post", "token", {})).body.access_token;
  const headers = { authorization: `Bearer ${token}` };
  const requests = [
    ["GET", "/v1/booking/bkg-evening", 404],
    ["DELETE", "/v1/bookings", 405],
  ] as const;
  for (const [method, path, status] of requests)
    expect((await send(sandbox, path, { method, headers })).status).toBe(status);
  const { body } = await own.control("get", "log?kinds=request");
  expect(body.items.map(({ path, status, at }: Record<string, unknown>) => [path, status, at])).toEqual(
    requests.map(([, path, status]) => [path, status, "2031-01-01T00:00:00.000Z"]),
  );
});

describe("A secret is redacted", () => {
  const looked = async (answer: { headers: Record<string, string> }, where = world) =>
    JSON.stringify((await where.control("get", `requests/${idOf(answer)}`)).body);

  it("in the headers, and in the response of the token endpoint", async () => {
    const members = {
      grant_type: "client_credentials",
      audience: sandbox.url,
      client_id: world.clientId,
      client_secret: world.clientSecret,
    };
    const answer = await send(sandbox, "/oauth2/token", { body: form(members), headers: FORM });
    const view = await looked(answer);
    expect(view).toContain("[redacted]");
    expect(view).not.toContain(world.clientSecret);
    expect(view).not.toContain(answer.body.access_token);
    const me = await world.call("getMe", { token: answer.body.access_token, headers: { cookie: "session=1234567" } });
    expect(await looked(me)).not.toMatch(new RegExp(`${answer.body.access_token}|1234567`));
  });

  it.each([
    ["as JSON", () => JSON.stringify({ client_secret: world.clientSecret }), "application/json"],
    ["as text", () => `client_secret=${world.clientSecret}&x=1`, "text/plain"],
    ["as broken JSON", () => `{"client_secret": "${world.clientSecret}"`, "application/json"],
    ["without a type", () => `x=1&client_secret=${world.clientSecret}`, ""],
  ])("in the wrong place: %s", async (_, body, type) => {
    const answer = await send(sandbox, "/oauth2/token", {
      body: Buffer.from(body()),
      headers: type ? { "content-type": type } : {},
    });
    const { body: view } = await request(sandbox.router).get(`/_sandbox/requests/${idOf(answer)}`);
    expect(JSON.stringify(view)).toContain("[redacted]");
    expect(JSON.stringify(view)).not.toContain(world.clientSecret);
  });

  it("under any other name, and only if it is a secret", async () => {
    const token = await world.token();
    const query = new URLSearchParams({
      key: token,
      ref: `a ${world.clientSecret} b`,
      cursor: "world.0123456789abXY",
      id: token.slice(0, -1),
    });
    const answer = await request(sandbox.router).get(`/v1/bookings?${query}`).auth(token, { type: "bearer" });
    const { body: view } = await world.control("get", `requests/${idOf(answer)}`);
    expect(view.request.query).toEqual({
      // The world is no secret.
      key: token.replace(/[^.]+$/, "[redacted]"),
      ref: "a [redacted] b",
      cursor: "world.0123456789abXY",
      id: token.slice(0, -1),
    });
  });

  it("in a query", async () => {
    const answer = await send(sandbox, `/v1/me?client_secret=${world.clientSecret}&access%5Ftoken=hunter2`, {
      token: await world.token(),
    });
    const logged = await looked(answer);
    expect(logged).not.toContain(world.clientSecret);
    expect(logged).not.toContain("hunter2");
  });

  it("of a subscription", async () => {
    const answer = await world.call("createWebhookSubscription", { body: subscription });
    expect(answer.body.secret).toMatch(/^whsec_/);
    expect(await looked(answer)).not.toContain(answer.body.secret);
  });
});

describe("The list", () => {
  let busy: TestWorld;
  const of = async (query: string) =>
    (await busy.control("get", `requests?${query}`)).body.items.map(
      ({ operation, status }: { operation: string; status: number }) => `${operation} ${status}`,
    );
  let second = "";

  beforeAll(async () => {
    busy = await sandbox.world({ fixture: "empty" });
    const token = await busy.token();
    await busy.call("getMe", { token });
    second = idOf(await busy.call("listBookings", { token }));
    await busy.control("post", "clock/advance", { by: "PT1M" });
    await busy.call("listBookings", { query: "limit=0", token });
    await busy.call("getBooking", { path: { bookingId: "x" }, token });
  });

  it.each([
    ["", ["createToken 200", "getMe 200", "listBookings 200", "listBookings 400", "getBooking 404"]],
    ["operation=listBookings", ["listBookings 200", "listBookings 400"]],
    ["status=404", ["getBooking 404"]],
    ["status=4xx", ["listBookings 400", "getBooking 404"]],
    ["operation=listBookings&status=2xx", ["listBookings 200"]],
    ["limit=1", ["getBooking 404"]],
    ["limit=2&status=2xx", ["getMe 200", "listBookings 200"]],
    ["since=2030-06-01T09:01:00Z", ["listBookings 400", "getBooking 404"]],
    ["since=2030-06-01T11:00:30%2B02:00", ["listBookings 400", "getBooking 404"]],
    ["since=2030-06-01T09:01:00.001Z", []],
    ["operation=listOrders", []],
    ["operation=advanceClock", []],
  ])("with %s shows the newest, oldest first", async (query, expected) => {
    expect(await of(query)).toEqual(expected);
  });

  it("continues after a request, and with everything if that one is dropped", async () => {
    expect(await of(`since=${second}`)).toEqual(["listBookings 400", "getBooking 404"]);
    expect(await of("since=req-gone-1")).toHaveLength(5);
  });

  it.each([
    [
      "requests?operation=getbooking",
      /^query\.operation: there is no operation getbooking\. Did you mean getBooking\?$/,
    ],
    ["requests?operation=nope&wait_for=1&timeout=60000", /^query\.operation: /],
    ["requests?operation=advanceclock", /Did you mean advanceClock\?$/],
    ["requests?since=foo", /^query\.since: foo is neither the id of a request nor an instant/],
    ["messages?kind=nope&wait_for=1&timeout=60000", /^query\.kind /],
  ])("rejects %s, which can match nothing", async (path, sentence) => {
    const answer = await busy.control("get", path);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        code: "BAD_REQUEST",
        message: expect.stringMatching(sentence),
        parameter: expect.any(String),
        violations: expect.any(Array),
      },
    ]);
  });

  it.each("status=9xx status=abc limit=0 limit=1001 wait_for=0 timeout=-1 timeout=60001 limit=1e1".split(" "))(
    "rejects %s",
    async (query) => {
      expect((await busy.control("get", `requests?${query}`)).status).toBe(400);
    },
  );
});

describe("Waiting", () => {
  it("ends when the expected number has arrived", async () => {
    const own = await sandbox.world({ fixture: "empty" });
    const token = await own.token();
    const waiting = own.control("get", "requests?operation=getMe&wait_for=2&timeout=60000");
    await own.call("getMe", { token });
    await own.call("getMe", { token });
    expect((await waiting).body.items).toHaveLength(2);
  });

  it("for messages shows none of them until there are enough", async () => {
    const own = await sandbox.world({ fixture: "empty" });
    const listing = vi.spyOn(sandbox.running.application.messages, "list");
    const waiting = own.control("get", "messages?kind=v1.marketing_consent.created&wait_for=20&timeout=60000");
    for (let count = 0; count < 20; count++) {
      await own.act("addLocation", {});
      await own.act("submitConsent", { email: `${count}@example.com`, full_name: "A" });
    }
    expect((await waiting).body.items).toHaveLength(20);
    expect(listing).toHaveBeenCalledTimes(1);
  });

  it("is not affected by a smaller limit", { timeout: 50_000 }, async () => {
    const own = await sandbox.world({ fixture: "empty" });
    const token = await own.token();
    for (let count = 0; count < 3; count++) await own.call("getMe", { token });
    expect(
      (await own.control("get", "requests?operation=getMe&wait_for=3&limit=1&timeout=60000")).body.items,
    ).toHaveLength(1);
  });

  it("ends after the timeout with the current entries", async () => {
    const start = performance.now();
    const answer = await world.control("get", "requests?operation=listOrders&wait_for=1&timeout=60");
    expect([answer.status, answer.body.items]).toEqual([200, []]);
    expect(performance.now() - start).toBeGreaterThanOrEqual(55);
  });
});

it("An internal error of the sandbox is in the journal, but not in the response", async () => {
  const own = await sandbox.world({ fixture: "empty" });
  const operation = sandbox.running.application.operations.get("getMe") as unknown as { answer: () => unknown };
  const { answer } = operation;
  operation.answer = () => {
    throw new TypeError("the wheel came off");
  };
  const token = await own.token();
  const failed = await request(sandbox.router).get("/v1/me").auth(token, { type: "bearer" });
  operation.answer = answer;
  expect([failed.status, failed.body.code]).toEqual([500, "INTERNAL_SERVER_ERROR"]);
  expect(failed.body.message).toContain(idOf(failed));
  expect(failed.text).not.toContain("wheel");
  expect((await own.control("get", `requests/${idOf(failed)}`)).body.notes[0]).toContain(
    "TypeError: the wheel came off",
  );
});
