// Time as someone moves it: what falls due on the way, in which order, and that it does not matter in how many moves.
import { describe, expect, it, vi } from "vitest";
import { ANCHOR, type Answered, shareSandbox, type TestWorld } from "../../sandbox.ts";
import {
  ADULT,
  advance,
  allPages,
  book,
  done,
  guest,
  idsOf,
  kroner,
  smallWorld,
  ticket,
  tour,
} from "../operations/kit.ts";
import { receive } from "../webhooks/kit.ts";

const sandbox = shareSandbox();

type Body = Answered["body"];
const clock = async (world: TestWorld): Promise<Body> => (await world.control("get", "clock")).body;
const move = (world: TestWorld, body: object) => world.control("post", "clock/advance", body);
const set = (world: TestWorld, body: object) => world.control("put", "clock", body);
const exported = async (world: TestWorld) => (await world.control("get", "state")).text;
const lines = (receipt: Body[]) => receipt.map(({ what, id }) => `${what} ${id}`);

describe("a clock", () => {
  it("is held where it was set, and shows it", async () => {
    const world = await sandbox.world();
    expect(await clock(world)).toEqual({ now: ANCHOR, mode: "held" });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect((await clock(world)).now).toBe(ANCHOR);
  });

  it("runs after a start, and stops when it is held", async () => {
    const world = await smallWorld(sandbox);
    const began = performance.now();
    const answer = await set(world, { mode: "running" });
    expect([answer.status, answer.body.mode, answer.body.receipt]).toEqual([200, "running", []]);
    const first = (await clock(world)).now;
    await vi.waitFor(async () => expect((await clock(world)).now > first).toBe(true), { timeout: 30_000 });
    const ran = Date.parse((await clock(world)).now) - Date.parse(ANCHOR);
    expect([first >= ANCHOR, ran <= performance.now() - began + 1000]).toEqual([true, true]);
    const { now } = (await set(world, { mode: "held" })).body;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await clock(world)).toEqual({ now, mode: "held" });
  });

  it("that runs can be advanced, and continues from there", async () => {
    const world = await smallWorld(sandbox);
    await set(world, { mode: "running" });
    const { status, body } = await move(world, { by: "P3D" });
    expect([status, lines(body.receipt)]).toEqual([200, ["eventCompleted evt-noon"]]);
    const view = await clock(world);
    expect([view.mode, view.now >= "2030-06-04T09:00:00.000Z", view.now < "2030-06-04T09:01:00.000Z"]).toEqual([
      "running",
      true,
      true,
    ]);
  });

  it.each([
    [{ by: "PT1S" }, "2030-06-01T09:00:01.000Z"],
    [{ by: "PT0.001S" }, "2030-06-01T09:00:00.001Z"],
    [{ by: "PT1.5H" }, "2030-06-01T10:30:00.000Z"],
    [{ by: "P1D" }, "2030-06-02T09:00:00.000Z"],
    [{ by: "P1W" }, "2030-06-08T09:00:00.000Z"],
    [{ by: "P1M" }, "2030-07-01T09:00:00.000Z"],
    [{ by: "P1Y2M3DT4H5M6S" }, "2031-08-04T13:05:06.000Z"],
    [{ by: "PT0S" }, ANCHOR],
    [{ by: "P10Y" }, "2040-06-01T09:00:00.000Z"],
    [{ until: "2030-06-01T09:00:00Z" }, ANCHOR],
    [{ until: "2030-06-01T12:00:00+02:00" }, "2030-06-01T10:00:00.000Z"],
  ])("advances with %j to %s, as its dry run does", async (to, now) => {
    const world = await smallWorld(sandbox);
    expect((await move(world, { ...to, dry_run: true })).status).toBe(200);
    const { status, body } = await move(world, to);
    expect([status, body.now]).toEqual([200, now]);
  });

  it("advances by a month to the last day of the month, and by a day by 24 hours over the end of summer time", async () => {
    const world = await sandbox.world({ fixture: "empty", clock: "2031-01-31T10:00:00Z" });
    expect((await move(world, { by: "P1M" })).body.now).toBe("2031-02-28T10:00:00.000Z");
    await move(world, { until: "2031-10-25T12:00:00Z" });
    expect((await move(world, { by: "P1D" })).body.now).toBe("2031-10-26T12:00:00.000Z");
  });

  it("advances to one due instant at a time, and does not move if nothing is due", async () => {
    const world = await smallWorld(sandbox);
    const made = await book(world, "evt-noon");
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      const { now, receipt } = (await move(world, { to: "next" })).body;
      seen.push(`${now} ${receipt.map(({ what }: Body) => what)}`);
    }
    expect(seen).toEqual([
      "2030-06-01T09:01:00.000Z documentAttached",
      "2030-06-02T12:00:00.000Z eventCompleted",
      "2030-06-02T12:00:00.000Z ",
      "2030-06-02T12:00:00.000Z ",
    ]);
    expect((await world.call("getBooking", { path: { bookingId: made.body.id } })).body.status).toBe("ACTIVE");
  });

  it("processes everything that is due at the next instant", async () => {
    const world = await smallWorld(sandbox);
    await tour(world, "evt-twin", "2030-06-02T12:00:00", "2030-06-02T14:00:00");
    expect(lines((await move(world, { to: "next" })).body.receipt)).toEqual([
      "eventCompleted evt-noon",
      "eventCompleted evt-twin",
    ]);
  });
});

