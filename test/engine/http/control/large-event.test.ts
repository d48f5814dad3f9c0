// An event with as many bookings as a world has at most: cancelling it and explaining that stay short, and so do the responses.
import { beforeAll, expect, it } from "vitest";
import { MAX_STORED_MESSAGES } from "../../../../src/engine/webhooks/deliveries.ts";
import { withBookings } from "../../../many-records.ts";
import { shareSandbox, type TestWorld, worldOf } from "../../../sandbox.ts";
import { measureLeast } from "../../../thread-time.ts";
import { book, done, smallWorld } from "../../operations/kit.ts";

const BOOKINGS = 5_000;
/** A response lists at most as many items of one cause. */
const LISTED = 1_000;

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
beforeAll(async () => {
  world = await smallWorld(sandbox);
  await book(world, "evt-noon");
  await withBookings(sandbox.url, world.id, BOOKINGS);
});

const cancel = (of: TestWorld) => of.act("cancelEvent", { event_id: "evt-noon" });
const get = async (path: string) => (await world.control("get", path)).body;

it("cancels the event within half a second", async () => {
  const { items } = (await world.control("post", `worlds/${world.id}/fork`, { count: 3 })).body;
  const forks = items.map(({ id, client_id, client_secret }: Record<string, string>) =>
    worldOf(sandbox.url, id ?? "", client_id ?? "", client_secret ?? ""),
  );
  expect(await measureLeast(forks.map((fork: TestWorld) => () => cancel(fork)))).toBeLessThan(500);
});

it("reads the trial balance within a second, and again within a tenth, also after a booking", async () => {
  const read = () => get("books/trial-balance");
  expect(await measureLeast([read])).toBeLessThan(1000);
  expect(await measureLeast([read, read])).toBeLessThan(100);
  const { entries } = await read();
  await done(world, "updateEvent", { event_id: "evt-noon", capacity: BOOKINGS + 1 });
  await book(world, "evt-noon");
  expect(await measureLeast([read])).toBeLessThan(100);
  expect((await read()).entries).toBe(entries + 1);
});

it("lists the first thousand facts in the response, in the log and in the explanation, and counts all", async () => {
  const { body, headers } = await cancel(world);
  // One of the event; of each booking its own, three of its order, its refund and its journal entry.
  const count = 1 + 6 * (BOOKINGS + 1);
  expect([body.facts.length, body.fact_count]).toEqual([LISTED, count]);
  const id = headers["sandbox-request-id"];
  const entry = await get(`log/${id}`);
  expect([entry.facts.length, entry.fact_count]).toEqual([LISTED, count]);
  // Of the two messages of each booking and the one of the event, the world keeps the latest.
  expect([entry.messages.length, entry.message_count]).toEqual([LISTED, MAX_STORED_MESSAGES]);
  expect(entry.touched.length).toBeLessThanOrEqual(LISTED);
  const why = await get(`why/${id}`);
  expect([why.facts.length, why.fact_count]).toEqual([LISTED, count]);
  expect([why.entries.length, why.entry_count]).toEqual([LISTED, BOOKINGS + 1]);
  const explain = [id, "evt-noon"].map((each) => () => get(`why/${each}`));
  for (const work of explain) expect(await measureLeast([work, work, work])).toBeLessThan(100);
});
