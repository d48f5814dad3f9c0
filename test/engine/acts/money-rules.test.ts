// What money must not do: be earned while it is on its way back, outlive what it was paid for, mix with other currencies, or grow
// beyond what a number can tell. Assumptions: cancel-keeps-money, refund-of-integration, gift-card-voided, gift-card-given, currencies,
// experience-currency, amounts, posting-rules, booking-move, event-transitions.
import { describe, expect, it } from "vitest";
import { DomainError } from "../../../src/engine/domain/kernel/domain-error.ts";
import { ANNA, book, item, START, type TestWorld, TOUR, worldForTests } from "../../world-for-tests.ts";
import { faultsIn } from "../domain/books.ts";

const kinds = (world: TestWorld) => world.entries().map(({ kind }) => kind);
const sentence = (world: TestWorld, act: Parameters<TestWorld["act"]>[0], input: object): string => {
  try {
    world.act(act, input);
    return "done";
  } catch (reason) {
    if (reason instanceof DomainError) return reason.message;
    throw reason;
  }
};
const [ONE_ADULT, AFTER] = [{ items: [item("var-adult")] }, "2030-06-05T00:00:00.000Z"];

describe("Money of a cancelled booking", () => {
  it.each<["COMPLETED" | "FAILED" | "CANCELLED", string[]]>([
    ["COMPLETED", ["SALE", "REFUND", "REFUND"]],
    ["FAILED", ["SALE", "REFUND", "REVENUE_RECOGNITION"]],
    ["CANCELLED", ["SALE", "REFUND", "REVENUE_RECOGNITION"]],
  ])("is not revenue while a refund is pending, which then is %s", (status, wanted) => {
    const world = worldForTests();
    const { id, order_id } = book(world, ONE_ADULT);
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, amount: 10_000, status: "INITIATED" }).refunds;
    world.act("cancelBooking", { booking_id: id });
    expect(kinds(world)).toEqual(["SALE", "REFUND"]);
    world.act("refundOrder", { order_id, refund_id, status });
    expect(kinds(world)).toEqual(wanted);
    const earned = world.entries().find(({ kind }) => kind === "REVENUE_RECOGNITION");
    expect(earned?.postings[0]?.amount.value).toBe(earned && 8000);
    expect(faultsIn(world)).toEqual([]);
  });

  it.each<[object, string[], string]>([
    [{ refund: "full" }, ["SALE"], "PAID"],
    [{ refund: "none" }, ["SALE", "REVENUE_RECOGNITION"], "PAID"],
    [{ refund: "amount", amount: 4900 }, ["SALE", "REVENUE_RECOGNITION"], "PAID"],
    [{ refund: "gift_card" }, ["SALE", "SALE", "REFUND"], "REFUNDED"],
  ])("that an integration collected and refunds itself, with %j", (choice, wanted, payment_status) => {
    const world = worldForTests({ "refund-of-integration": "none" });
    const { id, order_id } = book(world, { ...ONE_ADULT, payments: [{ provider: "INTEGRATION" }] });
    expect(sentence(world, "refundOrder", { order_id })).toMatch(/refunds its guest itself/);
    world.act("cancelBooking", { booking_id: id, ...choice });
    expect(kinds(world)).toEqual(wanted);
    const isPaidBack = payment_status === "REFUNDED";
    const why = isPaidBack
      ? "it holds no captured money"
      : "an integration collected the money and refunds its guest itself";
    expect(sentence(world, "refundOrder", { order_id })).toContain(
      `Nothing of order ${order_id} can be paid back: ${why}`,
    );
    expect(world.order(order_id)).toMatchObject({ status: "CANCELLED", payment_status });
    expect(faultsIn(world, { "refund-of-integration": "none" })).toEqual([]);
  });

  it("that an integration collected for a gift card has no refund here, so the card is voided without one", () => {
    const world = worldForTests({ "refund-of-integration": "none" });
    const bought = { initial_value: { currency: "DKK", value: 5000, exponent: 2 }, provider: "INTEGRATION" };
    const card = world.act("buyGiftCard", { id: "gft-1", ...bought });
    expect(sentence(world, "voidGiftCard", { gift_card_id: "gft-1", refund: true })).toContain(
      `Nothing of order ${card.order_id} can be paid back: an integration collected the money`,
    );
    expect(world.card("gft-1")).toMatchObject({ status: "ACTIVE", balance: { value: 5000 } });
    expect(world.act("voidGiftCard", { gift_card_id: "gft-1" }).status).toBe("VOIDED");
    expect(faultsIn(world, { "refund-of-integration": "none" })).toEqual([]);
  });

  it("that an integration collected is not revenue if the event is cancelled after it was over", () => {
    const world = worldForTests({ "refund-of-integration": "none" });
    const { id } = book(world, { ...ONE_ADULT, payments: [{ provider: "INTEGRATION" }] });
    world.advance(AFTER);
    world.act("cancelBooking", { booking_id: id });
    expect(kinds(world)).toEqual(["SALE", "REVENUE_RECOGNITION", "REVENUE_RECOGNITION_REVERSAL"]);
  });

  it.each([
    ["none", ["SALE", "REVENUE_RECOGNITION"], "PAID"],
    ["full", ["SALE", "REFUND"], "REFUNDED"],
    ["gift_card", ["SALE", "SALE", "REFUND"], "REFUNDED"],
  ])("is refunded as the host chose for a checkout too: %s", (refund, wanted, payment_status) => {
    const world = worldForTests();
    const { id, order_id } = world.act("startCheckout", {
      event_id: "evt-noon",
      customer: ANNA,
      ...ONE_ADULT,
      booking_fee: false,
    });
    world.act("payOrder", { order_id });
    world.act("cancelBooking", { booking_id: id, refund });
    expect(kinds(world)).toEqual(wanted);
    expect(world.order(order_id).payment_status).toBe(payment_status);
  });
});

