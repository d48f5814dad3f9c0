// Whatever is due by a world's now is done before a request of that world looks or writes: a running clock and a held one give the
// same answers. Moving a clock over many things costs the same for each, and lets other requests in between.
import { afterEach, describe, expect, it, vi } from "vitest";
import { issueCard } from "../../../src/engine/domain/gift-card/gift-card.ts";
import { extent } from "../../extent.ts";
import { ANCHOR, type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, allPages, book, done, guest, kroner, smallWorld, ticket } from "../operations/kit.ts";

const TEST = { kind: "request", id: "test" } as const;
const sandbox = shareSandbox();
afterEach(() => vi.restoreAllMocks());

type Body = Answered["body"];
const move = (world: TestWorld, body: object) => world.control("post", "clock/advance", body);
const running = (world: TestWorld) => world.control("put", "clock", { mode: "running" });
const message = ({ status, body }: Answered) => `${status} ${body.code ?? ""}`;

/** Real time goes on, at one stroke. */
function letPass(minutes: number): void {
  const real = Date.now;
  vi.spyOn(Date, "now").mockImplementation(() => real() + minutes * 60_000);
}

const clocks: Record<string, (world: TestWorld, minutes: number, work: () => Promise<void>) => Promise<void>> = {
  async held(world, minutes, work) {
    await work();
    await move(world, { by: `PT${minutes}M` });
  },
  async running(world, minutes, work) {
    await running(world);
    await work();
    letPass(minutes);
  },
};

describe.each(Object.entries(clocks))("on a clock that is %s", (_, past) => {
  const card = { id: "card", initial_value: kroner(5000), expires_at: "2030-06-01T09:10:00.000Z" };
  const cardIn = (world: TestWorld) => world.call("getGiftCard", { path: { giftCardId: "card" } });

  it.each<[string, (world: TestWorld) => Promise<Answered>, string]>([
    [
      "can't be spent",
      (world) => world.act("spendGiftCard", { gift_card_id: "card", amount: 100 }),
      "409 GIFT_CARD_NOT_ACTIVE",
    ],
    [
      "can't be extended",
      (world) =>
        world.call("extendGiftCardExpiry", {
          path: { giftCardId: "card" },
          body: { expires_at: "2040-01-01T00:00:00Z" },
        }),
      "409 GIFT_CARD_NOT_ACTIVE",
    ],
    [
      "can't pay",
      async (world) => {
        const { body } = await book(world, "evt-noon");
        const { items } = await allPages(world, "listOrders");
        const order = items.find(({ origin }) => origin.id === body.id).id;
        return world.act("payOrder", { order_id: order, gift_card_id: "card" });
      },
      "409 GIFT_CARD_NOT_ACTIVE",
    ],
  ])("a card that has expired %s", async (_, ask, expected) => {
    const world = await smallWorld(sandbox);
    await past(world, 20, async () => void (await done(world, "issueGiftCard", card)));
    expect(message(await ask(world))).toBe(expected);
    expect((await cardIn(world)).body.status).toBe("EXPIRED");
  });

  it("its breakage has the instant of the expiry, and precedes later bookings", async () => {
    const world = await smallWorld(sandbox);
    await past(world, 20, async () => void (await done(world, "buyGiftCard", card)));
    await done(world, "issueGiftCard", { id: "later", initial_value: kroner(100) });
    const { items } = await allPages(world, "listJournalEntries");
    expect(items.map(({ kind }) => kind)).toEqual(["SALE", "BREAKAGE", "ADJUSTMENT"]);
    expect(items[1].occurred_at).toBe(card.expires_at);
    expect(items[2].occurred_at > card.expires_at).toBe(true);
  });

  it("an expired checkout can't be completed, and its seats can be booked", async () => {
    const world = await smallWorld(sandbox, 3);
    let id = "";
    await past(world, 20, async () => {
      const input = { event_id: "evt-noon", customer: guest, items: [ticket("var-adult", 3)] };
      ({ id } = await done(world, "startCheckout", input));
    });
    const late = await world.act("completeCheckout", { booking_id: id });
    expect(message(late)).toBe("409 WRONG_STATE");
    expect(late.body.message).toBe(`checkout ${id} is LAPSED and can't become COMPLETED. Allowed in: STARTED.`);
    expect((await book(world, "evt-noon", [ticket("var-adult", 3)])).status).toBe(201);
    expect((await world.call("getBooking", { path: { bookingId: id } })).body.status).toBe("CANCELLED");
  });

  it("an event that has ended is completed, in a read, a list, an export and a fork alike", async () => {
    const world = await smallWorld(sandbox);
    await past(world, 3 * 24 * 60, async () => void (await book(world, "evt-noon", [ADULT])));
    const exported = JSON.parse((await world.control("get", "state")).text).collections.events;
    expect(exported.map(({ state }: Body) => state)).toEqual(["COMPLETED"]);
    expect((await world.call("getEvent", { path: { eventId: "evt-noon" } })).body.state).toBe("COMPLETED");
    expect((await world.control("get", "messages?kind=v1.event.completed")).body.items).toHaveLength(1);
  });
});

/** So many cards expire where many do. */
const MANY = extent(600, 1000, 2000);

/** Cards that expire on one day, all at one instant or each at its own. */
async function expiring(count: number, apart: boolean): Promise<TestWorld> {
  const world = await sandbox.world({ fixture: "empty" });
  const inner = sandbox.running.application.worlds.get(world.id)!;
  sandbox.running.application.change(inner, TEST, (tx) => {
    for (let nth = 0; nth < count; nth++) {
      const at = apart ? new Date(Date.parse("2030-06-02T00:00:00Z") + nth).toISOString() : "2030-06-02T00:00:00.000Z";
      issueCard(tx, { value: 100 + nth, currency: "DKK", expires_at: at });
    }
  });
  return world;
}

/** A slice lasts ten, however quick the machine is. */
function everyLookTakesAMillisecond(): void {
  let ms = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => ms++);
}

describe("During a long clock move", () => {
  it.each([
    ["at one instant", false, false],
    ["at many instants", true, false],
    ["looking ahead", false, true],
  ])("other requests get responses from a world that matches its clock: %s", async (_, apart, dry_run) => {
    const world = await expiring(MANY, apart);
    const [alone, beside] = [await expiring(MANY, apart), []] as [TestWorld, Body[]];
    const { body } = await move(alone, { by: "P2D", dry_run });
    let over = false;
    everyLookTakesAMillisecond();
    const moved = move(world, { by: "P2D", dry_run }).finally(() => {
      over = true;
    });
    let healthy = 0;
    const looking = async () => {
      while (!over) if ((await fetch(`${sandbox.url}/healthz`)).status === 200) healthy++;
    };
    const reading = async () => {
      while (!over) beside.push(JSON.parse((await world.control("get", "state")).text).collections);
    };
    await Promise.all([looking(), reading()]);
    expect(healthy).toBeGreaterThan(2);
    const kinds = (receipt: Body[]) => receipt.map(({ at, what }) => `${at} ${what}`);
    expect(kinds((await moved).body.receipt)).toEqual(kinds(body.receipt));
    for (const { giftCards, clock } of beside) {
      const late = giftCards.filter((card: Body) => card.status === "ACTIVE" && card.expires_at <= clock[0].at);
      expect(late).toEqual([]);
    }
    expect((await world.control("get", "clock")).body.now).toBe(dry_run ? ANCHOR : "2030-06-03T09:00:00.000Z");
  });
});
