// What a test suite does with a sandbox of the library, wherever that runs: one that was started for it, or one that many share.
import { beforeEach, expect, it } from "vitest";
import { type Sandbox, SandboxError, SettingError, TimeoutError, type World } from "../../src/index.ts";

export const CLOCK = "2030-06-01T09:00:00.000Z";
const GUEST = { customer_type: "PRIVATE", name: "Anna Holm", email: "anna@example.com", phone: "+4520304050" };
const address = { address_lines: ["Nyhavn 12"], city: "København K", zip_code: "1051", country: "DK" };
export const BOOKING = {
  event_id: "evt-evening",
  locale: "da",
  customer: { ...GUEST, address },
  items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }],
};

export async function call(at: World, method: string, path: string, body?: object): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${await at.token()}` };
  if (body) headers["content-type"] = "application/json";
  return fetch(at.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

export async function book(at: World): Promise<string> {
  const answer = await call(at, "POST", "/v1/bookings", BOOKING);
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

/** The worlds of the sandbox begin as harbour-tours, at CLOCK. */
export function worksAnywhere(theSandbox: () => Sandbox): void {
  let sandbox: Sandbox;
  let world: World;
  beforeEach(async () => {
    sandbox = theSandbox();
    world = await sandbox.world();
  });

  it("creates separate worlds with their options", async () => {
    const other = await sandbox.world({ id: "theirs", fixture: "empty", clock: "2031-01-01T00:00:00Z", seed: 3 });
    expect([other.id, await other.clock.now()]).toEqual(["theirs", "2031-01-01T00:00:00.000Z"]);
    const id = await book(world);
    expect((await call(world, "GET", `/v1/bookings/${id}`)).status).toBe(200);
    expect((await call(other, "GET", `/v1/bookings/${id}`)).status).toBe(404);
    await expect(sandbox.world({ id: "theirs" })).rejects.toMatchObject({ status: 409 });
    await other.remove();
    await expect(other.clock.now()).rejects.toMatchObject({ status: 404 });
  });

  it("runs acts, and rejects with the code and message of a rejected one", async () => {
    const booking_id = await book(world);
    const { result, facts } = await world.act("cancelBooking", { booking_id });
    expect(result.status).toBe("CANCELLED");
    expect(facts.map(({ fact }) => fact)).toContain("booking.cancelled");
    const refused = await world.act("cancelBooking", { booking_id }).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(SandboxError);
    expect(refused).toMatchObject({ status: 409, code: expect.stringMatching(/^[A-Z_]+$/) });
    // A misspelt name does not compile, and in JavaScript it is an act that does not exist, not a path.
    const misspelt = world.act("cancelBookin" as "cancelBooking", { booking_id });
    await expect(misspelt).rejects.toThrow(/^There is no act cancelBookin\. Did you mean cancelBooking\?$/);
  });

  it("moves its clock, and returns the summary", async () => {
    expect(await world.clock.now()).toBe(CLOCK);
    const { now, receipt } = await world.clock.advance("P1D");
    expect(now).toBe("2030-06-02T09:00:00.000Z");
    expect(receipt).toContainEqual(expect.objectContaining({ what: "eventCompleted", id: "evt-evening" }));
    expect((await world.clock.next()).receipt.length).toBeGreaterThan(0);
    await world.clock.set("2030-06-05T09:00:00Z");
    await world.clock.run();
    await world.clock.hold();
    expect((await world.clock.now()).slice(0, 16)).toBe("2030-06-05T09:00");
  });

  it("waits for webhooks, and reports how many there are after the timeout", async () => {
    const late = world.webhooks.waitFor("v1.booking.cancelled", { timeout: 50_000 });
    const booking_id = await book(world);
    await world.act("cancelBooking", { booking_id });
    expect(await late).toMatchObject({ kind: "v1.booking.cancelled", body: { payload: { booking_id } } });
    expect((await world.webhooks.all("v1.booking.created")).length).toBe(1);
    const tooFew = world.webhooks.waitFor("v1.booking.created", { times: 2, timeout: 50 });
    await expect(tooFew).rejects.toThrow("Waited 50 ms for 2 × v1.booking.created; there are 1.");
    await expect(tooFew).rejects.toBeInstanceOf(TimeoutError);
  });

  it("waits for the message with a matching payload", async () => {
    const booking_id = await book(world);
    const meant = { payload: { booking_id } };
    const found = world.webhooks.waitFor("v1.booking.cancelled", { ...meant, timeout: 50_000 });
    const other = await book(world);
    await world.act("cancelBooking", { booking_id: other });
    await world.act("cancelBooking", { booking_id });
    await world.act("cancelBooking", { booking_id: await book(world) });
    expect((await found).body.payload.booking_id).toBe(booking_id);
    await expect(world.webhooks.waitFor("v1.booking.cancelled", { ...meant, times: 2, timeout: 50 })).rejects.toThrow(
      `Waited 50 ms for 2 × v1.booking.cancelled with {"booking_id":"${booking_id}"}; there are 1.`,
    );
  });

  it("shows the requests that it received", async () => {
    await call(world, "GET", "/v1/bookings/nowhere");
    const [request, ...rest] = await world.requests({ operation: "getBooking" });
    expect([request?.method, request?.status, rest.length]).toEqual(["GET", 404, 0]);
    expect(await world.requests({ status: 500 })).toEqual([]);
  });

  it("fails as often as a fault specifies", async () => {
    const fault = { operation: "createBooking", methods: ["POST"], status: 503, times: 1 } as const;
    await world.faults.arm(fault);
    expect((await call(world, "POST", "/v1/bookings", BOOKING)).status).toBe(503);
    expect(await world.faults.list()).toMatchObject([{ operation: "createBooking", hits: 1 }]);
    await book(world);
    await world.faults.arm({ operation: "getMe", status: 500, times: 1 });
    expect(await world.faults.list()).toMatchObject([{ operation: "createBooking", hits: 1 }, { operation: "getMe" }]);
    await world.faults.clear();
    expect(await world.faults.list()).toEqual([]);
    await expect(world.faults.arm({ operation: "createBookings" as never, status: 503, times: 1 })).rejects.toThrow(
      "createBooking",
    );
  });

  it("is snapshotted, restored, reset and forked", async () => {
    const token = await world.token();
    await world.snapshot("before");
    const id = await book(world);
    const fork = await world.fork();
    await world.restore("before");
    expect((await call(world, "GET", `/v1/bookings/${id}`)).status).toBe(404);
    expect((await call(fork, "GET", `/v1/bookings/${id}`)).status).toBe(200);
    await fork.reset();
    expect((await call(fork, "GET", `/v1/bookings/${id}`)).status).toBe(404);
    const same = await fetch(`${world.url}/v1/bookings`, { headers: { authorization: `Bearer ${token}` } });
    expect(same.status).toBe(200);
  });

  it("creates bookings in bulk, once for a key, and adds none when it is aborted", async () => {
    const first = await world.populate(20, { idempotencyKey: "load", seed: 3 });
    expect(first).toMatchObject({ world: world.id, seed: "3", added: { bookings: 20 } });
    expect(await world.populate(20, { idempotencyKey: "load", seed: 3 })).toEqual(first);
    await expect(world.populate(21, { idempotencyKey: "load" })).rejects.toMatchObject({
      status: 409,
      code: "IDEMPOTENCY_KEY_REUSED",
    });
    await expect(world.populate(0)).rejects.toBeInstanceOf(SandboxError);
    const client = new AbortController();
    const aborted = world.populate(9_000, { signal: client.signal });
    setTimeout(() => client.abort(new Error("enough")), 50);
    await expect(aborted).rejects.toThrow("enough");
    expect((await world.populate(1)).added.bookings).toBe(1);
  });

  it("overrides an assumption", async () => {
    await world.assume({ "booking-create-status": "200" });
    expect((await call(world, "POST", "/v1/bookings", BOOKING)).status).toBe(200);
    // @ts-expect-error the assumption has no such value
    await expect(world.assume({ "booking-create-status": "299" })).rejects.toBeInstanceOf(SandboxError);
  });

  it("rejects invalid options of a world like its own", async () => {
    await expect(sandbox.world({ clok: "x" } as never)).rejects.toThrow("There is no option clok. Did you mean clock?");
    await expect(sandbox.world({ port: 1 } as never)).rejects.toBeInstanceOf(SettingError);
    await expect(sandbox.world({ webhookUrl: "foo" })).rejects.toThrow("foo is not a URL");
    await expect(sandbox.world({ webhookEvents: ["v1.booking.created"] })).rejects.toThrow("Add webhookUrl");
  });
}
