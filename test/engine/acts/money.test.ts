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

describe("What a capture posts", () => {
  it("is the money against the prepayment by VAT rate and the fee, and revenue once the event is over", () => {
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

  it("is once for a VAT rate, in however many ways it is written", () => {
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

  it("after completion is recognised at once, and a refund then takes the revenue back", () => {
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

  it("stays revenue while a refund is under way, until that is completed", () => {
    const world = worldForTests();
    const { order_id } = book(world);
    world.advance("2030-06-03T00:00:00.000Z");
    const kinds = () => world.entries().map(({ kind }) => kind);
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, status: "INITIATED" }).refunds;
    expect(kinds()).toEqual(["SALE", "REVENUE_RECOGNITION"]);
    world.act("refundOrder", { order_id, refund_id });
    expect(kinds()).toEqual(["SALE", "REVENUE_RECOGNITION", "REFUND", "REVENUE_RECOGNITION_REVERSAL"]);
  });

  it("is of whole lines, which say the price and the VAT of one", () => {
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

describe("payOrder", () => {
  it("takes what is open, and refuses when nothing is", () => {
    const world = worldForTests();
    const { order_id } = book(world, { payments: [{ amount: 800 }] });
    const paid = world.act("payOrder", { order_id });
    expect(paid.transactions[1]).toMatchObject({
      provider: "PLATFORM_PAY",
      amount: { value: 49000 },
      status: "COMPLETED",
    });
    expect(world.refusal("payOrder", { order_id })).toBe("NOTHING_TO_PAY");
  });

  it.each([
    ["COMPLETED", "PAID"],
    ["FAILED", "UNPAID"],
    ["CANCELLED", "UNPAID"],
  ])("ends a payment under way as %s", (status, payment_status) => {
    const world = worldForTests();
    const { order_id } = book(world, { payments: [{ status: "INITIATED" }] });
    expect(world.refusal("payOrder", { order_id })).toBe("NOTHING_TO_PAY");
    const transaction_id = world.order(order_id).transactions[0]?.id;
    expect(world.act("payOrder", { order_id, transaction_id, status }).payment_status).toBe(payment_status);
    expect(world.refusal("payOrder", { order_id, transaction_id, status })).toBe("WRONG_STATE");
    expect(world.refusal("payOrder", { order_id, transaction_id: "ghost" })).toBe("TRANSACTION_NOT_FOUND");
  });

  it("by gift card takes from the card, and nothing else is paid with one", () => {
    const world = worldForTests();
    const card = world.act("issueGiftCard", { initial_value: 30_000, code: "SUMMER" });
    const { order_id } = book(world, { payments: [{ gift_card_id: "SUMMER" }] });
    expect(world.card(card.id)).toMatchObject({ status: "SPENT", balance: { value: 0 } });
    expect(world.order(order_id)).toMatchObject({ payment_status: "PARTIALLY_PAID" });
    expect(world.refusal("payOrder", { order_id, gift_card_id: card.id })).toBe("GIFT_CARD_NOT_ACTIVE");
    expect(world.refusal("payOrder", { order_id, provider: "STRIPE", gift_card_id: card.id })).toBe("INVALID_INPUT");
    expect(world.refusal("payOrder", { order_id, provider: "GIFTCARD" })).toBe("INVALID_INPUT");
    const euros = world.act("issueGiftCard", { initial_value: { currency: "EUR", value: 1 } });
    expect(world.refusal("payOrder", { order_id, gift_card_id: euros.id })).toBe("CURRENCY_MISMATCH");
    const small = world.act("issueGiftCard", { initial_value: 10 });
    expect(world.refusal("payOrder", { order_id, gift_card_id: small.id, amount: 11 })).toBe(
      "GIFT_CARD_BALANCE_TOO_LOW",
    );
  });
});

describe("refundOrder", () => {
  it("of a ticket takes its lines, and the fee only with the last", () => {
    const world = worldForTests();
    const { order_id, tickets } = book(world, { booking_fee: true });
    const refund = (index: number) => world.act("refundOrder", { order_id, ticket_id: tickets[index].id });
    expect(refund(0).refunds[0].amount.value).toBe(24900);
    expect(refund(1).refunds[1].amount.value).toBe(24900 + 1501);
    expect(world.order(order_id).payment_status).toBe("REFUNDED");
    expect(world.refusal("refundOrder", { order_id })).toBe("NOTHING_TO_REFUND");
  });

  it("under way keeps its money from others until it ends", () => {
    const world = worldForTests();
    const { order_id, tickets } = book(world);
    const one = { order_id, ticket_id: tickets[0].id };
    const refund_id = world.act("refundOrder", { ...one, status: "INITIATED" }).refunds[0].id;
    expect(world.order(order_id).payment_status).toBe("PAID");
    expect(world.refusal("refundOrder", one)).toBe("NOTHING_TO_REFUND");
    world.act("refundOrder", { order_id, refund_id, status: "FAILED" });
    world.act("refundOrder", one);
    expect(world.refusal("refundOrder", { order_id, refund_id })).toBe("WRONG_STATE");
    expect(faultsIn(world)).toEqual([]);
  });

  it("as a gift card makes an order that is settled, and the two name each other", () => {
    const world = worldForTests();
    const { order_id } = book(world);
    const [refund] = world.act("refundOrder", { order_id, to: "gift_card", amount: 5000 }).refunds;
    expect(refund).toMatchObject({ provider: "SETTLEMENT", details: { type: "SETTLEMENT" } });
    const settled = world.order(refund.details.destination_order_id);
    expect(settled.transactions[0]?.details).toEqual({ type: "SETTLEMENT", origin_order_id: order_id });
    const card = world.card(settled.origin.id);
    expect(card).toMatchObject({ status: "ACTIVE", balance: { value: 5000 }, order_id: settled.id });
    expect(world.refusal("voidGiftCard", { gift_card_id: card.id, refund: true })).toBe("GIFT_CARD_OF_REFUND");
    expect(world.act("voidGiftCard", { gift_card_id: card.id })).toMatchObject({ status: "VOIDED" });
    expect(refund).not.toHaveProperty("shares");
  });

  it("as a gift card makes none before the refund is completed", () => {
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
  ])("to a card that is meanwhile %s goes by %s", (end, provider, cards) => {
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

  it.each([
    ["unknown", ["UNKNOWN"], "REFUNDED"],
    ["none", [], "PAID"],
  ])("of an integration's money is %s", (answer, providers, status) => {
    const world = worldForTests({ "refund-of-integration": answer });
    const { id, order_id } = book(world, { payments: [{ provider: "INTEGRATION" }] });
    world.act("cancelBooking", { booking_id: id });
    expect(world.order(order_id).refunds.map(({ provider }) => provider)).toEqual(providers);
    expect(world.order(order_id).payment_status).toBe(status);
  });

  it.each([
    [{ amount: 49_801 }, "AMOUNT_TOO_HIGH"],
    [{ amount: 0 }, "INVALID_INPUT"],
    [{ ticket_id: "ghost" }, "NOT_FOUND"],
    [{ amount: { currency: "SEK", value: 1 } }, "CURRENCY_MISMATCH"],
    [{ refund_id: "ghost" }, "TRANSACTION_NOT_FOUND"],
  ])("with %j is refused with %s", (what, code) => {
    const world = worldForTests();
    expect(world.refusal("refundOrder", { order_id: book(world).order_id, ...what })).toBe(code);
  });
});

describe("Gift cards", () => {
  const buy = (world: TestWorld, more: object = {}) => world.act("buyGiftCard", { initial_value: 50_000, ...more });

  it("are bought with an order, in the company's currency unless another is named", () => {
    const world = worldForTests();
    const card = buy(world, { id: "gft-1", provider: "STRIPE", code: "XMAS", expires_at: "2031-06-01T00:00:00+02:00" });
    expect(card).toMatchObject({ id: "gft-1", code: "XMAS", status: "ACTIVE", expires_at: "2031-05-31T22:00:00.000Z" });
    expect(card.balance).toEqual({ currency: "DKK", value: 50_000, exponent: 2 });
    expect(world.order(card.order_id)).toMatchObject({
      payment_status: "PAID",
      origin: { type: "GIFTCARD", id: "gft-1" },
    });
    expect(postings(world, "SALE")).toEqual([
      [
        ["DEBIT", "PAYMENT", 50_000, undefined],
        ["CREDIT", "GIFT_CARD_LIABILITY", 50_000, undefined],
      ],
    ]);
    expect(buy(world, { initial_value: { currency: "JPY", value: 9, exponent: 0 } }).balance.exponent).toBe(0);
  });

  it.each([
    [{ id: "gft-1" }, "ID_TAKEN"],
    [{ code: "XMAS" }, "CODE_TAKEN"],
    [{ code: "gft-1" }, "CODE_TAKEN"],
    [{ id: "XMAS" }, "ID_TAKEN"],
    [{ initial_value: { currency: "XYZ", value: 9 } }, "INVALID_INPUT"],
    [{ initial_value: 0 }, "INVALID_INPUT"],
    [{ expires_at: "2030-06-01T09:00:00Z" }, "INVALID_INPUT"],
    [{ initial_value: { currency: "JPY", value: 9, exponent: 2 } }, "INVALID_INPUT"],
  ])("bought with %j are refused with %s", (input, code) => {
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
  ])("that are %s are %s for good", (_, status, end) => {
    const world = worldForTests();
    const { id } = buy(world);
    end(world, id);
    expect(world.card(id).status).toBe(status);
    for (const act of ["spendGiftCard", "adjustGiftCard", "voidGiftCard"] as const) {
      expect(world.refusal(act, { gift_card_id: id, amount: 1, balance: 1 })).toBe("GIFT_CARD_NOT_ACTIVE");
    }
    expect(faultsIn(world)).toEqual([]);
  });

  it("voided with refund give back at most what was paid; what was put on top is written off", () => {
    const world = worldForTests();
    const { id, order_id } = buy(world);
    world.act("adjustGiftCard", { gift_card_id: id, balance: 70_000 });
    world.act("voidGiftCard", { gift_card_id: id, refund: true });
    expect(world.order(order_id).refunds.map(({ amount }) => amount.value)).toEqual([50_000]);
    expect(faultsIn(world)).toEqual([]);
    expect(world.refusal("refundOrder", { order_id })).toBe("GIFT_CARD_ORDER");
  });

  it("can't be overspent", () => {
    const world = worldForTests();
    expect(world.refusal("spendGiftCard", { gift_card_id: buy(world).id, amount: 50_001 })).toBe(
      "GIFT_CARD_BALANCE_TOO_LOW",
    );
    expect(world.refusal("spendGiftCard", { gift_card_id: "ghost", amount: 1 })).toBe("NOT_FOUND");
  });
});

describe("The books", () => {
  it("take a correction by hand, and answer with it", () => {
    const world = worldForTests();
    const entry = world.act("recordAdjustment", {
      type: "PAYMENT",
      direction: "DEBIT",
      amount: 100,
      booking_id: book(world).id,
    });
    expect(entry).toMatchObject({ kind: "ADJUSTMENT", currency: "DKK", documents: [] });
    expect(postings(world, "ADJUSTMENT")).toEqual([
      [
        ["DEBIT", "PAYMENT", 100, undefined],
        ["CREDIT", "ADJUSTMENT", 100, undefined],
      ],
    ]);
    const { order_id } = world.act("buyGiftCard", { initial_value: 50_000 });
    const sold = { type: "BOOKING_REVENUE", direction: "DEBIT", amount: 1, order_id };
    expect(world.refusal("recordAdjustment", sold)).toBe("INVALID_INPUT");
    const wrong = { type: "PAYMENT", direction: "DEBIT", amount: 0 };
    expect(world.refusal("recordAdjustment", wrong)).toBe("INVALID_INPUT");
    expect(world.refusal("recordAdjustment", { ...wrong, amount: 1, order_id: "ghost" })).toBe("NOT_FOUND");
  });

  it("get a document by hand instead of by the clock, once each", () => {
    const world = worldForTests();
    book(world);
    const journal_entry_id = world.entries()[0]?.id;
    expect(world.act("attachDocument", { journal_entry_id }).documents).toMatchObject([{ type: "RECEIPT" }]);
    world.advance("2030-06-01T09:05:00.000Z");
    expect(world.entries()[0]?.documents).toHaveLength(1);
    expect(world.refusal("attachDocument", { journal_entry_id })).toBe("DOCUMENT_EXISTS");
    expect(world.refusal("attachDocument", { journal_entry_id, type: "CREDIT_NOTE" })).toBe("DOCUMENT_NOT_OF_KIND");
  });
});
