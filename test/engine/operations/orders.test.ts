// Orders: what they list, and how every way of paying and paying back shows on them.
import { describe, expect, it } from "vitest";
import { type Answered, renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { ADULT, addOn, advance, allPages, done, guest, idsOf, kroner, smallWorld, ticket } from "./kit.ts";

const sandbox = shareSandbox();
const world = renewWorld(() => sandbox.world());

type Body = Answered["body"];
const ofOrder = (orderId: string) => ({ path: { orderId } });

/** An order with everything on it, after checking that it adds up. */
async function whole(world: TestWorld, orderId: string): Promise<Body> {
  const { body: order } = await world.call("getOrder", ofOrder(orderId));
  const lists = await Promise.all(
    ["listOrderLineItems", "listOrderTransactions", "listOrderRefunds"].map(
      async (id) => (await world.call(id, ofOrder(orderId))).body.items,
    ),
  );
  const [lines, transactions, refunds] = lists as [Body[], Body[], Body[]];
  const off = (line: Body) => sum(line.discounts.map((each: Body) => each.amount.value));
  expect(order.totals.amount.value).toBe(sum(lines.map((line) => line.quantity * line.unit_price.value - off(line))));
  expect(order.totals.discount.value).toBe(sum(lines.map(off)));
  const moved = (moves: Body[]) =>
    sum(moves.filter(({ status }) => status === "COMPLETED").map(({ amount }) => amount.value));
  const [total, captured, refunded] = [order.totals.amount.value, moved(transactions), moved(refunds)];
  const paid = captured >= total ? "PAID" : captured > 0 ? "PARTIALLY_PAID" : "UNPAID";
  expect(order.payment_status).toBe(refunded === 0 ? paid : refunded >= captured ? "REFUNDED" : "PARTIALLY_REFUNDED");
  return { ...order, lines, transactions, refunds };
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
const HOST = { event_id: "evt-evening", customer: guest, items: [ADULT] };
const sold = async (world: TestWorld, input: object = {}): Promise<string> =>
  (await done(world, "bookAsHost", { ...HOST, ...input })).order_id;
const moves = (items: Body[]) => items.map(({ provider, status, amount }) => `${provider} ${status} ${amount.value}`);

describe("orders are listed", () => {
  it("all of them, each adding up, in four currencies", async () => {
    const { items } = await allPages(world, "listOrders", { query: { limit: 7 } });
    expect(items.length).toBeGreaterThan(80);
    for (const order of items) expect(await whole(world, order.id)).toMatchObject(order);
    expect(new Set(items.map(({ totals }) => `${totals.amount.currency}${totals.amount.exponent}`))).toEqual(
      new Set(["DKK2", "JPY0", "KWD3", "USD2"]),
    );
    const numbers = items.map(({ number }) => Number(number)).sort((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, index) => 1001 + index));
  });

  it("by window and order, as bookings are", async () => {
    const small = await smallWorld(sandbox);
    const made: string[] = [];
    for (const second of [0, 1, 2]) {
      const { order_id } = await done(small, "bookAsHost", { ...HOST, event_id: "evt-noon" });
      made.push(order_id);
      if (second < 2) await advance(small, "PT1S");
    }
    await advance(small, "PT1S");
    await done(small, "payOrder", { order_id: made[0] });
    const [a, b, c] = made as [string, string, string];
    const at = (second: string) => `2030-06-01T09:00:0${second}Z`;
    const rows: [Record<string, string>, string[]][] = [
      [{}, [c, b, a]],
      [{ sort: "+created_at" }, [a, b, c]],
      [{ sort: "-updated_at" }, [a, c, b]],
      [{ sort: "+updated_at" }, [b, c, a]],
      [{ from: at("0.999"), to: at("2") }, [b]],
      [{ from: at("1"), to: at("2") }, []],
      [{ from: "2030-06-01T08:59:59Z", to: at("1.001"), sort: "+updated_at" }, [b, a]],
    ];
    for (const [query, ids] of rows) {
      for (const limit of [1, 2, 100])
        expect(idsOf((await allPages(small, "listOrders", { query: { ...query, limit } })).items)).toEqual(ids);
    }
    for (const query of ["limit=0", "limit=101", "sort=number", "from=now", "cursor=x"])
      expect((await small.call("listOrders", { query })).status).toBe(400);
  });

  it.each(["getOrder", "listOrderLineItems", "listOrderTransactions", "listOrderRefunds"])(
    "and %s of an unknown one returns 404",
    async (operation) => {
      for (const id of ["ord-nothing", "bkg-evening", "__proto__"])
        expect((await world.call(operation, ofOrder(id))).status).toBe(404);
    },
  );
});

describe("an order is paid", () => {
  it("not at all, in part, and in full", async () => {
    const id = await sold(world, { items: [ticket("var-adult", 2)] });
    expect(await whole(world, id)).toMatchObject({ status: "COMPLETED", payment_status: "UNPAID", transactions: [] });
    await done(world, "payOrder", { order_id: id, amount: 10000, provider: "STRIPE" });
    expect((await whole(world, id)).payment_status).toBe("PARTIALLY_PAID");
    await done(world, "payOrder", { order_id: id });
    const paid = await whole(world, id);
    expect(paid.payment_status).toBe("PAID");
    expect(moves(paid.transactions)).toEqual(["STRIPE COMPLETED 10000", "PLATFORM_PAY COMPLETED 40000"]);
    expect((await world.act("payOrder", { order_id: id })).body.code).toBe("NOTHING_TO_PAY");
    expect((await world.act("payOrder", { order_id: id, amount: 1 })).body.code).toBe("AMOUNT_TOO_HIGH");
  });

  it.each(["PLATFORM_PAY", "STRIPE", "ADYEN", "QUICKPAY", "PUNCHCARD", "INTEGRATION", "UNKNOWN"])(
    "by %s",
    async (provider) => {
      const paid = await whole(world, await sold(world, { payments: [{ provider }] }));
      expect([paid.payment_status, ...moves(paid.transactions)]).toEqual(["PAID", `${provider} COMPLETED 25000`]);
    },
  );

  it("by a pending payment, which can fail, be cancelled or complete", async () => {
    for (const [end, status] of [
      ["FAILED", "UNPAID"],
      ["CANCELLED", "UNPAID"],
      ["COMPLETED", "PAID"],
    ] as const) {
      const id = await sold(world, { payments: [{ provider: "ADYEN", status: "INITIATED" }] });
      const before = await whole(world, id);
      expect([before.payment_status, before.transactions[0].status]).toEqual(["UNPAID", "INITIATED"]);
      await done(world, "payOrder", { order_id: id, transaction_id: before.transactions[0].id, status: end });
      const after = await whole(world, id);
      expect([after.payment_status, after.transactions[0].status]).toEqual([status, end]);
      const again = await world.act("payOrder", {
        order_id: id,
        transaction_id: before.transactions[0].id,
        status: "COMPLETED",
      });
      expect([again.status, again.body.code]).toEqual([409, "WRONG_STATE"]);
    }
  });

  it("by a gift card in part, and by another provider for the rest", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 10000 });
    const paid = await whole(
      world,
      await sold(world, { payments: [{ gift_card_id: "gc-new" }, { provider: "QUICKPAY" }] }),
    );
    expect(moves(paid.transactions)).toEqual(["GIFTCARD COMPLETED 10000", "QUICKPAY COMPLETED 15000"]);
    expect(paid.transactions[0].details).toEqual({ type: "GIFTCARD", gift_card_id: "gc-new" });
    expect((await world.call("getGiftCard", { path: { giftCardId: "gc-new" } })).body.status).toBe("SPENT");
  });

  it("at a guest's checkout with the fee, which is a line of its own", async () => {
    await done(world, "startCheckout", { ...HOST, id: "bkg-mine", items: [ticket("var-adult", 2)] });
    const pending = (await allPages(world, "listOrders")).items.find(({ origin }) => origin.id === "bkg-mine");
    expect([pending.status, pending.payment_status]).toEqual(["PENDING", "UNPAID"]);
    await done(world, "completeCheckout", { booking_id: "bkg-mine" });
    const order = await whole(world, pending.id);
    expect(order).toMatchObject({
      status: "COMPLETED",
      payment_status: "PAID",
      totals: { amount: kroner(51500), vat_amount: kroner(10300) },
    });
    const fee = order.lines.at(-1);
    expect(fee).toMatchObject({
      product_type: "BOOKING_FEE",
      quantity: 1,
      unit_price: kroner(1500),
      unit_vat_amount: kroner(300),
      details: { type: "BOOKING_FEE" },
    });
  });

  it("after a discount by percentage, by amount, on one type, and by more than there is", async () => {
    const items = [ticket("var-adult", 2), addOn("add-museum")];
    const rows: [object[], number, number][] = [
      [[{ code: "TEN", percent: 10 }], 5950, 9000],
      [[{ code: "LESS", amount: 1000 }], 1000, 9831],
      [[{ code: "MUSEUM", percent: 100, type_id: "add-museum" }], 9500, 10000],
      [
        [
          { code: "A", amount: 100 },
          { code: "B", percent: 50 },
        ],
        100 + 29700,
        4991,
      ],
      [[{ code: "ALL", amount: 1_000_000 }], 59500, 0],
    ];
    for (const [discounts, off] of rows) {
      const order = await whole(world, await sold(world, { items, discounts }));
      expect([order.totals.discount.value, order.totals.amount.value]).toEqual([off, 59500 - off]);
      const vat = sum(
        order.lines
          .filter((line: Body) => line.product_id === "var-adult")
          .map((line: Body) =>
            Math.floor((line.unit_price.value - sum(line.discounts.map((each: Body) => each.amount.value))) / 5 + 0.5),
          ),
      );
      expect(order.totals.vat_amount.value).toBe(vat);
    }
  });

  it("by nothing when it costs nothing", async () => {
    expect(await whole(world, await sold(world, { discounts: [{ code: "FREE", percent: 100 }] }))).toMatchObject({
      payment_status: "PAID",
      transactions: [],
      totals: { amount: kroner(0) },
    });
  });

  it("in yen and in dinars, to the smallest unit", async () => {
    const yen = await whole(
      world,
      await sold(world, {
        event_id: "evt-tea",
        items: [ticket("var-tea")],
        payments: [{ amount: { currency: "JPY", value: 100 } }],
        discounts: [{ code: "T", percent: 33 }],
      }),
    );
    expect(yen).toMatchObject({
      payment_status: "PARTIALLY_PAID",
      totals: { amount: { currency: "JPY", value: 8107, exponent: 0 }, vat_amount: { value: 737 } },
    });
    const dinars = await whole(
      world,
      await sold(world, {
        event_id: "evt-charter",
        items: [ticket("var-charter-guest")],
        payments: [{ provider: "STRIPE" }],
      }),
    );
    expect(dinars.transactions[0].amount).toEqual({ currency: "KWD", value: 42755, exponent: 3 });
    const wrong = await world.act("bookAsHost", { ...HOST, payments: [{ amount: { currency: "JPY", value: 100 } }] });
    expect([wrong.status, wrong.body.code]).toEqual([409, "CURRENCY_MISMATCH"]);
  });
});

