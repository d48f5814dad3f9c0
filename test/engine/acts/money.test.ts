// Acts on orders, gift cards and the books. Assumptions: transaction, refund, refund-to-card, refund-of-integration, posting-rules,
// gift-card-spent, gift-card-voided, gift-card-expired.
import { describe, expect, it } from "vitest";
import { book, item, type TestWorld, worldForTests } from "../../world-for-tests.ts";
import { faultsIn } from "../domain/books.ts";

const postings = (world: TestWorld, kind: string) =>
  world
    .entries()
    .filter((entry) => entry.kind === kind)
    .map((entry) =>
      entry.postings.map(({ type, direction, amount, vat_rate }) => [direction, type, amount.value, vat_rate]),
    );

describe("The posting of a capture", () => {
  it("has the money against the prepayment by VAT rate and the fee, and revenue once the event is over", () => {
    const world = worldForTests();
    book(world, { items: [item("var-adult"), item("add-lunch")], booking_fee: true });
    expect(postings(world, "SALE")).toEqual([
      [
        ["DEBIT", "PAYMENT", 36351, undefined],
        ["CREDIT", "BOOKING_PREPAYMENT", 24900, "0.25"],
        ["CREDIT", "BOOKING_PREPAYMENT", 9950, "0.12"],
        ["CREDIT", "BOOKING_FEE_REVENUE", 1501, "0.25"],
      ],
    ]);
    world.advance("2030-06-03T00:00:00.000Z");
    expect(postings(world, "REVENUE_RECOGNITION")).toEqual([
      [
        ["DEBIT", "BOOKING_PREPAYMENT", 19920, "0.25"],
        ["CREDIT", "BOOKING_REVENUE", 19920, "0.25"],
        ["DEBIT", "BOOKING_PREPAYMENT", 8884, "0.12"],
        ["CREDIT", "BOOKING_REVENUE", 8884, "0.12"],
      ],
    ]);
  });

  it("has each VAT rate once, in however many ways it is written", () => {
    const world = worldForTests();
    const price = { currency: "DKK", value: 333, exponent: 2 };
    const addOn = (vat_rate: string) => [{ id: "add-tea", name: "Tea", price, vat_rate }];
    const ticket_variants = [
      { id: "var-one", name: "One", price, vat_rate: "0.25", add_on_variants: addOn("0.0") },
      { id: "var-two", name: "Two", price, vat_rate: "0.250", add_on_variants: addOn("0") },
    ];
    const experience_id = world.act("createExperience", { name: "Rates", ticket_variants }).id;
    const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T14:00:00" }];
    const event_id = world.act("createEvent", { experience_id, capacity: 9, sessions }).id;
    book(world, { event_id, items: [item("var-one"), item("var-two"), item("add-tea")] });
    world.advance("2030-06-03T00:00:00.000Z");
    expect(postings(world, "SALE")).toEqual([
      [
        ["DEBIT", "PAYMENT", 999, undefined],
        ["CREDIT", "BOOKING_PREPAYMENT", 666, "0.25"],
        ["CREDIT", "BOOKING_PREPAYMENT", 333, "0"],
      ],
    ]);
    expect(postings(world, "REVENUE_RECOGNITION")[0]).toHaveLength(4);
    // Rounded once for the rate, as the assumption says: 666 at 0.25 are 133.2.
    const once = worldForTests({ "money-rounding": "per-order" });
    once.act("createExperience", { id: "exp-rates", name: "Rates", ticket_variants });
    once.act("createEvent", { id: "evt-rates", experience_id: "exp-rates", capacity: 9, sessions });
    const sold = book(once, { event_id: "evt-rates", items: [item("var-one"), item("var-two")] });
    expect(once.order(sold.order_id).totals.vat_amount.value).toBe(133);
    const isUpdated = (vat_rate: string) => {
      world.act("updateExperience", {
        experience_id,
        ticket_variants: ticket_variants.map((each) => ({ ...each, vat_rate })),
      });
      return world.facts.length > 0;
    };
    expect([isUpdated("0.2500"), isUpdated("0.24")]).toEqual([false, true]);
  });

  it("after completion is recognised at once, and a refund then reverses the revenue", () => {
    const world = worldForTests();
    const { order_id } = book(world, { payments: [] });
    world.advance("2030-06-03T00:00:00.000Z");
    expect(world.entries()).toEqual([]);
    world.act("payOrder", { order_id, provider: "STRIPE" });
    world.act("refundOrder", { order_id });
    const kinds = ["SALE", "REVENUE_RECOGNITION", "REFUND", "REVENUE_RECOGNITION_REVERSAL"];
    expect(world.entries().map(({ kind }) => kind)).toEqual(kinds);
    expect(faultsIn(world)).toEqual([]);
  });

  it("stays revenue while a refund is pending, until that is completed", () => {
    const world = worldForTests();
    const { order_id } = book(world);
    world.advance("2030-06-03T00:00:00.000Z");
    const kinds = () => world.entries().map(({ kind }) => kind);
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, status: "INITIATED" }).refunds;
    expect(kinds()).toEqual(["SALE", "REVENUE_RECOGNITION"]);
    world.act("refundOrder", { order_id, refund_id });
    expect(kinds()).toEqual(["SALE", "REVENUE_RECOGNITION", "REFUND", "REVENUE_RECOGNITION_REVERSAL"]);
  });

  it("has complete lines with the price and the VAT of one item", () => {
    const world = worldForTests();
    const { order_id } = book(world, { items: [item("var-adult"), item("add-lunch", 2)] });
    expect(world.order(order_id).line_items[1]).toMatchObject({
      quantity: 2,
      unit_price: { value: 9950 },
      unit_vat_amount: { value: 1066 },
      gross: 19_900,
      vat: 2132,
    });
  });
});

