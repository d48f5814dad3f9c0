// The log over HTTP: requests, acts, moves of the clock, attempts of deliveries and changes of the world, in one order.
import request from "supertest";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { type Answered, anna, openSandbox, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { inputFor, ticket } from "../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });

type Entry = Answered["body"];

const log = async (world: TestWorld, query = ""): Promise<Entry> => (await world.control("get", `log?${query}`)).body;
const itemsOf = async (world: TestWorld, query = ""): Promise<Entry[]> => (await log(world, query)).items;
const idOf = ({ headers }: Answered) => headers["sandbox-request-id"] ?? "";
const book = (world: TestWorld, quantity = 1, headers: Record<string, string> = {}) =>
  world.call("createBooking", { headers, body: inputFor("evt-evening", [ticket("var-adult", quantity)]) });

describe("One trace", () => {
  let world: TestWorld;
  let [booked, cancelled, refused, foretold, moved]: Answered[] = [];
  beforeAll(async () => {
    world = await sandbox.world({ fixture: "harbour-tours" });
    const hook = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.cancelled"], state: "ENABLED" };
    await world.call("createWebhookSubscription", { body: hook });
    booked = await book(world);
    cancelled = await world.act("cancelBooking", { booking_id: booked.body.id });
    refused = await world.act("cancelBooking", { booking_id: booked.body.id });
    await vi.waitFor(async () => expect(await itemsOf(world, "kinds=delivery")).toHaveLength(1), {
      timeout: 30_000,
    });
    foretold = await world.control("post", "clock/advance", { by: "P1D", dry_run: true });
    moved = await world.control("post", "clock/advance", { by: "P1D" });
    await world.control("put", "snapshots/evening");
  });

  it("is in one order, with real time and a number each", async () => {
    const items = await itemsOf(world);
    const others = items.filter(({ kind }) => kind !== "delivery");
    expect(others.map(({ kind, operation, act, change }) => operation ?? act ?? change ?? kind)).toEqual([
      ...["created", "createToken", "createWebhookSubscription", "createBooking", "cancelBooking", "cancelBooking"],
      ...["clock", "snapshot"],
    ]);
    const seqs = items.map(({ seq }) => seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    for (const { wall_at, at, world: of } of items) {
      expect([wall_at, at]).toEqual([expect.stringMatching(/\.\d{3}Z$/), expect.stringMatching(/^2030-06-0/)]);
      expect(of).toBe(world.id);
    }
  });

  it("has the act with its input, its result, its facts and its messages", async () => {
    const id = idOf(cancelled as Answered);
    expect(id).toMatch(/^act-/);
    const { body } = await world.control("get", `log/${id}`);
    expect(body).toMatchObject({
      kind: "act",
      id,
      act: "cancelBooking",
      status: "done",
      code: null,
      input: { booking_id: booked?.body.id },
      result: { id: booked?.body.id },
      facts: cancelled?.body.facts,
      fact_count: cancelled?.body.facts.length,
    });
    expect(body.messages.length).toBeGreaterThan(0);
    expect(body.touched).toContain(booked?.body.id);
    const { body: message } = await world.control("get", `messages/${body.messages[0]}`);
    expect(message.caused_by).toBe(id);
  });

  it("has the rejected act with its code and its sentence", async () => {
    const { body } = await world.control("get", `log/${idOf(refused as Answered)}`);
    expect(body).toMatchObject({
      kind: "act",
      status: "refused",
      code: refused?.body.code,
      message: refused?.body.message,
      facts: [],
      result: null,
      input: { booking_id: booked?.body.id },
    });
  });

  it("has the attempt with its message, its kind and its cause", async () => {
    const [entry] = await itemsOf(world, "kinds=delivery");
    expect(entry).toMatchObject({
      webhook_kind: "v1.booking.cancelled",
      url: "http://127.0.0.1:9/",
      state: "PENDING",
      cause: { kind: "act", id: idOf(cancelled as Answered) },
      next_attempt_at: expect.any(String),
      attempt: { number: 1, outcome: "UNREACHABLE", status: null, error: expect.any(String) },
    });
    expect((await world.control("get", `messages/${entry.message_id}`)).body.deliveries[0].id).toBe(entry.delivery_id);
    expect((await world.control("get", `log/${entry.delivery_id}`)).body.attempt.number).toBeGreaterThan(1);
  });

  it("has one count of a move, however often its delivery was attempted", async () => {
    const { id, receipt, counts } = moved?.body ?? {};
    const attempts = receipt.filter(({ what }: { what: string }) => what === "deliveryAttempted");
    expect(attempts.length).toBeGreaterThan(1);
    expect(counts).toEqual({ due: receipt.length - attempts.length, deliveries: 1 });
    expect(foretold?.body.counts).toEqual(counts);
    expect((await world.control("get", `log/${id}`)).body.counts).toEqual(counts);
    const [summary] = await itemsOf(world, "kinds=clock&view=summary");
    expect(summary.counts).toEqual(counts);
  });

  it("keeps the summary of a move", async () => {
    const { id, receipt, now } = moved?.body ?? {};
    const { body } = await world.control("get", `log/${id}`);
    expect(body).toMatchObject({ kind: "clock", from: "2030-06-01T09:00:00.000Z", to: now, mode: "held", receipt });
    expect(receipt.length).toBeGreaterThan(0);
    expect(body.by).toEqual({ kind: "request", id: idOf(moved as Answered) });
    const [short] = await itemsOf(world, "kinds=clock&view=summary");
    expect(short).not.toHaveProperty("receipt");
  });

  it.each([
    ["kinds=act", 2],
    ["kinds=act&failed=true", 1],
    ["operation=cancelBooking", 2],
    ["operation=createBooking&status=201", 1],
    ["status=4xx", 0],
    ["kinds=act,world&before=1", 0],
    ["q=ANNA%40example&kinds=request", 1],
    ["q=nothing-like-this", 0],
    ["kinds=request&limit=1", 1],
  ])("is filtered by %s", async (query, count) => {
    expect(await itemsOf(world, query)).toHaveLength(count);
  });

  it("is filtered by the records that it touched, and by its cause", async () => {
    const touched = await itemsOf(world, `touches=${booked?.body.id}&kinds=request,act`);
    expect(touched.map(({ operation, act }) => operation ?? act)).toEqual([
      "createBooking",
      "cancelBooking",
      "cancelBooking",
    ]);
    expect(await itemsOf(world, `touches=${booked?.body.id.slice(0, -1)}`)).toEqual([]);
    const caused = await itemsOf(world, `caused_by=${idOf(cancelled as Answered)}`);
    expect(new Set(caused.map(({ kind }) => kind))).toEqual(new Set(["delivery"]));
    expect(await itemsOf(world, `client_id=${world.clientId}&kinds=request`)).not.toHaveLength(0);
  });

  it("is shorter as a summary", async () => {
    const [full] = await itemsOf(world, "operation=createBooking");
    const [short] = await itemsOf(world, "operation=createBooking&view=summary");
    const { scopes, bearer_mark, violations, notes, request, answer, ...rest } = full;
    expect(request.body.customer.name).toBe(anna.name);
    expect([violations, notes, answer.body.id]).toEqual([[], [], booked?.body.id]);
    expect(scopes).toContain("booking.write");
    expect(bearer_mark).toMatch(/^[0-9a-f]{12}$/);
    expect(rest.faults).toEqual([]);
    expect(short).toEqual(rest);
  });
});

it("redacts the secrets of an act", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const made = await world.act("createKey", { name: "Mine", scopes: ["booking.read"] });
  expect(made.body.result.client_secret).toEqual(expect.any(String));
  const { body } = await world.control("get", `log/${idOf(made)}`);
  expect(JSON.stringify(body)).not.toContain(made.body.result.client_secret);
  expect(body.result.client_secret).toBe("[redacted]");
});

it("has an act that breaks its contract, and a trigger, under ids of acts", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const broken = await world.act("cancelBooking", { booking: 7 });
  const trigger = await world.control("post", "trigger", { kind: "v1.event.created" });
  expect((await world.control("get", `log/${idOf(broken)}`)).body).toMatchObject({
    status: "refused",
    code: "BAD_REQUEST",
    input: { booking: 7 },
  });
  const { body } = await world.control("get", `log/${idOf(trigger)}`);
  expect(body).toMatchObject({ act: "trigger v1.event.created", status: "done", result: { id: expect.any(String) } });
  const completed = await world.control("post", "trigger", { kind: "v1.event.completed" });
  const [moved] = await itemsOf(world, "kinds=clock");
  expect(moved.by).toMatchObject({ kind: "act", id: idOf(completed) });
});