describe("A gift card", () => {
  it.each<[string, (world: TestWorld) => { id: string }, [string, number][]]>([
    ["was bought", (world) => world.act("buyGiftCard", { initial_value: 500 }), [["BREAKAGE", 500]]],
    ["was given", (world) => world.act("issueGiftCard", { initial_value: 500 }), [["ADJUSTMENT", 500]]],
    [
      "was bought, raised and used",
      (world) => {
        const card = world.act("buyGiftCard", { initial_value: 500 });
        world.act("adjustGiftCard", { gift_card_id: card.id, balance: 900 });
        world.act("spendGiftCard", { gift_card_id: card.id, amount: 100 });
        return card;
      },
      [
        ["BREAKAGE", 500],
        ["ADJUSTMENT", 300],
      ],
    ],
  ])("that %s is valid for three years, and expires with its paid amount", (_, make, wanted) => {
    const world = worldForTests();
    const { id } = make(world);
    const before = world.entries().length;
    world.advance("2033-06-01T08:59:59.999Z");
    expect(world.card(id).status).toBe("ACTIVE");
    world.advance("2033-06-01T09:00:00.000Z");
    expect(world.card(id).status).toBe("EXPIRED");
    const lapsed = world.entries().slice(before);
    expect(lapsed.map(({ kind, postings }) => [kind, postings[0]?.amount.value])).toEqual(wanted);
    expect(faultsIn(world)).toEqual([]);
  });

  it("never promises more than its balance", () => {
    const world = worldForTests();
    const { id } = world.act("issueGiftCard", { initial_value: 100 });
    const { order_id } = book(world, { payments: [] });
    const promise = { order_id, gift_card_id: id, status: "INITIATED" };
    expect(world.refusal("payOrder", { ...promise, amount: 20_000 })).toBe("GIFT_CARD_BALANCE_TOO_LOW");
    expect(world.act("payOrder", promise).transactions[0].amount.value).toBe(100);
  });
});

