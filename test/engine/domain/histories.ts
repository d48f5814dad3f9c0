// Random histories of acts: what hosts and guests do in the bare world, in whatever order, whether it is refused or not.
import fc from "fast-check";
import type { ActId } from "../../../src/engine/acts/act.ts";
import { DomainError } from "../../../src/engine/domain/kernel/domain-error.ts";
import { getTicketId } from "../../../src/engine/domain/money/order-line.ts";
import { ANNA, item, type TestWorld } from "../../world-for-tests.ts";

/** One step: what is done, and numbers that choose on what and how. */
export interface Step {
  move: string;
  on: number;
  how: number;
  amount: number;
}

const oneOf = <T>(all: readonly T[], index: number): T | undefined => all[index % Math.max(1, all.length)];
const idOf = (all: Iterable<{ id: string }>, index: number) => oneOf([...all], index)?.id ?? "none";
const EVENTS = ["evt-noon", "evt-beside", "evt-late"];
const STATUSES = ["COMPLETED", "COMPLETED", "INITIATED", "INITIATED", "FAILED", "COMPLETED", "CANCELLED"];
const BASKETS = [
  [item("var-adult")],
  [item("var-adult", 3)],
  [item("var-adult", 2), item("add-lunch", 3)],
  [item("var-boat"), item("add-photo"), item("add-lunch", 2)],
  [item("var-adult", 1), item("var-boat", 1), item("add-photo", 2)],
];
const DISCOUNTS = [
  [],
  [],
  [{ code: "TEN", percent: 10 }],
  [{ code: "ODD", amount: 777, type_id: "var-adult" }],
  [
    { code: "THIRD", percent: 33.33 },
    { code: "MORE", amount: 5001 },
  ],
  [{ code: "FREE", percent: 100 }],
  [{ code: "HUGE", amount: 1_000_000 }],
  [
    { code: "MORE THAN IT COSTS", amount: 100_000, type_id: "var-adult" },
    { code: "AND AGAIN", percent: 12.3456 },
  ],
];

type Move = (world: TestWorld, step: Step) => [ActId, object] | undefined;

const cards = (world: TestWorld) => world.collections.giftCards.all();
const bookings = (world: TestWorld) => world.collections.bookings.all();
const orders = (world: TestWorld) => world.collections.orders.all();

function basket(world: TestWorld, { on, how, amount }: Step) {
  const card = idOf(cards(world), on);
  const payments = [
    [],
    [{}],
    [{ provider: "INTEGRATION" }],
    [{ provider: "STRIPE", amount }],
    [{ gift_card_id: card }],
    [{ gift_card_id: card }, {}],
    [{ amount }, { provider: "ADYEN", status: "INITIATED" }],
  ];
  return {
    event_id: oneOf(EVENTS, on),
    customer: ANNA,
    items: oneOf(BASKETS, how),
    discounts: oneOf(DISCOUNTS, amount),
    payments: oneOf(payments, how + on),
    booking_fee: on % 2 === 0,
  };
}