it("a correction of a moved booking names its order, and one of an order names its current booking", async () => {
  const { id: old, order_id } = await done(world, "bookAsHost", { ...HOST, payments: [{}] });
  const { id: moved } = await done(world, "moveBooking", { booking_id: old, event_id: "evt-canal-11" });
  const correct = { type: "BOOKING_REVENUE", direction: "DEBIT", amount: 1 };
  const named = async (given: object) => {
    const { id } = await done(world, "recordAdjustment", { ...correct, ...given });
    const { body } = await world.call("getJournalEntry", { path: { journalEntryId: id } });
    return [body.order_id, body.booking_id];
  };
  expect(await named({ booking_id: old })).toEqual([order_id, old]);
  expect(await named({ order_id })).toEqual([order_id, moved]);
  const card = await done(world, "buyGiftCard", { initial_value: 20000 });
  expect(await named({ type: "PAYMENT", order_id: card.order_id })).toEqual([card.order_id, undefined]);
});

describe("a rejection because of a pending payment or refund names it, and how it ends:", () => {
  const message = async (world: TestWorld, act: string, input: object) => (await world.act(act, input)).body.message;

  it("a payment", async () => {
    const id = await sold(world, { payments: [{ status: "INITIATED" }] });
    const [{ id: transaction_id }] = (await whole(world, id)).transactions;
    const end = `payment ${transaction_id} is pending; end it with payOrder using its transaction_id and a status.`;
    expect(await message(world, "payOrder", { order_id: id })).toBe(`Order ${id} has nothing open to pay: ${end}`);
    expect(await message(world, "payOrder", { order_id: id, amount: 1 })).toBe(
      `1 is more than the 0 that is open on order ${id}. Request at most that amount: ${end}`,
    );
    await done(world, "payOrder", { order_id: id, transaction_id });
    const paid = `Order ${id} has nothing open to pay: its payment_status is PAID.`;
    expect(await message(world, "payOrder", { order_id: id })).toBe(paid);
  });

  it("a refund", async () => {
    const id = await sold(world, { payments: [{}] });
    await done(world, "refundOrder", { order_id: id, status: "INITIATED" });
    const [{ id: refund_id }] = (await whole(world, id)).refunds;
    const end = `refund ${refund_id} is pending; end it with refundOrder using its refund_id and a status.`;
    const nothing = `Nothing of order ${id} can be paid back: `;
    expect(await message(world, "refundOrder", { order_id: id })).toBe(nothing + end);
    await done(world, "refundOrder", { order_id: id, refund_id });
    const held = "it holds no captured money that is not refunded yet.";
    expect(await message(world, "refundOrder", { order_id: id })).toBe(nothing + held);
  });

  it("but no order that left with its booking", async () => {
    const payments = [{ amount: 20000, status: "INITIATED" }, { amount: 999999 }];
    expect(await message(world, "bookAsHost", { ...HOST, payments })).toBe(
      "999999 is more than the 5000 that is open on the order of the booking. Request at most that amount.",
    );
  });
});

