// Gift cards through the public API: their list, one of them, and its expiry moved later by every branch of the rule.
import { describe, expect, it } from "vitest";
import { ANCHOR, renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { advance, allPages, book, done, idsOf, kroner } from "./kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

const card = async (world: TestWorld, giftCardId: string) =>
  (await world.call("getGiftCard", { path: { giftCardId } })).body;
const extend = (world: TestWorld, giftCardId: string, body: unknown = { expires_at: "2035-01-01T00:00:00Z" }) =>
  world.call("extendGiftCardExpiry", { path: { giftCardId }, body });
const EXPIRES = "2032-05-31T22:00:00.000Z";

describe("a gift card", () => {
  it("shows its balance, its expiry and the order that bought it", async () => {
    const body = await card(world, "gc-active");
    expect(body).toEqual({
      id: "gc-active",
      code: "HAVN-2030",
      status: "ACTIVE",
      initial_value: kroner(100000),
      balance: { currency: "DKK", value: expect.any(Number), exponent: 2 },
      expires_at: EXPIRES,
      created_at: "2030-03-10T09:00:00.000Z",
      updated_at: expect.stringMatching(/Z$/),
      order_id: expect.any(String),
    });
    const { body: order } = await world.call("getOrder", { path: { orderId: body.order_id } });
    expect(order.origin).toEqual({ type: "GIFTCARD", id: "gc-active" });
  });

  it.each([
    ["gc-soon", "ACTIVE"],
    ["gc-expired", "EXPIRED"],
    ["gc-spent", "SPENT"],
    ["gc-voided", "VOIDED"],
    ["gc-disabled", "VOIDED"],
  ])("%s is %s", async (id, status) => {
    expect((await card(world, id)).status).toBe(status);
  });

  it.each(["gc-nothing", "HAVN-2030", "__proto__"])("named %s is not found", async (giftCardId) => {
    const { status, body } = await world.call("getGiftCard", { path: { giftCardId } });
    expect([status, body.code]).toEqual([404, "NOT_FOUND"]);
  });

  it("is listed newest first, in pages", async () => {
    const { items } = await allPages(world, "listGiftCards");
    const order = items.map(({ created_at, id }) => `${created_at} ${id}`);
    expect(order).toEqual([...order].sort().reverse());
    expect(idsOf(items)).toEqual(expect.arrayContaining(["gc-active", "gc-spent", "gc-expired", "gc-voided"]));
    for (const limit of [1, 4, 100])
      expect((await allPages(world, "listGiftCards", { query: { limit } })).items).toEqual(items);
    for (const limit of [0, 101, "x"])
      expect((await world.call("listGiftCards", { query: { limit } })).status).toBe(400);
  });
});

describe("the expiry of a gift card", () => {
  it("moves to a later instant, and nothing else changes", async () => {
    const before = await card(world, "gc-active");
    await advance(world, "PT1H");
    const { status, body } = await extend(world, "gc-active", { expires_at: "2033-01-01T00:00:00+01:00" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, expires_at: "2032-12-31T23:00:00.000Z", updated_at: "2030-06-01T10:00:00.000Z" });
    expect(await card(world, "gc-active")).toEqual(body);
  });

  it("moves by a millisecond", async () => {
    const { status, body } = await extend(world, "gc-active", {
      expires_at: "2032-05-31T22:00:00.001Z",
    });
    expect([status, body.expires_at]).toEqual([200, "2032-05-31T22:00:00.001Z"]);
  });

  it.each([EXPIRES, "2032-06-01T00:00:00+02:00", "2032-05-31T17:00:00.000-05:00"])(
    "stays the same on request, as %s",
    async (expires_at) => {
      const before = await card(world, "gc-active");
      await advance(world, "PT1H");
      for (let i = 0; i < 2; i++) expect((await extend(world, "gc-active", { expires_at })).body).toEqual(before);
    },
  );

  it("stays the same with the shown time, which may be truncated to seconds", async () => {
    const world = await sandbox.world({ clock: "2030-06-01T10:00:00.500Z" });
    await world.control("put", "assumptions", { timestamps: "second" });
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 1000 });
    const { expires_at } = await card(world, "gc-new");
    expect(expires_at).toBe("2033-06-01T10:00:00Z");
    expect(await extend(world, "gc-new", { expires_at })).toMatchObject({ status: 200, body: { expires_at } });
  });

  it("can be extended twice by the same request", async () => {
    const [one, two] = [await extend(world, "gc-active"), await extend(world, "gc-active")];
    expect([one.status, two.status, two.body]).toEqual([200, 200, one.body]);
  });

  it("moves by less than a millisecond to the next one", async () => {
    const { status, body } = await extend(world, "gc-active", { expires_at: EXPIRES.replace("000Z", "0005Z") });
    expect([status, body.expires_at]).toEqual([200, EXPIRES.replace("000Z", "001Z")]);
  });

  it.each([
    ["earlier", "2032-05-31T21:59:59.999Z"],
    ["now", ANCHOR],
    ["past", "2029-01-01T00:00:00Z"],
  ])("can't move to an instant that is %s", async (_, expires_at) => {
    const before = await card(world, "gc-active");
    const { status, body, headers } = await extend(world, "gc-active", { expires_at });
    expect([status, body.code]).toEqual([400, "EXPIRY_NOT_LATER"]);
    expect(body.message).toContain("body.expires_at");
    expect(headers["sandbox-violations"]).toContain("EXPIRY_NOT_LATER");
    expect(await card(world, "gc-active")).toEqual(before);
  });

  const unreadable: [string, unknown][] = [
    ["nothing", {}],
    ["null", { expires_at: null }],
    ["a number", { expires_at: 1924992000 }],
    ["a date", { expires_at: "2035-01-01" }],
    ["a time without offset", { expires_at: "2035-01-01T00:00:00" }],
    ["a day that there is not", { expires_at: "2035-02-30T00:00:00Z" }],
    ["another member", { expiry_date: "2035-01-01" }],
    ["a list", [{ expires_at: "2035-01-01T00:00:00Z" }]],
  ];
  it.each(unreadable)("can't move to %s", async (_, input) => {
    const { status, body } = await extend(world, "gc-active", input);
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.message).toContain("body");
  });

  it.each([
    ["gc-expired", "EXPIRED"],
    ["gc-spent", "SPENT"],
    ["gc-voided", "VOIDED"],
    ["gc-disabled", "VOIDED"],
  ])("of %s, which is %s, is final", async (id, state) => {
    const { status, body } = await extend(world, id);
    expect([status, body.code]).toEqual([409, "GIFT_CARD_NOT_ACTIVE"]);
    expect(body.message).toContain(state);
  });

  it("can't be extended from the instant of the expiry on", async () => {
    const { expires_at } = await card(world, "gc-soon");
    await world.control("put", "clock", { now: expires_at });
    expect((await extend(world, "gc-soon")).body.code).toBe("GIFT_CARD_NOT_ACTIVE");
  });

  it("is later after an extension", async () => {
    await extend(world, "gc-soon", { expires_at: "2030-06-20T00:00:00Z" });
    await advance(world, "P10D");
    expect((await card(world, "gc-soon")).status).toBe("ACTIVE");
    await advance(world, "P10D");
    expect((await card(world, "gc-soon")).status).toBe("EXPIRED");
  });

  describe("is checked in order:", () => {
    const [bad, past, good] = [{}, { expires_at: "2029-01-01T00:00:00Z" }, { expires_at: "2035-01-01T00:00:00Z" }];
    it.each<[string, string, object, string]>([
      ["the card before the body", "gc-nothing", bad, "404 NOT_FOUND"],
      ["the card before the date", "gc-nothing", past, "404 NOT_FOUND"],
      ["the body before the status", "gc-spent", bad, "400 BAD_REQUEST"],
      ["the status before the date", "gc-spent", past, "409 GIFT_CARD_NOT_ACTIVE"],
      ["the date last", "gc-active", past, "400 EXPIRY_NOT_LATER"],
      ["and then it moves", "gc-active", good, "200 HAVN-2030"],
    ])("%s", async (_, id, input, expected) => {
      const { status, body } = await extend(world, id, input);
      expect(`${status} ${body.code}`).toBe(expected);
    });
  });
});