describe("a clock move is rejected", () => {
  it.each<[string, "post" | "put", object, number, string]>([
    ["backwards", "post", { until: "2030-06-01T08:59:59.999Z" }, 409, "sandbox rewind"],
    ["backwards by setting it", "put", { now: "2029-01-01T00:00:00Z" }, 409, "sandbox rewind"],
    ["by less than nothing", "post", { by: "-P1D" }, 400, "body.by"],
    ["by words", "post", { by: "a day" }, 400, "body.by"],
    ["by nothing said", "post", { by: "P" }, 400, "body.by"],
    ["by a number", "post", { by: 86400 }, 400, "body.by"],
    ["by more than ten years", "post", { by: "P11Y" }, 400, "P10Y"],
    ["beyond the years that compare as text", "post", { by: "P9999Y" }, 400, "P10Y"],
    ["until beyond them", "post", { until: "+012029-06-01T09:00:00Z" }, 400, "date-time"],
    ["by a million years", "post", { by: "P1000000Y" }, 400, "where every clock ends"],
    ["by more digits than a number has", "post", { by: `P${"9".repeat(400)}Y` }, 400, "body.by"],
    ["until the end of time", "post", { until: "9999-12-31T23:59:59Z" }, 400, "P10Y"],
    ["until a date", "post", { until: "2030-06-02" }, 400, "body.until"],
    ["until a local time", "post", { until: "2030-06-02T10:00:00" }, 400, "body.until"],
    ["to what is not next", "post", { to: "last" }, 400, "body.to"],
    ["nowhere", "post", {}, 400, "body"],
    ["two ways at once", "post", { by: "P1D", to: "next" }, 400, "body"],
    ["with an unknown member", "post", { by: "P1D", fast: true }, 400, "fast"],
    ["into an unknown mode", "put", { mode: "racing" }, 400, "body.mode"],
    ["to an instant that is none", "put", { now: "noon" }, 400, "body.now"],
  ])("%s", async (_, method, body, status, telling) => {
    const world = await smallWorld(sandbox);
    const before = await exported(world);
    const answer = await world.control(method, method === "put" ? "clock" : "clock/advance", body);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.message).toContain(telling);
    expect(await exported(world)).toBe(before);
  });
});

describe("time ends with the year 9999, and a clock", () => {
  const near = () => sandbox.world({ fixture: "empty", clock: "9999-12-31T23:59:50Z" });

  it.each<[string, "post" | "put", object, string]>([
    ["can't be advanced past it", "post", { by: "PT10S" }, "9999-12-31T23:59:59.999Z, where every clock ends"],
    ["nor by years", "post", { by: "P10Y" }, "where every clock ends"],
    ["nor looked ahead past it", "post", { by: "PT10S", dry_run: true }, "where every clock ends"],
    ["nor moved until later", "post", { until: "9999-12-31T23:59:59-01:00" }, "years 0000 to 9999"],
    ["nor set later", "put", { now: "9999-12-31T23:59:59-01:00" }, "years 0000 to 9999"],
  ])("%s", async (_, method, body, telling) => {
    const world = await near();
    const before = await exported(world);
    const answer = await world.control(method, method === "put" ? "clock" : "clock/advance", body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(telling)]);
    expect(await exported(world)).toBe(before);
  });

  it("can reach the last instant, with tokens valid until then", async () => {
    const world = await near();
    await done(world, "issueGiftCard", { id: "card", initial_value: kroner(100) });
    expect((await world.call("getMe")).status).toBe(200);
    expect((await move(world, { until: "9999-12-31T23:59:59.998Z" })).body.now).toBe("9999-12-31T23:59:59.998Z");
    expect((await world.call("getMe")).status).toBe(200);
    const { body } = await move(world, { to: "next" });
    expect([body.now, lines(body.receipt)]).toEqual(["9999-12-31T23:59:59.999Z", ["giftCardExpired card"]]);
    const late = await world.call("getMe", { token: await world.token() });
    expect([late.status, late.body.message]).toEqual([401, expect.stringContaining("9999-12-31T23:59:59.999Z")]);
    expect((await move(world, { to: "next" })).body).toMatchObject({ now: body.now, receipt: [] });
  });

  it.each([
    ["9999-06-01T09:00:00Z", "harbour-tours"],
    ["0000-01-01T00:00:00Z", "harbour-tours"],
    ["9999-12-31T23:59:59-01:00", "not an instant"],
  ])("can't start where its fixture would exceed the limits: %s", async (clock, telling) => {
    const { status, body } = await (await smallWorld(sandbox)).control("post", "worlds", { clock });
    expect([status, body.message]).toEqual([400, expect.stringMatching(new RegExp(`clock.*${telling}`))]);
  });
});