describe("an order is refunded", () => {
  const two = { items: [ticket("var-adult", 2)], payments: [{ provider: "STRIPE" }] };

  it("in full, to the original source", async () => {
    const id = await sold(world, two);
    await done(world, "refundOrder", { order_id: id });
    const order = await whole(world, id);
    expect([order.status, order.payment_status, ...moves(order.refunds)]).toEqual([
      "COMPLETED",
      "REFUNDED",
      "STRIPE COMPLETED 50000",
    ]);
    expect(order.refunds[0].transaction_id).toBe(order.transactions[0].id);
    expect(order.refunds[0]).not.toHaveProperty("details");
    expect((await world.act("refundOrder", { order_id: id })).body.code).toBe("NOTHING_TO_REFUND");
  });

  it("in parts, until nothing is left", async () => {
    const id = await sold(world, two);
    await done(world, "refundOrder", { order_id: id, amount: 12345 });
    expect((await whole(world, id)).payment_status).toBe("PARTIALLY_REFUNDED");
    expect((await world.act("refundOrder", { order_id: id, amount: 37656 })).body.code).toBe("AMOUNT_TOO_HIGH");
    await done(world, "refundOrder", { order_id: id, amount: 37655 });
    expect((await whole(world, id)).payment_status).toBe("REFUNDED");
  });

  it("for one ticket, and with the fee only for the last", async () => {
    const { order_id, tickets } = await done(world, "bookAsHost", { ...HOST, ...two, booking_fee: true });
    await done(world, "refundOrder", { order_id, ticket_id: tickets[0].id });
    await done(world, "refundOrder", { order_id, ticket_id: tickets[1].id });
    expect(moves((await whole(world, order_id)).refunds)).toEqual(["STRIPE COMPLETED 25000", "STRIPE COMPLETED 26500"]);
  });

  it("to the gift card that paid, while it is ACTIVE", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 30000 });
    const id = await sold(world, { payments: [{ gift_card_id: "gc-new" }] });
    await done(world, "refundOrder", { order_id: id });
    const order = await whole(world, id);
    expect([order.payment_status, ...moves(order.refunds)]).toEqual(["REFUNDED", "GIFTCARD COMPLETED 25000"]);
    expect((await world.call("getGiftCard", { path: { giftCardId: "gc-new" } })).body).toMatchObject({
      status: "ACTIVE",
      balance: kroner(30000),
    });
  });

  it("to a new gift card where the old one is SPENT, through an order of its own", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 25000 });
    const id = await sold(world, { payments: [{ gift_card_id: "gc-new" }] });
    await done(world, "refundOrder", { order_id: id });
    expect((await world.call("getGiftCard", { path: { giftCardId: "gc-new" } })).body.status).toBe("SPENT");
    await mustSettle(world, id, 25000);
  });

  it("by SETTLEMENT from the start if the card is SPENT when the refund begins, with details at its end", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 25000 });
    const id = await sold(world, { payments: [{ gift_card_id: "gc-new" }] });
    await done(world, "refundOrder", { order_id: id, status: "INITIATED" });
    const [begun] = (await whole(world, id)).refunds;
    expect([begun.provider, begun.status, begun.details]).toEqual(["SETTLEMENT", "INITIATED", undefined]);
    await done(world, "refundOrder", { order_id: id, refund_id: begun.id });
    await mustSettle(world, id, 25000);
  });

  it("as a gift card, with orders that refer to each other", async () => {
    const { id, order_id } = await done(world, "bookAsHost", { ...HOST, ...two });
    await done(world, "cancelBooking", { booking_id: id, refund: "gift_card" });
    await mustSettle(world, order_id, 50000);
  });

  async function mustSettle(world: TestWorld, id: string, amount: number): Promise<void> {
    const order = await whole(world, id);
    expect([order.payment_status, ...moves(order.refunds)]).toEqual(["REFUNDED", `SETTLEMENT COMPLETED ${amount}`]);
    const { destination_order_id } = order.refunds[0].details;
    expect(order.refunds[0].details).toEqual({ type: "SETTLEMENT", destination_order_id });
    const made = await whole(world, destination_order_id);
    expect([made.status, made.payment_status, ...moves(made.transactions)]).toEqual([
      "COMPLETED",
      "PAID",
      `SETTLEMENT COMPLETED ${amount}`,
    ]);
    expect(made.transactions[0].details).toEqual({ type: "SETTLEMENT", origin_order_id: id });
    expect(made.origin.type).toBe("GIFTCARD");
    expect(made.lines).toMatchObject([
      {
        product_type: "GIFTCARD",
        unit_price: kroner(amount),
        unit_vat_amount: kroner(0),
        details: { gift_card_id: made.origin.id },
      },
    ]);
    const { body: card } = await world.call("getGiftCard", { path: { giftCardId: made.origin.id } });
    expect(card).toMatchObject({ status: "ACTIVE", balance: kroner(amount), order_id: destination_order_id });
  }

  it("by UNKNOWN, if an integration collected the money", async () => {
    const { id, order_id } = await done(world, "bookAsHost", { ...HOST, payments: [{ provider: "INTEGRATION" }] });
    await done(world, "cancelBooking", { booking_id: id });
    const order = await whole(world, order_id);
    expect([order.status, order.payment_status, ...moves(order.refunds)]).toEqual([
      "CANCELLED",
      "REFUNDED",
      "UNKNOWN COMPLETED 25000",
    ]);
  });

  it.each<[object, string, string[]]>([
    [{}, "REFUNDED", ["STRIPE COMPLETED 50000"]],
    [{ refund: "full" }, "REFUNDED", ["STRIPE COMPLETED 50000"]],
    [{ refund: "none" }, "PAID", []],
    [{ refund: "amount", amount: 20000 }, "PARTIALLY_REFUNDED", ["STRIPE COMPLETED 20000"]],
    [{ refund: "amount", amount: 0 }, "PAID", []],
  ])("at a cancellation with %j", async (choice, status, refunds) => {
    const { id, order_id } = await done(world, "bookAsHost", { ...HOST, ...two });
    await done(world, "cancelBooking", { booking_id: id, ...choice });
    const order = await whole(world, order_id);
    expect([order.status, order.payment_status, moves(order.refunds)]).toEqual(["CANCELLED", status, refunds]);
    expect((await world.act("payOrder", { order_id })).body.code).toBe("ORDER_NOT_PAYABLE");
  });

  it("from several payments, the first of them first", async () => {
    await done(world, "issueGiftCard", { id: "gc-new", initial_value: 40000 });
    const id = await sold(world, {
      items: [ticket("var-adult", 3)],
      payments: [
        { gift_card_id: "gc-new", amount: 30000 },
        { provider: "STRIPE", amount: 20000 },
        { provider: "ADYEN" },
      ],
    });
    await done(world, "refundOrder", { order_id: id, amount: 60000 });
    expect(moves((await whole(world, id)).refunds)).toEqual([
      "GIFTCARD COMPLETED 30000",
      "STRIPE COMPLETED 20000",
      "ADYEN COMPLETED 10000",
    ]);
  });

  it("by a pending refund, which can fail, be cancelled or complete", async () => {
    for (const [end, status] of [
      ["FAILED", "PAID"],
      ["CANCELLED", "PAID"],
      ["COMPLETED", "REFUNDED"],
    ] as const) {
      const id = await sold(world, two);
      await done(world, "refundOrder", { order_id: id, status: "INITIATED" });
      const before = await whole(world, id);
      expect([before.payment_status, before.refunds[0].status]).toEqual(["PAID", "INITIATED"]);
      expect((await world.act("refundOrder", { order_id: id })).body.code).toBe("NOTHING_TO_REFUND");
      await done(world, "refundOrder", { order_id: id, refund_id: before.refunds[0].id, status: end });
      expect((await whole(world, id)).payment_status).toBe(status);
    }
  });

  it("for a gift card only by voiding it", async () => {
    const card = await done(world, "buyGiftCard", { initial_value: 20000, provider: "QUICKPAY", customer: guest });
    expect(await whole(world, card.order_id)).toMatchObject({
      status: "COMPLETED",
      payment_status: "PAID",
      origin: { type: "GIFTCARD", id: card.id },
    });
    expect((await world.act("refundOrder", { order_id: card.order_id })).body.code).toBe("GIFT_CARD_ORDER");
    await done(world, "voidGiftCard", { gift_card_id: card.id, refund: true });
    expect(moves((await whole(world, card.order_id)).refunds)).toEqual(["QUICKPAY COMPLETED 20000"]);
  });
});

it("harbour-tours has lines for which floats or truncation give other amounts", async () => {
  const { items: orders } = await allPages(world, "listOrders");
  const lists = await Promise.all(orders.map(({ id }) => world.call("listOrderLineItems", ofOrder(id))));
  const lines: Body[] = lists.flatMap(({ body }) => body.items);
  const isTrap = ({ unit_price: { value } }: Body) => Math.trunc((value / 100) * 100) !== value;
  expect(lines.filter(isTrap).length).toBeGreaterThan(4);
  const getVat = (product: string) => lines.find(({ product_id }) => product_id === product).unit_vat_amount.value;
  // The exact amounts are 399.8, 6666.6 and 2035.95.
  expect(["add-child-seat", "var-third", "var-charter-guest"].map(getVat)).toEqual([400, 6667, 2036]);
});