describe("A pending payment or refund", () => {
  it("can only be ended, not changed", () => {
    const world = worldForTests();
    const { order_id } = book(world, { payments: [{ amount: 20_000, status: "INITIATED" }, {}] });
    const transaction_id = world.order(order_id).transactions[0]?.id;
    for (const more of [{ amount: 1 }, { provider: "ADYEN" }, { gift_card_id: "x" }]) {
      expect(world.refusal("payOrder", { order_id, transaction_id, ...more })).toBe("INVALID_INPUT");
    }
    expect(sentence(world, "payOrder", { order_id, transaction_id, amount: 1, provider: "ADYEN" })).toMatch(
      /body\.amount: .*transaction_id.*body\.provider: /s,
    );
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, amount: 500, status: "INITIATED" }).refunds;
    for (const more of [{ amount: 1 }, { to: "gift_card" }, { ticket_id: "x" }]) {
      expect(world.refusal("refundOrder", { order_id, refund_id, ...more })).toBe("INVALID_INPUT");
    }
    expect(world.order(order_id).refunds[0]?.status).toBe("INITIATED");
  });
});

describe("The fee", () => {
  it("stays while another ticket is valid, even if that ticket was free", () => {
    const world = worldForTests();
    const { id, order_id, tickets } = book(world, {
      items: [item("var-adult"), item("var-boat")],
      discounts: [{ code: "FREE", percent: 100, type_id: "var-boat" }],
      booking_fee: true,
    });
    const ticket_id = tickets[0].id;
    const [{ amount }] = world.act("refundOrder", { order_id, ticket_id, status: "FAILED" }).refunds;
    expect(amount.value).toBe(24_900);
    world.act("checkInTicket", { ticket_id: tickets[1].id });
    expect(world.act("refundOrder", { order_id, ticket_id, status: "FAILED" }).refunds[1].amount.value).toBe(24_900);
    world.act("undoCheckIn", { ticket_id: tickets[1].id });
    world.act("voidTicket", { ticket_id: tickets[1].id });
    expect(world.act("refundOrder", { order_id, ticket_id }).refunds[2].amount.value).toBe(24_900 + 1501);
    expect(world.booking(id).status).toBe("ACTIVE");
  });
});

describe("A discount", () => {
  it("on a type that the experience does not offer is rejected with its name", () => {
    const world = worldForTests();
    const discounts = [
      { code: "OFF", percent: 10 },
      { code: "OFF", percent: 10, type_id: "var-adutl" },
    ];
    expect(sentence(world, "bookAsHost", { event_id: "evt-noon", customer: ANNA, ...ONE_ADULT, discounts })).toBe(
      "body.discounts.1.type_id: var-adutl is not offered for this event. exp-tour offers var-adult, add-lunch, var-boat, add-photo.",
    );
  });

  it.each([
    [{ amount: 1_000_000 }, 24_900],
    [{ percent: 33.333 }, 8300],
    [{ percent: 0.004 }, 1],
    [{ percent: 12.345 }, 3074],
  ])("of %j reduces a ticket by %i, and never by more than its price", (off, taken) => {
    const world = worldForTests();
    const { order_id } = book(world, { ...ONE_ADULT, discounts: [{ code: "OFF", ...off }] });
    const { totals, line_items } = world.order(order_id);
    expect([totals.discount.value, totals.amount.value, line_items[0]?.gross]).toEqual([
      taken,
      24_900 - taken,
      24_900 - taken,
    ]);
    expect(faultsIn(world)).toEqual([]);
  });
});

