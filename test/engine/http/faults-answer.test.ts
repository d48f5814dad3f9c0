// Faults of answers and pages, and of what happens right after an answer: what is changed is told in the log, and no record is changed by
// a changed answer.
import { describe, expect, it } from "vitest";
import { anna, renewWorld, shareSandbox } from "../../sandbox.ts";
import { ADULT, book } from "../operations/kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

const arm = (fault: object) => world.control("put", "faults", { faults: [{ times: 1, ...fault }] });
const hits = async () => (await world.control("get", "faults")).body.faults[0].hits;
const reported = async () =>
  (await world.control("get", "log?kinds=request&view=summary")).body.items
    .at(-1)
    .faults.map(({ did }: { did: string }) => did);

describe("A response has", () => {
  it("unknown values where the specification allows them", async () => {
    const path = { orderId: "" };
    let before = { items: [] as object[] };
    for (const { id } of (await world.call("listOrders")).body.items) {
      path.orderId = id;
      before = (await world.call("listOrderTransactions", { path })).body;
      if (before.items.length > 0) break;
    }
    await arm({ operation: "*", answer: { unknown_value: true } });
    expect((await world.call("getMe")).status).toBe(200);
    expect(await hits()).toBe(0);
    const { body } = await world.call("listOrderTransactions", { path });
    expect(JSON.stringify(body)).toContain('"SANDBOX_UNKNOWN"');
    expect(await reported()).toEqual([expect.stringMatching(/^put SANDBOX_UNKNOWN at [\w.]+$/)]);
    expect((await world.call("listOrderTransactions", { path })).body).toEqual(before);
  });

  it("an unknown value only at the named field", async () => {
    await arm({ operation: "*", answer: { unknown_value: "detail_code" } });
    await world.call("listInformationRequests");
    expect(await hits()).toBe(0);
    await world.call("listJournalEntries");
    expect(await hits()).toBe(1);
  });

  it.each([
    [
      "*",
      "colour",
      "colour is not an extensible field of any operation. These are: detail_code, handle, provider, type.",
    ],
    ["listJournalEntries", "type", "type is not an extensible field of listJournalEntries. These are: detail_code."],
    ["getMe", true, "no response of getMe has an extensible field."],
  ])("no unknown value of %s at %s, which is a closed enum", async (operation, unknown_value, sentence) => {
    const { status, body } = await arm({ operation, answer: { unknown_value } });
    expect([status, body.message]).toEqual([400, expect.stringContaining(sentence)]);
  });

  it("unknown fields in every object except maps of the integrator's own names", async () => {
    const { body: made } = await world.call("listBookings", { query: { limit: 1 } });
    await arm({ operation: "listBookings", answer: { unknown_members: true } });
    const { body } = await world.call("listBookings", { query: { limit: 1 } });
    expect([body.sandbox_unknown, body.items[0].sandbox_unknown]).toEqual([expect.anything(), expect.anything()]);
    expect(body.items[0].metadata ?? {}).not.toHaveProperty("sandbox_unknown");
    expect(await reported()).toEqual([expect.stringMatching(/^put an unknown member into \d+ objects$/)]);
    expect((await world.call("listBookings", { query: { limit: 1 } })).body).toEqual(made);
  });

  it.each([
    ["getLocation", ["id"], "id is not an optional field of getLocation. These are: "],
    ["getLocation", ["address_lines", "nope"], "nope is not an optional field of getLocation. These are: "],
    ["*", ["nope"], "nope is not an optional field of any operation. These are: "],
    ["deleteWebhookSubscription", ["id"], "no response of deleteWebhookSubscription has an optional field."],
  ])("not both missing, in %s, %j, of which one is always present", async (operation, leave_out, sentence) => {
    const { status, body } = await arm({ operation, answer: { leave_out } });
    expect([status, body.message]).toEqual([400, expect.stringContaining(sentence)]);
  });

  it("no optional field, and an empty list of address lines", async () => {
    const id = (await world.call("listLocations")).body.items[0].id;
    const before = (await world.call("getLocation", { path: { locationId: id } })).body;
    await arm({ operation: "getLocation", answer: { leave_out: true } });
    const { body } = await world.call("getLocation", { path: { locationId: id } });
    expect(Object.keys(body).length).toBeLessThan(Object.keys(before).length);
    await arm({ operation: "getLocation", answer: { leave_out: ["address_lines"] } });
    const { body: without } = await world.call("getLocation", { path: { locationId: id } });
    expect(without.address.address_lines).toEqual([]);
    expect(await reported()).toEqual(["left out address.address_lines"]);
  });

  it("no optional part of an optional field that is present", async () => {
    const id = (await world.call("listLocations")).body.items.at(-1).id;
    const path = { locationId: id };
    const { address, ...before } = (await world.call("getLocation", { path })).body;
    expect(address).toMatchObject({ region: "NY", address_lines: ["Pier 26", "Hudson River Park"] });
    await arm({ operation: "getLocation", answer: { leave_out_inside: true } });
    const { body } = await world.call("getLocation", { path });
    expect(body).toEqual({ ...before, address: { ...address, address_lines: [], region: undefined } });
  });

  it("what a client sent for a record, also if optional fields are removed", async () => {
    const metadata = { order: "A-1" };
    await arm({ operation: "*", answer: { leave_out: true }, times: 9 });
    const { body: made } = await book(world, "evt-evening", [ADULT], { metadata });
    const path = { bookingId: made.id };
    const { body: read } = await world.call("getBooking", { path });
    expect(read).toMatchObject({ customer: anna, metadata });
    await arm({ operation: "*", answer: { leave_out_inside: true }, times: 9 });
    expect((await world.call("getBooking", { path })).body).toMatchObject({ customer: anna, metadata });
    await arm({ operation: "*", answer: { leave_out: true }, times: 9 });
    const others = (await world.call("listBookings")).body.items.filter(({ id }: { id: string }) => id !== made.id);
    expect(others.filter((each: object) => "metadata" in each)).toEqual([]);
    await arm({ operation: "getBooking", answer: { leave_out: ["metadata"] } });
    const { body: without } = await world.call("getBooking", { path });
    expect(without).not.toHaveProperty("metadata");
  });

  it("the effects of several faults, in the order of the list", async () => {
    const faults = [
      { operation: "listBookings", answer: { unknown_members: true }, times: 1 },
      { operation: "listBookings", page: { short: true }, times: 1, name: "half a page" },
      { operation: "*", status: 503, when: "after", skip: 1, times: 1 },
    ];
    await world.control("put", "faults", { faults });
    expect((await world.call("listBookings")).status).toBe(200);
    const entry = (await world.control("get", "log?kinds=request")).body.items.at(-1);
    expect(entry.faults.map(({ name }: { name: string }) => name)).toEqual([
      "listBookings: unknown members",
      "half a page",
    ]);
    expect((await world.call("listBookings")).status).toBe(503);
  });
});

