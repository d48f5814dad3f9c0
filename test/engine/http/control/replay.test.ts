// A request of the log is sent again: the same, or with members of its body changed, in the world as it is now.
import { describe, expect, it } from "vitest";
import { renewWorld, shareSandbox } from "../../../sandbox.ts";
import { book, done, inputFor, smallWorld, ticket } from "../../operations/kit.ts";
import { FORM, form, send } from "../http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = renewWorld(() => smallWorld(sandbox, 3));

const latest = async () => (await world.control("get", "requests?limit=1")).body.items[0];
const replay = (id: string, set?: object) =>
  world.control("post", `requests/${id}/replay`, set === undefined ? {} : { set });
const bookings = async () => (await world.call("listBookings")).body.items.length;

describe("A request is replayed", () => {
  it("unchanged, as a new request in the log that refers to the first", async () => {
    await book(world, "evt-noon");
    const first = await latest();
    const { status, body } = await replay(first.id);
    expect([status, body.status]).toEqual([200, 201]);
    expect(body.answer.id).not.toBe(first.answer.body.id);
    const second = await latest();
    expect(second).toMatchObject({
      id: body.id,
      operation: "createBooking",
      client_id: world.clientId,
      scopes: first.scopes,
      request: { body: first.request.body, headers: { "sandbox-replay-of": first.id } },
      answer: { body: body.answer },
      facts: expect.arrayContaining([{ fact: "booking.created", id: body.answer.id }]),
    });
    expect(await bookings()).toBe(2);
  });

  it("with changes that make a rejected request succeed", async () => {
    await book(world, "evt-noon", [ticket("var-adult", 4)]);
    const refused = await latest();
    expect(refused.status).toBe(409);
    expect((await replay(refused.id)).body).toMatchObject({ status: 409, answer: { code: "NOT_ENOUGH_RESOURCES" } });
    const set = { "items.0.quantity": 3, "customer.name": "Bo Lund", "metadata.mine": "yes" };
    const { body } = await replay(refused.id, set);
    expect(body.status).toBe(201);
    expect((await latest()).request.body).toEqual({
      ...refused.request.body,
      customer: { ...refused.request.body.customer, name: "Bo Lund" },
      items: [{ ...refused.request.body.items[0], quantity: 3 }],
      metadata: { mine: "yes" },
    });
  });

  it("without a field that is null, and with another item in a list", async () => {
    await book(world, "evt-noon");
    const { id } = await latest();
    expect((await replay(id, { event_id: null })).body).toMatchObject({ status: 400 });
    await replay(id, { "items.1": ticket("var-adult") });
    expect((await latest()).request.body.items).toHaveLength(2);
    await replay(id, { "items.0": null });
    expect((await latest()).request.body.items).toHaveLength(0);
  });

  it("with another value in its query, its path or a header", async () => {
    await world.call("listBookings", { query: "limit=2&status=ACTIVE" });
    const list = await latest();
    await replay(list.id, { "query.limit": 1, "query.status": null });
    expect((await latest()).request.query).toEqual({ limit: "1" });
    await replay(list.id, { "query.status": ["ACTIVE", "MOVED"] });
    expect((await latest()).request.query).toEqual({ limit: "2", status: "ACTIVE,MOVED" });
    const { body: made } = await book(world, "evt-noon");
    await world.call("getBooking", { path: { bookingId: "nobody" } });
    const missed = await latest();
    const found = await replay(missed.id, { "path.bookingId": made.id });
    expect(found.body).toMatchObject({ status: 200, answer: { id: made.id } });
    await world.call("getExperience", { path: { experienceId: "exp-tour" } });
    const { id } = await latest();
    expect((await replay(id, { "header.Accept-Language": "xx" })).body.status).toBe(406);
    expect((await replay(id, { "path.bookingId": "x" })).status).toBe(400);
  });

  it("with the original scopes after its token has expired", async () => {
    const token = await world.token(["booking.read"]);
    await world.call("listBookings", { token, query: "limit=2&status=ACTIVE" });
    const read = await latest();
    await world.call("createBooking", { token, body: inputFor("evt-noon") });
    const refused = await latest();
    await world.control("post", "clock/advance", { by: "PT2H" });
    const again = (await replay(read.id)).body;
    expect(again.status).toBe(200);
    expect(await latest()).toMatchObject({ path: read.path, request: { query: read.request.query } });
    expect((await replay(refused.id)).body).toMatchObject({ status: 403, answer: { code: refused.answer.body.code } });
  });

  it("without a token if it had none, and is rejected again", async () => {
    const { status } = await send(sandbox, "/v1/me?x=1");
    expect(status).toBe(401);
    const [{ id }] = (await send(sandbox, "/_sandbox/requests?limit=1")).body.items;
    const answer = await send(sandbox, `/_sandbox/requests/${id}/replay`, { method: "POST" });
    expect(answer.body).toMatchObject({ status: 401, answer: { code: "UNAUTHORIZED" } });
  });

  it("with the bytes of a body that is not JSON", async () => {
    const token = await world.token();
    const headers = { "content-type": "application/json" };
    await send(sandbox, "/v1/bookings", { method: "POST", token, headers, body: '{"event_id": ' });
    const first = await latest();
    expect((await replay(first.id)).body).toMatchObject({ status: 400 });
    expect((await latest()).request.body).toBe('{"event_id": ');
    const changed = await replay(first.id, { event_id: "evt-noon" });
    expect([changed.status, changed.body.message]).toEqual([
      400,
      expect.stringMatching(/^body\.set\.event_id: .* has no JSON body\./),
    ]);
  });

  it("under the currently armed faults", async () => {
    await book(world, "evt-noon");
    const { id } = await latest();
    const fault = { operation: "createBooking", times: 1 };
    await world.control("put", "faults", { faults: [{ ...fault, status: 503 }] });
    expect((await replay(id)).body).toMatchObject({ status: 503, answer: { code: "SERVICE_UNAVAILABLE" } });
    await world.control("put", "faults", { faults: [{ ...fault, connection: "reset", when: "after" }] });
    expect((await replay(id)).body).toEqual({ id: expect.stringMatching(/^req-/), status: null, answer: null });
  });
});

describe("A replay is rejected", () => {
  it("if the body has a secret that the log does not store, unless it is given", async () => {
    const members = { grant_type: "client_credentials", audience: sandbox.url, client_id: world.clientId };
    const body = form({ ...members, client_secret: world.clientSecret });
    await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers: FORM, body });
    const { id } = await latest();
    const { status, body: refused } = await replay(id);
    expect([status, refused]).toEqual([
      409,
      { code: "NOT_KEPT", message: expect.stringContaining("does not keep its client_secret") },
    ]);
    expect((await replay(id, { client_secret: world.clientSecret })).body).toMatchObject({
      status: 200,
      answer: { access_token: expect.any(String) },
    });
  });

  it("for an unknown request, an unknown path, or a deleted key", async () => {
    expect((await replay("req-none-1")).status).toBe(404);
    await book(world, "evt-noon");
    const { id } = await latest();
    for (const set of [{ "items.5.quantity": 1 }, { "event_id.x": 1 }, { "items.first": 1 }]) {
      const { status, body } = await replay(id, set);
      expect([status, body.message]).toEqual([400, expect.stringMatching(/^body\.set\./)]);
    }
    expect((await replay(id, { "__proto__.polluted": 1 })).status).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    await done(world, "revokeKey", { client_id: world.clientId });
    expect((await replay(id)).body).toMatchObject({ status: 401 });
  });
});