describe("An amount", () => {
  it.each<[string, (world: TestWorld) => string]>([
    ["a card", (world) => world.refusal("issueGiftCard", { initial_value: 2 ** 53 })],
    [
      "the sum of an order",
      (world) => {
        const price = { currency: "DKK", value: Number.MAX_SAFE_INTEGER, exponent: 2 };
        const [adult] = TOUR.ticket_variants;
        world.act("updateExperience", { experience_id: "exp-tour", ticket_variants: [{ ...adult, price }] });
        expect(world.refusal("bookAsHost", { event_id: "evt-noon", customer: ANNA, ...ONE_ADULT })).toBe("done");
        return world.refusal("bookAsHost", { event_id: "evt-noon", customer: ANNA, items: [item("var-adult", 2)] });
      },
    ],
  ])("beyond the safe integers is rejected: %s", (_, code) => {
    expect(code(worldForTests())).toBe("INVALID_INPUT");
  });

  it("that exceeds the limit of a card is refunded to a new card", () => {
    const world = worldForTests();
    const { order_id } = book(world, { ...ONE_ADULT, payments: [] });
    const { id } = world.act("buyGiftCard", { initial_value: 24_900 + 1 });
    world.act("payOrder", { order_id, gift_card_id: id });
    world.act("adjustGiftCard", { gift_card_id: id, balance: Number.MAX_SAFE_INTEGER });
    world.act("refundOrder", { order_id });
    expect(world.order(order_id).refunds.map(({ provider }) => provider)).toEqual(["SETTLEMENT"]);
    expect(world.card(id).balance.value).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("Currencies", () => {
  const price = (currency: string, exponent = 2) => ({ currency, value: 1000, exponent });
  const variant = (id: string, currency: string, more: object = {}) => ({
    id,
    name: id,
    price: price(currency),
    vat_rate: "0.25",
    ...more,
  });
  const fee = { price: price("JPY", 0), vat_rate: "0" };

  it.each<[string, object, string[]]>([
    [
      "variants",
      { ticket_variants: [variant("a", "DKK"), variant("b", "USD")] },
      ["body.ticket_variants.1.price.currency"],
    ],
    [
      "an add-on",
      { ticket_variants: [variant("a", "DKK", { add_on_variants: [variant("x", "EUR")] })] },
      ["body.ticket_variants.0.add_on_variants.0.price.currency"],
    ],
    ["the fee", { ticket_variants: [variant("a", "DKK")], booking_fee: fee }, ["body.booking_fee.price.currency"]],
    [
      "one that does not exist",
      { ticket_variants: [variant("a", "XYZ")] },
      ["body.ticket_variants.0.price.currency", "XYZ"],
    ],
  ])("of one experience can't be mixed: %s", (_, input, telling) => {
    const world = worldForTests();
    for (const what of telling)
      expect(sentence(world, "createExperience", { name: "Mixed", ...input })).toContain(what);
    for (const what of telling) {
      expect(sentence(world, "updateExperience", { experience_id: "exp-tour", ...input })).toContain(what);
    }
    expect(world.collections.experiences.get("exp-tour")).toMatchObject({
      booking_fee: { price: { currency: "DKK" } },
    });
  });

  it("of an order stay the same when the price list changes its currency", () => {
    const world = worldForTests();
    const { id } = book(world, ONE_ADULT);
    const change = { ticket_variants: [variant("var-adult", "EUR")], booking_fee: { ...fee, price: price("EUR") } };
    world.act("updateExperience", { experience_id: "exp-tour", ...change });
    const more = { booking_id: id, items: [item("var-adult", 2)] };
    expect(sentence(world, "updateBooking", more)).toMatch(/sold in EUR, the order is in DKK/);
    expect(book(world, { ...ONE_ADULT, booking_fee: true }).order_id).toBeTruthy();
  });

  it("of a fee from the host must match the experience", () => {
    const world = worldForTests();
    const input = { event_id: "evt-noon", customer: ANNA, ...ONE_ADULT, booking_fee: fee };
    expect(world.refusal("bookAsHost", input)).toBe("CURRENCY_MISMATCH");
  });
});

describe("An adjustment by hand", () => {
  it("refers to things by id, in their currency, and only to related ones", () => {
    const world = worldForTests();
    const yen = world.act("issueGiftCard", { initial_value: { currency: "JPY", value: 500 }, code: "SAKURA" });
    const [one, other] = [book(world, ONE_ADULT), book(world, ONE_ADULT)];
    const correct = { type: "PAYMENT", direction: "DEBIT", amount: 5 };
    const entry = world.act("recordAdjustment", { ...correct, gift_card_id: "SAKURA" });
    expect([entry.gift_card_id, entry.currency]).toEqual([yen.id, "JPY"]);
    const foreign = { ...correct, amount: { currency: "USD", value: 5 } };
    expect(world.refusal("recordAdjustment", { ...foreign, gift_card_id: yen.id })).toBe("CURRENCY_MISMATCH");
    expect(world.refusal("recordAdjustment", { ...foreign, booking_id: one.id })).toBe("CURRENCY_MISMATCH");
    const apart = { ...correct, order_id: one.order_id };
    expect(world.refusal("recordAdjustment", { ...apart, booking_id: other.id })).toBe("INVALID_INPUT");
    expect(world.refusal("recordAdjustment", { ...apart, gift_card_id: yen.id })).toBe("INVALID_INPUT");
    expect(world.act("recordAdjustment", { ...apart, booking_id: one.id })).toMatchObject({ order_id: one.order_id });
  });
});

describe("A booking", () => {
  it("copies new metadata to its order", () => {
    const world = worldForTests();
    const { id, order_id } = book(world, { metadata: { a: "1" } });
    world.act("updateBooking", { booking_id: id, metadata: { a: "2" } });
    expect(world.order(order_id).metadata).toEqual({ a: "2" });
  });

  it.each(["", "same-booking"])("can be moved even if its variant is no longer sold (%s)", (answer) => {
    const world = worldForTests({ "booking-move": answer });
    const { id } = book(world, { items: [item("var-boat"), item("var-adult"), item("add-photo")] });
    const [adult] = TOUR.ticket_variants;
    world.act("updateExperience", { experience_id: "exp-tour", ticket_variants: [adult] });
    const moved = world.act("moveBooking", { booking_id: id, event_id: "evt-late" });
    expect(moved.tickets.map(({ items }: { items: object[] }) => items.length)).toEqual([2, 1]);
    expect([world.event("evt-noon").capacity.reserved, world.event("evt-late").capacity.reserved]).toEqual([0, 4]);
    expect(world.event("evt-late").sold).toEqual({ "var-boat": 1, "var-adult": 1, "add-photo": 1 });
  });

  it("that keeps its id on a move is not reported as new", () => {
    const world = worldForTests({ "booking-move": "same-booking" });
    const { id, order_id } = book(world);
    world.act("lockEvent", { event_id: "evt-noon", booking_id: id });
    world.act("moveBooking", { booking_id: id, event_id: "evt-late" });
    expect(world.facts).toEqual([
      { fact: "event.updated", id: "evt-noon" },
      { fact: "booking.updated", id },
    ]);
    expect(world.booking(id)).toMatchObject({ status: "ACTIVE", event_id: "evt-late", created_at: START, order_id });
    expect(world.event("evt-noon").locked_by).toBeUndefined();
    expect(faultsIn(world)).toEqual([]);
  });

  it.each([
    [
      { customer_type: "COMPANY", name: "Havn ApS" },
      { company_name: "Havn ApS", name: "Havn ApS" },
    ],
    [
      { customer_type: "COMPANY", company_name: "Havn ApS" },
      { company_name: "Havn ApS", name: "Havn ApS" },
    ],
    [{ email: "bo@example.com" }, { name: "Guest", full_name: "Guest" }],
  ])("for %j has a customer with a name", (customer, view) => {
    expect(book(worldForTests(), { customer }).customer).toMatchObject(view);
  });
});