describe("due work", () => {
  it("runs in order of instant, then of creation, with facts for each", async () => {
    const world = await sandbox.world();
    await book(world, "evt-evening");
    const { receipt } = await advance(world, "P40D");
    const at = receipt.map((line: Body) => line.at);
    expect(at).toEqual([...at].sort());
    expect(receipt.length).toBeGreaterThan(50);
    expect(new Set(receipt.map(({ what }: Body) => what))).toEqual(
      new Set(["eventCompleted", "giftCardExpired", "documentAttached", "checkoutLapsed"]),
    );
    for (const { facts, id, what } of receipt) {
      expect(facts.length).toBeGreaterThan(0);
      const own: Record<string, string> = {
        eventCompleted: "event.completed",
        giftCardExpired: "gift_card.expired",
        documentAttached: "journal_entry.document_attached",
        checkoutLapsed: "booking.lapsed",
      };
      expect(facts).toContainEqual({ fact: own[what], id });
    }
  });

  it("completes an event at the end of its last session, and recognises its revenue", async () => {
    const world = await sandbox.world();
    const state = async () => (await world.call("getEvent", { path: { eventId: "evt-multi-running" } })).body.state;
    await set(world, { now: "2030-06-05T18:29:59.999Z" });
    expect(await state()).toBe("ACTIVE");
    await set(world, { now: "2030-06-05T18:30:00Z" });
    expect(await state()).toBe("COMPLETED");
    const { items } = await allPages(world, "listJournalEntries", { query: { from: "2030-06-05T18:30:00Z" } });
    expect(
      items.filter(({ kind, booking_id }) => kind === "REVENUE_RECOGNITION" && booking_id === "bkg-course"),
    ).toHaveLength(1);
  });

  it.each([
    ["in New York by New York's clock", "evt-hudson", "2030-06-10T00:00:00Z", "2030-06-09T00:30:00.000Z"],
    ["over the end of summer time an hour later", "evt-dst", "2030-10-28T00:00:00Z", "2030-10-27T02:30:00.000Z"],
  ])("completes an event %s", async (_, event, now, at) => {
    const { body } = await set(await sandbox.world(), { now });
    expect(body.receipt.find(({ id }: Body) => id === event).at).toBe(at);
  });

  it("never completes a cancelled or deleted event, but completes one that is closed for booking", async () => {
    const world = await sandbox.world();
    const ids = idsOf((await advance(world, "P1Y")).receipt);
    for (const id of ["evt-cancelled", "evt-deleted"]) expect(ids).not.toContain(id);
    expect(ids).toContain("evt-inactive");
    expect((await world.call("getEvent", { path: { eventId: "evt-inactive" } })).body.state).toBe("COMPLETED");
  });

  it("expires a checkout after 15 minutes, frees its seats, and refunds its payments", async () => {
    const world = await smallWorld(sandbox, 3);
    const held = await done(world, "startCheckout", {
      event_id: "evt-noon",
      customer: guest,
      items: [ticket("var-adult", 3)],
    });
    await done(world, "payOrder", { order_id: held.order_id, amount: 5000, provider: "STRIPE" });
    const reserved = async () =>
      (await world.call("getEvent", { path: { eventId: "evt-noon" } })).body.capacity.reserved;
    expect((await advance(world, "PT14M59S")).receipt.map(({ what }: Body) => what)).not.toContain("checkoutLapsed");
    expect(await reserved()).toBe(3);
    expect(lines((await advance(world, "PT1S")).receipt)).toEqual([`checkoutLapsed ${held.id}`]);
    expect(await reserved()).toBe(0);
    expect((await world.call("getBooking", { path: { bookingId: held.id } })).body.status).toBe("CANCELLED");
    expect((await world.call("getOrder", { path: { orderId: held.order_id } })).body).toMatchObject({
      status: "CANCELLED",
      payment_status: "REFUNDED",
    });
  });

  it("expires a checkout with its event", async () => {
    const world = await smallWorld(sandbox);
    await done(world, "updateEvent", { event_id: "evt-noon", booking_cutoff: "2030-06-02T12:00:00Z" });
    await set(world, { now: "2030-06-02T11:50:00Z" });
    const { id } = await done(world, "startCheckout", { event_id: "evt-noon", customer: guest, items: [ADULT] });
    const { receipt } = await advance(world, "PT1H");
    expect(lines(receipt)).toEqual(["eventCompleted evt-noon"]);
    expect((await world.call("getBooking", { path: { bookingId: id } })).body.status).toBe("CANCELLED");
  });
});

