// Many at once: the last seats are sold once, what was sold is what is reserved, and worlds never see each other.
import { describe, expect, it } from "vitest";
import { ADULT, addOn, allPages, book, done, guest, smallWorld, ticket } from "./engine/operations/kit.ts";
import { shareSandbox, type TestWorld } from "./sandbox.ts";

const sandbox = shareSandbox();

const reserved = async (world: TestWorld, eventId: string) =>
  (await world.call("getEvent", { path: { eventId } })).body.capacity.reserved as number;
const many = <T>(count: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const codes = (answers: { status: number; body: { code?: string } }[]) =>
  answers.map(({ status, body }) => (status === 201 ? "201" : `${status} ${body.code}`)).sort();

describe("twenty guests at once", () => {
  it.each([0, 1, 2, 7, 19, 20])("get exactly the %i remaining seats", async (left) => {
    const world = await smallWorld(sandbox, left);
    await world.call("getMe");
    const answers = await many(20, () => book(world, "evt-noon"));
    expect(codes(answers)).toEqual([...Array(left).fill("201"), ...Array(20 - left).fill("409 NOT_ENOUGH_RESOURCES")]);
    expect(await reserved(world, "evt-noon")).toBe(left);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.id);
    expect(new Set(ids).size).toBe(left);
    const tickets = await Promise.all(
      ids.map(async (bookingId) => (await world.call("listBookingTickets", { path: { bookingId } })).body.items.length),
    );
    expect(tickets.reduce((total, count) => total + count, 0)).toBe(left);
    expect((await allPages(world, "listOrders")).items).toHaveLength(left);
  });

  it("who want two seats each of seven get three times two", async () => {
    const world = await smallWorld(sandbox, 7);
    const answers = await many(20, () => book(world, "evt-noon", [ticket("var-adult", 2)]));
    expect(codes(answers).filter((code) => code === "201")).toHaveLength(3);
    expect(await reserved(world, "evt-noon")).toBe(6);
  });

  it("get the kayaks that two events share once", async () => {
    const world = await sandbox.world();
    const answers = await many(20, (index) =>
      index % 2
        ? book(world, "evt-kayak-noon", [ticket("var-kayak")])
        : book(world, "evt-paddle-noon", [ticket("var-duo-sport")]),
    );
    expect(codes(answers).filter((code) => code === "201")).toHaveLength(1);
  });

  it("get the last wool blankets once, with any variant", async () => {
    const world = await sandbox.world();
    const answers = await many(20, (index) =>
      book(world, "evt-canal-27", [index % 2 ? ADULT : ticket("var-child"), addOn("add-blanket")]),
    );
    expect(codes(answers).filter((code) => code === "201")).toHaveLength(10);
  });

  it("through the API, at the desk and in checkouts get no more than the available seats", async () => {
    const world = await smallWorld(sandbox, 9);
    const tx = { event_id: "evt-noon", customer: guest, items: [ADULT] };
    const answers = await many(
      21,
      (index) =>
        [() => book(world, "evt-noon"), () => world.act("bookAsHost", tx), () => world.act("startCheckout", tx)][
          index % 3
        ]?.() ?? Promise.reject(),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(9);
    expect(answers.filter(({ body }) => body.code === "NOT_ENOUGH_RESOURCES")).toHaveLength(12);
    expect(await reserved(world, "evt-noon")).toBe(9);
  });

  it("while others cancel, leave the reserved seats equal to the booked ones", async () => {
    const world = await smallWorld(sandbox, 10);
    const first = await many(10, () => book(world, "evt-noon"));
    const answers = await many(30, (index) =>
      index % 3 === 0 ? world.act("cancelBooking", { booking_id: first[index / 3]?.body.id }) : book(world, "evt-noon"),
    );
    const booked = (await allPages(world, "listBookings", { query: { status: "ACTIVE" } })).items.length;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(await reserved(world, "evt-noon")).toBe(booked);
    expect(booked).toBeLessThanOrEqual(10);
  });

  it("who spend one gift card spend it once", async () => {
    const world = await sandbox.world();
    await done(world, "issueGiftCard", { id: "gc-one", initial_value: 60000 });
    const answers = await many(20, () =>
      world.act("bookAsHost", {
        event_id: "evt-evening",
        customer: guest,
        items: [ADULT],
        payments: [{ gift_card_id: "gc-one", amount: 25000 }],
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect((await world.call("getGiftCard", { path: { giftCardId: "gc-one" } })).body.balance.value).toBe(10000);
  });
});

it("many worlds under concurrent load are independent", async () => {
  const count = process.env.SANDBOX_LONG ? 64 : 20;
  const worlds = await many(count, (index) => smallWorld(sandbox, 4, index));
  const made = await many(count * 4, async (index) => {
    const world = worlds[index % count] as TestWorld;
    const answer = await book(world, "evt-noon", [ADULT], { metadata: { world: world.id } });
    return { world, id: answer.body.id as string };
  });
  expect(new Set(made.map(({ id }) => id)).size).toBe(count * 4);
  await many(count, async (index) => {
    const world = worlds[index] as TestWorld;
    const { items } = (await world.call("listBookings", { query: { limit: 4 } })).body;
    expect(items.map(({ metadata }: { metadata: object }) => metadata)).toEqual(Array(4).fill({ world: world.id }));
    const stranger = made[(index + 1) % count];
    expect((await world.call("getBooking", { path: { bookingId: stranger?.id ?? "" } })).status).toBe(404);
    const token = await worlds[(index + 1) % count]?.token();
    expect((await world.call("getBooking", { path: { bookingId: items[0].id }, token: token ?? null })).status).toBe(
      404,
    );
  });
});