export const MOVES: Record<string, Move> = {
  book: (world, step) => ["bookAsHost", basket(world, step)],
  start: (world, step) => {
    const { payments: _, ...input } = basket(world, step);
    return ["startCheckout", input];
  },
  complete: (world, { on, how }) => {
    const open = [...bookings(world)].filter(({ status }) => status === "PROCESSING");
    return ["completeCheckout", { booking_id: idOf(open, on), ...(how % 2 ? { payments: [] } : {}) }];
  },
  cancel: (world, { on, how, amount }) => {
    const refund = ["full", "none", "gift_card", "amount"][how % 4];
    return [
      "cancelBooking",
      { booking_id: idOf(bookings(world), on), refund, ...(refund === "amount" ? { amount } : {}) },
    ];
  },
  move: (world, { on, how }) => [
    "moveBooking",
    { booking_id: idOf(bookings(world), on), event_id: oneOf(EVENTS, how) },
  ],
  grow: (world, { on, how }) => {
    const target = oneOf([...bookings(world)], on);
    const items = [
      ...(target?.items ?? []),
      ...(oneOf([...BASKETS, [item("add-photo")], [item("add-lunch")]], how) ?? []),
    ];
    return ["updateBooking", { booking_id: target?.id ?? "none", items }];
  },
  voidTicket: (world, { on }) => ["voidTicket", { ticket_id: idOf(world.collections.tickets.all(), on) }],
  checkIn: (world, { on }) => ["checkInTicket", { ticket_id: idOf(world.collections.tickets.all(), on) }],
  undo: (world, { on }) => ["undoCheckIn", { ticket_id: idOf(world.collections.tickets.all(), on) }],
  pay: (world, { on, how, amount }) => {
    const by = [{}, { amount }, { gift_card_id: idOf(cards(world), on) }, { amount, provider: "QUICKPAY" }][how % 4];
    return ["payOrder", { order_id: idOf(orders(world), on), ...by, status: oneOf(STATUSES, how) }];
  },
  endPayment: (world, { how, on }) => {
    const open = [...orders(world)].filter((each) => each.transactions.some(({ status }) => status === "INITIATED"));
    const target = oneOf(open, on);
    const id = target?.transactions.find(({ status }) => status === "INITIATED")?.id;
    return id ? ["payOrder", { order_id: target?.id, transaction_id: id, status: oneOf(STATUSES, how) }] : undefined;
  },
  refund: (world, { on, how, amount }) => {
    const target = oneOf([...orders(world)], on);
    const line = target?.line_items[how % target.line_items.length];
    const ticket = line && getTicketId(line);
    const what = [{}, { amount }, { ticket_id: ticket ?? "none" }, { ticket_id: ticket ?? "none", amount }][how % 4];
    const to = amount % 3 === 0 ? "gift_card" : "payment_method";
    return ["refundOrder", { order_id: target?.id ?? "none", ...what, to, status: oneOf(STATUSES, amount) }];
  },
  endRefund: (world, { how, on }) => {
    const open = [...orders(world)].filter((each) => each.refunds.some(({ status }) => status === "INITIATED"));
    const target = oneOf(open, on);
    const id = target?.refunds.find(({ status }) => status === "INITIATED")?.id;
    return id ? ["refundOrder", { order_id: target?.id, refund_id: id, status: oneOf(STATUSES, how) }] : undefined;
  },
  buyCard: (_, { amount }) => ["buyGiftCard", { initial_value: amount }],
  issueCard: (world, { amount, on }) => {
    const soon = new Date(Date.parse(world.now) + 3_600_000 * (1 + on)).toISOString();
    return ["issueGiftCard", { initial_value: amount, expires_at: soon }];
  },
  spend: (world, { on, how, amount }) => {
    const card = oneOf([...cards(world)], on);
    return ["spendGiftCard", { gift_card_id: card?.id ?? "none", amount: how % 2 ? amount : card?.balance.value }];
  },
  adjust: (world, { on, how, amount }) => [
    "adjustGiftCard",
    { gift_card_id: idOf(cards(world), on), balance: how % 4 === 0 ? 0 : amount },
  ],
  voidCard: (world, { on, how }) => ["voidGiftCard", { gift_card_id: idOf(cards(world), on), refund: how % 2 === 0 }],
  lock: (world, { on }) => {
    const holder = oneOf([...bookings(world)], on);
    return ["lockEvent", { event_id: holder?.event_id ?? "none", booking_id: holder?.id ?? "none" }];
  },
  unlock: (_, { on }) => ["unlockEvent", { event_id: oneOf(EVENTS, on) }],
  close: (_, { on }) => ["deactivateEvent", { event_id: oneOf(EVENTS, on) }],
  open: (_, { on }) => ["activateEvent", { event_id: oneOf(EVENTS, on) }],
  cancelEvent: (_, { on, how }) => [
    "cancelEvent",
    { event_id: oneOf(EVENTS, on), refund: ["full", "none", "gift_card"][how % 3] },
  ],
  resize: (_, { on, amount }) => ["updateEvent", { event_id: oneOf(EVENTS, on), capacity: amount % 14 }],
  wait: (world, { amount }) => void world.advance(new Date(Date.parse(world.now) + amount * 4_000).toISOString()),
};

const OFTEN = [
  "book",
  "book",
  "book",
  "start",
  "complete",
  "pay",
  "pay",
  "refund",
  "refund",
  "refund",
  "cancel",
  "wait",
];
const step: fc.Arbitrary<Step> = fc.record({
  move: fc.constantFrom(...OFTEN, ...Object.keys(MOVES)),
  on: fc.nat(7),
  how: fc.nat(30),
  amount: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 80_000 })),
});

export const history = fc.array(step, { minLength: 5, maxLength: 40, size: "max" });

/** What came of it: `done`, or the code of the refusal. */
export function perform(world: TestWorld, { move, ...numbers }: Step): string {
  try {
    const requested = MOVES[move]?.(world, { move, ...numbers });
    if (requested) world.act(...requested);
    return "done";
  } catch (reason) {
    if (reason instanceof DomainError) return reason.code;
    throw reason;
  }
}