describe("refundOrder", () => {
  it("to a gift card creates no card before the refund is completed", () => {
    const world = worldForTests();
    const { order_id } = book(world);
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, to: "gift_card", status: "INITIATED" }).refunds;
    expect(world.collections.giftCards.size).toBe(0);
    world.act("refundOrder", { order_id, refund_id });
    expect(world.collections.giftCards.size).toBe(1);
    expect(faultsIn(world)).toEqual([]);
  });

  it.each([
    [undefined, "GIFTCARD", 1],
    ["SPENT", "SETTLEMENT", 2],
    ["VOIDED", "SETTLEMENT", 2],
    ["EXPIRED", "SETTLEMENT", 2],
  ])("to a card that has since become %s is paid by %s", (end, provider, cards) => {
    const world = worldForTests();
    const { id } = world.act("issueGiftCard", { initial_value: 60_000, expires_at: "2030-06-01T20:00:00Z" });
    const { order_id } = book(world, { payments: [{ gift_card_id: id }] });
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, status: "INITIATED" }).refunds;
    if (end === "SPENT") world.act("adjustGiftCard", { gift_card_id: id, balance: 0 });
    if (end === "VOIDED") world.act("voidGiftCard", { gift_card_id: id });
    if (end === "EXPIRED") world.advance("2030-06-01T20:00:00.000Z");
    expect(world.act("refundOrder", { order_id, refund_id }).refunds[0].provider).toBe(provider);
    expect(world.collections.giftCards.size).toBe(cards);
    expect(world.card(id).status).toBe(end ?? "ACTIVE");
    expect(faultsIn(world)).toEqual([]);
  });
});

describe("Gift cards", () => {
  const buy = (world: TestWorld, more: object = {}) => world.act("buyGiftCard", { initial_value: 50_000, ...more });

  it.each([
    [{ id: "gft-1" }, "ID_TAKEN"],
    [{ code: "XMAS" }, "CODE_TAKEN"],
    [{ code: "gft-1" }, "CODE_TAKEN"],
    [{ id: "XMAS" }, "ID_TAKEN"],
    [{ initial_value: { currency: "XYZ", value: 9 } }, "INVALID_INPUT"],
    [{ initial_value: 0 }, "INVALID_INPUT"],
    [{ expires_at: "2030-06-01T09:00:00Z" }, "INVALID_INPUT"],
    [{ initial_value: { currency: "JPY", value: 9, exponent: 2 } }, "INVALID_INPUT"],
  ])("bought with %j are rejected with %s", (input, code) => {
    const world = worldForTests();
    buy(world, { id: "gft-1", code: "XMAS" });
    expect(world.refusal("buyGiftCard", { initial_value: 1, ...input })).toBe(code);
  });

  it.each([
    [
      "spent to the last",
      "SPENT",
      (world: TestWorld, id: string) => world.act("spendGiftCard", { gift_card_id: id, amount: 50_000 }),
    ],
    [
      "set to nothing",
      "SPENT",
      (world: TestWorld, id: string) => world.act("adjustGiftCard", { gift_card_id: id, balance: 0 }),
    ],
    ["voided", "VOIDED", (world: TestWorld, id: string) => world.act("voidGiftCard", { gift_card_id: id })],
    [
      "voided with refund",
      "VOIDED",
      (world: TestWorld, id: string) => world.act("voidGiftCard", { gift_card_id: id, refund: true }),
    ],
    ["left to expire", "EXPIRED", (world: TestWorld) => world.advance("2040-01-01T00:00:00.000Z")],
  ])("that are %s are %s permanently", (_, status, end) => {
    const world = worldForTests();
    const { id } = buy(world);
    end(world, id);
    expect(world.card(id).status).toBe(status);
    for (const act of ["spendGiftCard", "adjustGiftCard", "voidGiftCard"] as const) {
      expect(world.refusal(act, { gift_card_id: id, amount: 1, balance: 1 })).toBe("GIFT_CARD_NOT_ACTIVE");
    }
    expect(faultsIn(world)).toEqual([]);
  });

  it("voided with a refund return at most the paid amount, and write off additions", () => {
    const world = worldForTests();
    const { id, order_id } = buy(world);
    world.act("adjustGiftCard", { gift_card_id: id, balance: 70_000 });
    world.act("voidGiftCard", { gift_card_id: id, refund: true });
    expect(world.order(order_id).refunds.map(({ amount }) => amount.value)).toEqual([50_000]);
    expect(faultsIn(world)).toEqual([]);
    expect(world.refusal("refundOrder", { order_id })).toBe("GIFT_CARD_ORDER");
  });
});