it("starts again with a reset, and reports it", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  await world.call("getMe");
  await world.control("put", "snapshots/one");
  await world.control("post", "state/reset");
  expect((await itemsOf(world)).map(({ change }) => change)).toEqual(["reset"]);
  await world.control("post", "snapshots/one/restore");
  const { items, dropped } = await log(world);
  expect(items.map(({ change, detail }: Entry) => [change, detail])).toEqual([["restore", { name: "one" }]]);
  expect(dropped.count).toBe(0);
});

it("lists forks on both sides", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const { body } = await world.control("post", `worlds/${world.id}/fork`, {});
  const [fork] = body.items;
  expect((await itemsOf(world, "kinds=world")).at(-1)).toMatchObject({ change: "fork", detail: { worlds: [fork.id] } });
  const { body: own } = await request(sandbox.router).get(`/_sandbox/log?world=${fork.id}`);
  expect(own.items[0]).toMatchObject({ change: "created", detail: { fork_of: world.id } });
});

describe("A test", () => {
  it("is set for the next requests, and by a request for itself", async () => {
    const world = await sandbox.world({ fixture: "harbour-tours" });
    const hook = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "ENABLED" };
    await world.call("createWebhookSubscription", { body: hook });
    const set = await world.control("put", "mark", { name: "books a seat" });
    expect(set.body).toEqual({ name: "books a seat" });
    await book(world);
    await world.call("getMe", { headers: { "sandbox-test": encodeURIComponent("reads “me”") } });
    await world.act("submitConsent", { email: "a@example.com", full_name: "A" });
    await expect.poll(() => itemsOf(world, "kinds=delivery")).not.toHaveLength(0);
    await world.control("put", "mark", { name: null });
    await world.call("getMe");
    const marked = await itemsOf(world, "test=books%20a%20seat");
    expect(marked.map(({ kind, operation, act }) => operation ?? act ?? kind)).toEqual(
      expect.arrayContaining(["createBooking", "submitConsent", "delivery"]),
    );
    const all = await itemsOf(world, "operation=getMe");
    expect(all.map(({ test }) => test)).toEqual(["reads “me”", null]);
  });
});

