// The log in words: what came of each entry, made by the sandbox for whoever lists it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Answered, anna, openSandbox, type TestSandbox, type TestWorld } from "../../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
});
afterAll(() => sandbox.close());

const book = (world: TestWorld) =>
  world.call("createBooking", {
    body: {
      ...{ event_id: "evt-evening", locale: "da", customer: anna },
      items: [{ type_id: "var-adult", item_type: "VARIANT", quantity: 2 }],
    },
  });

type Phrase = { text: string; record?: { id: string; title: string }; tone?: string };

async function told(world: TestWorld, answered: Answered | string): Promise<string[]> {
  const id = typeof answered === "string" ? answered : answered.headers["sandbox-request-id"];
  const { body } = await world.control("get", "log?view=told&limit=1000");
  const { told } = body.items.find((entry: { id: string }) => entry.id === id);
  return told.map(({ text, record }: Phrase) => [text, record?.title].filter(Boolean).join(": "));
}

it("A booking and its cancellation say who, what, when and how much", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const booked = await book(world);
  const [title] = await told(world, booked);
  expect(await told(world, booked)).toEqual([
    expect.stringMatching(/^booking created: .+ · 2030-06-01 /),
    "DKK 500.00 paid",
  ]);
  const cancelled = await world.act("cancelBooking", { booking_id: booked.body.id });
  expect(await told(world, cancelled)).toEqual([title?.replace("created", "cancelled"), "DKK 500.00 refunded"]);
  const read = await world.call("getBooking", { path: { bookingId: booked.body.id } });
  expect(await told(world, read)).toEqual([title?.replace("booking created: ", "")]);
});

it("Several of a kind are counted, and a move of the clock says what fell due", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const cancelled = await world.act("cancelEvent", { event_id: "evt-morning" });
  expect(await told(world, cancelled)).toEqual([
    ...["event cancelled: 2030-06-02 10:00 · Canal tour", "2 bookings cancelled", "DKK 1,445.00 refunded"],
  ]);
  await world.control("post", "clock/advance", { by: "P1D" });
  const { body } = await world.control("get", "log?kinds=clock");
  expect(await told(world, body.items[0].id)).toEqual([
    "3 journal entries given a document",
    "booking lapsed: Bo Lund · 2030-06-01 19:00 · Canal tour",
    "3 events completed",
    "DKK 1,940.00 recognised as revenue",
  ]);
});

it("The same made twice by one client is named, and what was refused tells nothing", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const first = await book(world);
  const second = await book(world);
  expect((await told(world, second))[0]).toBe(
    `made twice: the same as ${first.headers["sandbox-request-id"]}, which made: Anna Holm · 2030-06-01 19:00 · Canal tour`,
  );
  const refused = await world.call("getBooking", { path: { bookingId: "bkg-nowhere" } });
  expect(await told(world, refused)).toEqual([]);
});

it("A booking whose answer failed was made all the same", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const faults = [{ operation: "createBooking", when: "after", status: 503, times: 1 }];
  expect((await world.control("put", "faults", { faults })).status).toBe(200);
  const booked = await book(world);
  expect(booked.status).toBe(503);
  expect((await told(world, booked)).slice(0, 2)).toEqual([
    "carried out, but the answer was 503",
    "booking created: Anna Holm · 2030-06-01 19:00 · Canal tour",
  ]);
});

it("A rewind names what it has undone", async () => {
  const world = await sandbox.world({ fixture: "harbour-tours" });
  const before = await book(world);
  const act = await world.act("cancelBooking", { booking_id: before.body.id });
  const { body } = await world.control("post", "rewind", { to: before.headers["sandbox-request-id"] });
  expect(body.undid).toEqual([act.headers["sandbox-request-id"]]);
});