describe("clock moves can be split", () => {
  it("thirty moves of a day have the same result as one of thirty days", async () => {
    const [one, thirty] = [await sandbox.world(), await sandbox.world()];
    const whole = (await advance(one, "P30D")).receipt;
    const parts: Body[] = [];
    for (let day = 0; day < 30; day++) parts.push(...(await advance(thirty, "P1D")).receipt);
    expect(parts).toEqual(whole);
    // A message names the move of the clock that caused it.
    const contents = async (world: TestWorld) =>
      JSON.parse((await exported(world)).replaceAll(/"caused_by":"clk-[^"]*"/g, '"caused_by":"clk"'));
    const [a, b] = [await contents(one), await contents(thirty)];
    for (const name of Object.keys(a.collections)) expect(b.collections[name], name).toEqual(a.collections[name]);
  });

  it("simultaneous moves run one at a time, each by its own amount", async () => {
    const world = await sandbox.world();
    const answers = await Promise.all([1, 2, 3].map(() => move(world, { by: "P5D" })));
    const ids = answers.flatMap(({ body }) => lines(body.receipt));
    expect(new Set(ids).size).toBe(ids.length);
    expect(answers.map(({ body }) => body.now).sort()).toEqual([
      "2030-06-06T09:00:00.000Z",
      "2030-06-11T09:00:00.000Z",
      "2030-06-16T09:00:00.000Z",
    ]);
    expect((await clock(world)).now).toBe("2030-06-16T09:00:00.000Z");
  });

  it("a move during another starts at its end, or is rejected there", async () => {
    const world = await sandbox.world();
    let answer: () => void = () => undefined;
    const answering = new Promise<void>((resolve) => (answer = resolve));
    const receiver = await receive((response) => void answering.then(() => response.writeHead(204).end()));
    const subscription = { url: receiver.url, event_types: ["v1.event.completed"], state: "ENABLED" };
    await world.call("createWebhookSubscription", { body: subscription });
    const first = move(world, { until: "2030-06-01T18:30:00Z" });
    await receiver.until(1);
    const midway = (await clock(world)).now;
    expect(midway < "2030-06-01T18:30:00.000Z").toBe(true);
    const [second, behind, put] = [
      move(world, { by: "PT1H" }),
      move(world, { until: "2030-06-01T18:00:00Z" }),
      set(world, { now: "2030-06-01T18:00:00Z" }),
    ];
    answer();
    const answers = await Promise.all([first, second, behind, put]);
    expect(answers.map(({ status, body }) => body.code ?? `${status} ${body.now}`)).toEqual([
      "200 2030-06-01T18:30:00.000Z",
      "200 2030-06-01T19:30:00.000Z",
      "CLOCK_NOT_BACKWARDS",
      "CLOCK_NOT_BACKWARDS",
    ]);
  });
});

describe("a dry run", () => {
  it.each([{ by: "P30D" }, { to: "next" }, { until: "2030-06-20T00:00:00Z" }])(
    "with %j reports what would happen, and changes nothing",
    async (input) => {
      const world = await sandbox.world();
      const before = await exported(world);
      const dry = await move(world, { ...input, dry_run: true });
      expect(dry.status).toBe(200);
      expect(await exported(world)).toBe(before);
      expect((await clock(world)).now).toBe(ANCHOR);
      expect(dry.body.receipt.length).toBeGreaterThan(0);
      const real = await move(world, input);
      const { id, ...rest } = real.body;
      expect([dry.body, id]).toEqual([rest, expect.stringMatching(/^clk-/)]);
    },
  );

  it("is rejected like the move itself", async () => {
    expect((await move(await smallWorld(sandbox), { until: "2029-01-01T00:00:00Z", dry_run: true })).status).toBe(409);
  });
});