it("of a running clock includes what real time caused", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  await world.control("put", "clock", { mode: "running" });
  const real = Date.now;
  Date.now = () => real() + 2 * 24 * 3_600_000;
  try {
    await world.call("getMe");
    const moves = await itemsOf(world, "kinds=clock");
    expect(moves[0]).toMatchObject({ mode: "running", counts: { due: 0, deliveries: 0 }, by: { kind: "request" } });
    expect(moves.at(-1)).toMatchObject({ by: "tick", mode: "running", receipt: expect.any(Array) });
    expect(moves.slice(1).some(({ counts }) => counts.due > 0)).toBe(true);
  } finally {
    Date.now = real;
  }
});

it.each([
  ["log/req-nope", 404, /has no req-nope/],
  ["log?kinds=requests", 400, /kinds/],
  ["log?operation=cancelBoking", 400, /Did you mean cancelBooking/],
  ["log?limit=0", 400, /limit/],
  ["log?failed=yes", 400, /failed/],
])("rejects %s", async (path, status, words) => {
  const world = await sandbox.world({ fixture: "empty" });
  const answer = await world.control("get", path);
  expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(words)]);
});

it("reports the entries that the requests have lost", async () => {
  const small = await openSandbox({ fixture: "empty", logBytes: 5_000 });
  const world = await small.world({ fixture: "empty" });
  const token = await world.token();
  for (let count = 0; count < 11; count++) await world.call("getMe", { token });
  const { body } = await world.control("get", "requests");
  expect(body.items.length).toBeLessThan(12);
  expect(body.items.length + body.dropped.count).toBeGreaterThanOrEqual(12);
  expect(body.dropped.since).toBeLessThan(body.items[0].seq);
  const page = await world.control("get", `requests?before=${body.items.at(-1).seq}&limit=1`);
  expect(page.body.items[0].id).toBe(body.items.at(-2).id);
  await small.close();
});