describe("A page", () => {
  async function all(limit: number): Promise<{ ids: string[]; sizes: number[]; next: unknown }> {
    const [ids, sizes]: [string[], number[]] = [[], []];
    let next: string | undefined;
    do {
      const query = { limit, ...(next ? { cursor: next } : {}) };
      const { body } = await world.call("listEvents", { query });
      ids.push(...body.items.map(({ id }: { id: string }) => id));
      sizes.push(body.items.length);
      next = body.next;
    } while (next);
    return { ids, sizes, next };
  }

  it("is short and has a next, and no item is missed by following it", async () => {
    const whole = await all(100);
    expect(whole.ids.length).toBeGreaterThan(2);
    await arm({ operation: "listEvents", page: { short: true } });
    const { ids, sizes } = await all(100);
    expect(ids).toEqual(whole.ids);
    expect(sizes[0]).toBe(Math.floor(whole.ids.length / 2));
  });

  it("leads to itself, as often as the fault states, and then to the next page", async () => {
    const whole = await all(2);
    await arm({ operation: "listEvents", page: { stuck: true }, times: 2 });
    const { ids } = await all(2);
    expect(ids).toEqual([
      ...whole.ids.slice(0, 2),
      ...whole.ids.slice(2, 4),
      ...whole.ids.slice(2, 4),
      ...whole.ids.slice(2),
    ]);
    expect(await hits()).toBe(2);
  });

  it("has no items and a next that leads to them", async () => {
    const whole = await all(2);
    await arm({ operation: "listEvents", page: { hollow: true }, times: 2 });
    const { ids, sizes } = await all(2);
    expect([ids, sizes.slice(0, 4)]).toEqual([whole.ids, [2, 0, 0, 2]]);
  });

  it("ends with an empty next, or without one", async () => {
    await arm({ operation: "listEvents", page: { end: "empty" } });
    expect((await all(2)).next).toBe("");
    expect(await reported()).toEqual(["ended the list with an empty next"]);
    await arm({ operation: "listEvents", page: { end: "absent" } });
    expect((await all(2)).next).toBeUndefined();
  });

  it("is followed by a change of the list", async () => {
    const before = await all(100);
    await arm({ operation: "listEvents", page: { change: true } });
    await all(2);
    const [did] = (await world.control("get", "log?kinds=request&view=summary")).body.items.flatMap(
      ({ faults }: { faults: { did: string }[] }) => faults.map((each) => each.did),
    );
    expect(did).toMatch(/^changed the list after this page \(v1\.event\.created/);
    expect(new Set((await all(100)).ids)).not.toEqual(new Set(before.ids));
  });

  it("loses a booking by state when the host cancels one, and gets another", async () => {
    const active = async (limit: number) =>
      (await world.call("listBookings", { query: { status: ["ACTIVE"], limit } })).body.items as { id: string }[];
    const before = (await active(100)).map(({ id }) => id);
    await arm({ operation: "listBookings", page: { change: true } });
    await active(1);
    const after = (await active(100)).map(({ id }) => id);
    expect(before.filter((id) => !after.includes(id))).toHaveLength(1);
    expect(after.filter((id) => !before.includes(id))).toHaveLength(1);
  });
});

it("An availability is outdated when it arrives, because all remaining seats have been booked", async () => {
  const events = (await world.call("listEvents")).body.items as { id: string; experience_id: string }[];
  const path = { eventId: "" };
  for (const { id } of events) {
    path.eventId = id;
    if ((await world.call("getEventAvailability", { path })).body.available) break;
  }
  await arm({ operation: "getEventAvailability", stale: true });
  expect((await world.call("getEventAvailability", { path })).body.available).toBe(true);
  expect(await reported()).toEqual([
    `another party booked all that was left of event ${path.eventId} after the answer`,
  ]);
  expect((await world.call("getEventAvailability", { path })).body.available).toBe(false);
});

it("The host moves a booking after the response that contains it", async () => {
  const items = (await world.call("listBookings")).body.items as { id: string; status: string }[];
  const id = items.find(({ status }) => status === "ACTIVE")?.id ?? "";
  const path = { bookingId: id };
  await arm({ operation: "getBooking", move: true });
  expect((await world.call("getBooking", { path })).body.status).toBe("ACTIVE");
  expect(await reported()).toEqual([expect.stringMatching(/^the host moved booking .* to event .* after the answer$/)]);
  expect((await world.call("getBooking", { path })).body.status).toBe("MOVED");
});

it("Faults of responses affect neither errors nor other worlds", async () => {
  await arm({ operation: "*", answer: { unknown_members: true }, times: 5 });
  expect((await world.call("getBooking", { path: { bookingId: "none" } })).body).not.toHaveProperty("sandbox_unknown");
  const other = await sandbox.world();
  expect((await other.call("getMe")).body).not.toHaveProperty("sandbox_unknown");
  expect(await hits()).toBe(0);
});
