// A list that is asked for again and again is the same, byte for byte; and a record that has changed is shown as it is now.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSandbox, type TestSandbox } from "../../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

test("a list of bookings is the same each time, and in pages", async () => {
  const world = await sandbox.world();
  const list = (query = {}) => world.call("listBookings", { query });
  const first = await list();
  for (let again = 0; again < 3; again++) expect((await list()).text).toBe(first.text);
  expect(first.text).toBe(JSON.stringify(first.body));
  const some = await list({ limit: 7 });
  expect(some.text).toBe(JSON.stringify({ next: some.body.next, items: first.body.items.slice(0, 7) }));
  expect((await list({ limit: 1 })).body.items).toEqual(first.body.items.slice(0, 1));
});

test("a cancelled booking is listed as cancelled, and the others as before", async () => {
  const world = await sandbox.world();
  const list = async () => (await world.call("listBookings")).body.items;
  const before = await list();
  for (let again = 0; again < 3; again++) await list();
  const { id } = before.find((booking: { status: string }) => booking.status === "ACTIVE");
  await world.act("cancelBooking", { booking_id: id, refund: "full" });
  const after = await list();
  const statusOf = (items: { id: string; status: string }[]) => items.find((booking) => booking.id === id)?.status;
  expect([statusOf(before), statusOf(after)]).toEqual(["ACTIVE", "CANCELLED"]);
  const others = (items: { id: string }[]) => items.filter((booking) => booking.id !== id);
  expect(others(after)).toEqual(others(before));
});

test("a fault in a list, or another world with the same bookings, does not affect a cached list", async () => {
  const world = await sandbox.world();
  const list = async () => (await world.call("listBookings", { query: { limit: 5 } })).text;
  const plain = await list();
  await list();
  const fault = { operation: "listBookings", answer: { unknown_members: true }, times: 1 };
  await world.control("put", "faults", { faults: [fault] });
  expect(await list()).toContain("sandbox_unknown");
  expect(await list()).toBe(plain);
  const other = await sandbox.world();
  const { body } = await other.call("listBookings", { query: { limit: 5 } });
  expect(body.next).not.toBe(JSON.parse(plain).next);
  const more = await other.call("listBookings", { query: { limit: 5, cursor: body.next } });
  expect(more.status).toBe(200);
  expect(await list()).toBe(plain);
});

test("instants that are truncated to seconds stay so in a repeated list", async () => {
  const world = await sandbox.world();
  const list = async () => (await world.call("listBookings")).text;
  const plain = await list();
  await list();
  await world.control("put", "assumptions", { timestamps: "second" });
  for (let again = 0; again < 3; again++) expect(await list()).toBe(plain.replaceAll(/(:\d\d)\.\d{3}Z"/g, '$1Z"'));
});