describe("a gift card lives and ends", () => {
  it("as EXPIRED with its balance on record and a BREAKAGE entry", async () => {
    const { body: moved } = await world.control("put", "clock", { now: "2030-06-04T00:00:00Z" });
    const line = moved.receipt.find(({ what }: { what: string }) => what === "giftCardExpired");
    expect(line).toMatchObject({ at: "2030-06-03T22:00:00.000Z", id: "gc-soon" });
    expect(await card(world, "gc-soon")).toMatchObject({ status: "EXPIRED", balance: kroner(35000) });
    const { items } = await allPages(world, "listJournalEntries", {
      query: { from: "2030-06-03T22:00:00Z", to: "2030-06-03T22:00:01Z" },
    });
    const breakage = items.filter(({ kind }) => kind === "BREAKAGE");
    expect(breakage).toHaveLength(1);
    expect(breakage[0]).toMatchObject({ gift_card_id: "gc-soon", currency: "DKK" });
    expect(breakage[0].postings).toEqual([
      { type: "GIFT_CARD_LIABILITY", direction: "DEBIT", amount: kroner(35000) },
      { type: "GIFT_CARD_BREAKAGE", direction: "CREDIT", amount: kroner(35000) },
    ]);
  });

  it("as SPENT once the last of it is gone", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 1000 });
    await done(world, "spendGiftCard", { gift_card_id: "gc-new", amount: 400 });
    expect(await card(world, "gc-new")).toMatchObject({
      status: "ACTIVE",
      balance: kroner(600),
      initial_value: kroner(1000),
    });
    await done(world, "spendGiftCard", { gift_card_id: "gc-new", amount: 600 });
    expect(await card(world, "gc-new")).toMatchObject({ status: "SPENT", balance: kroner(0) });
    expect((await extend(world, "gc-new")).status).toBe(409);
  });

  it("and its refund at full balance goes to a new one, so that the clock can continue", async () => {
    const initial_value = Number.MAX_SAFE_INTEGER;
    await done(world, "issueGiftCard", { id: "gc-full", initial_value });
    const items = [{ type_id: "var-adult", item_type: "VARIANT", quantity: 1 }];
    const started = { id: "late", event_id: "evt-canal-12", customer: { name: "Bo" }, items };
    const { order_id } = await done(world, "startCheckout", started);
    await done(world, "payOrder", { order_id, gift_card_id: "gc-full", amount: 10 });
    await done(world, "adjustGiftCard", { gift_card_id: "gc-full", balance: initial_value });
    const { receipt } = await advance(world, "PT20M");
    expect(receipt).toContainEqual(expect.objectContaining({ what: "checkoutLapsed", id: "late" }));
    const { body: refunds } = await world.call("listOrderRefunds", { path: { orderId: order_id } });
    const [{ details }] = refunds.items;
    const { body: made } = await world.call("getOrder", { path: { orderId: details.destination_order_id } });
    expect(await card(world, made.origin.id)).toMatchObject({ status: "ACTIVE", balance: kroner(10) });
    expect((await card(world, "gc-full")).balance).toEqual(kroner(initial_value));
  });

  it("and no booking through the API changes it", async () => {
    const before = (await allPages(world, "listGiftCards")).items;
    await book(world, "evt-evening");
    expect((await allPages(world, "listGiftCards")).items).toEqual(before);
  });
});
