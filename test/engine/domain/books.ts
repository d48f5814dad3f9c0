// What must hold of a world's books and seats whatever has happened; each rule is computed anew here, not asked of the rules.
// A world in order has no problems. Assumptions: ledger-identity, posting-rules, money-rounding, payment-transitions.

import { countFreeResource } from "../../../src/engine/domain/event/capacity.ts";
import type { JournalEntry, Order, OrderLine, ScheduledEvent } from "../../../src/engine/domain/kernel/records.ts";
import type { Transaction } from "../../../src/engine/domain/kernel/transaction.ts";
import type { TestWorld } from "../../world-for-tests.ts";

const total = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0);
const isFee = (line: OrderLine) => line.product_type === "BOOKING_FEE";
const rateOf = (line: OrderLine) => line.vat_rate ?? "0";
const held = (line: OrderLine) => line.captured - line.refunded;
const halfUp = (exact: number) => Math.floor(exact + 0.5 + 1e-9);
const halfEven = (exact: number) => {
  const down = Math.floor(exact + 1e-9);
  return Math.abs(exact - down - 0.5) < 1e-9 ? down + (down % 2) : halfUp(exact);
};

type Assumptions = Readonly<Record<string, string>>;

/** `assumptions`: those that the world was made with; they say how the VAT is rounded. */
export function faultsIn(world: TestWorld, assumptions: Assumptions = {}): string[] {
  const { entries, orders, giftCards, events } = world.collections;
  return [
    ...[...entries.all()].flatMap(problemsOfEntry),
    ...[...orders.all()].flatMap((order) => problemsOfOrder(world, order, assumptions)),
    ...problemsOfLiability(world),
    ...[...giftCards.all()].flatMap(({ id, status, balance: { value } }) =>
      value < 0 || (status === "ACTIVE") !== (value > 0 && status !== "EXPIRED" && status !== "VOIDED")
        ? [`card ${id} is ${status} with ${value}`]
        : [],
    ),
    ...[...events.all()].flatMap((event) => problemsOfEvent(world, event)),
    ...[...world.collections.bookings.all()].flatMap(({ id, status, order_id, event_id }) => {
      const order = world.order(order_id);
      const live = world.tickets(id).filter((ticket) => ticket.status !== "VOIDED").length;
      const ended = status === "CANCELLED" || status === "MOVED";
      return [
        ...(ended && live > 0 ? [`booking ${id} is ${status} with ${live} live tickets`] : []),
        ...(status !== "MOVED" && order.origin.id !== id ? [`order ${order_id} does not name booking ${id}`] : []),
        ...(status !== "MOVED" && (status === "CANCELLED") !== (order.status === "CANCELLED")
          ? [`booking ${id} is ${status}, its order ${order.status}`]
          : []),
        ...(status === "PROCESSING" && world.event(event_id).state === "COMPLETED"
          ? [`checkout ${id} outlived its event`]
          : []),
        ...((status === "PROCESSING") === (order.status === "PENDING")
          ? []
          : [`${id} ${status}, order ${order.status}`]),
      ];
    }),
  ];
}

/** Debits less credits on an account. */
function balanceOn(entries: readonly JournalEntry[], account: string, rate?: string): number {
  const postings = entries.flatMap(({ postings }) => postings).filter(({ type }) => type === account);
  const own = rate === undefined ? postings : postings.filter(({ vat_rate }) => vat_rate === rate);
  return total(own.map(({ direction, amount }) => (direction === "DEBIT" ? amount.value : -amount.value)));
}

const ALLOWED: Record<JournalEntry["kind"], readonly string[]> = {
  SALE: ["PAYMENT", "GIFT_CARD_LIABILITY", "SETTLEMENT", "BOOKING_PREPAYMENT", "BOOKING_FEE_REVENUE"],
  REFUND: ["PAYMENT", "GIFT_CARD_LIABILITY", "SETTLEMENT", "BOOKING_PREPAYMENT", "BOOKING_FEE_REVENUE"],
  REVENUE_RECOGNITION: ["BOOKING_PREPAYMENT", "BOOKING_REVENUE"],
  REVENUE_RECOGNITION_REVERSAL: ["BOOKING_PREPAYMENT", "BOOKING_REVENUE"],
  BREAKAGE: ["GIFT_CARD_LIABILITY", "GIFT_CARD_BREAKAGE"],
  ADJUSTMENT: ["GIFT_CARD_LIABILITY", "ADJUSTMENT"],
};

function problemsOfEntry(entry: JournalEntry): string[] {
  const { kind, number, currency, postings } = entry;
  const balance = total(
    postings.map(({ direction, amount }) => (direction === "DEBIT" ? amount.value : -amount.value)),
  );
  return [
    ...(balance === 0 ? [] : [`entry ${number} ${kind} is out by ${balance}`]),
    ...postings.flatMap(({ type, amount, vat_rate, booking }) => [
      ...(amount.value > 0 && amount.currency === currency
        ? []
        : [`entry ${number} posts ${amount.value} ${amount.currency}`]),
      ...(ALLOWED[kind].includes(type) ? [] : [`entry ${number} ${kind} posts to ${type}`]),
      ...(type.startsWith("BOOKING_") === (vat_rate !== undefined) ? [] : [`entry ${number}: VAT rate on ${type}`]),
      ...(type.startsWith("BOOKING_") === (booking !== undefined) ? [] : [`entry ${number}: booking on ${type}`]),
    ]),
  ];
}

function problemsOfOrder(world: TestWorld, order: Order, assumptions: Assumptions): string[] {
  const entries = [...world.collections.entries.all()].filter(({ order_id }) => order_id === order.id);
  const money = (moves: readonly { status: string; amount: { value: number } }[]) =>
    total(moves.filter(({ status }) => status === "COMPLETED").map(({ amount }) => amount.value));
  const [captured, refunded] = [money(order.transactions), money(order.refunds)];
  const problems = [...problemsOfTotals(order, captured, refunded, assumptions), ...problemsOfAccounts(order, entries)];
  const say = (ok: boolean, what: string) => void (ok || problems.push(`order ${order.number}: ${what}`));
  say(
    total(order.line_items.map((line) => line.captured)) === captured,
    "its lines hold other money than was captured",
  );
  say(
    total(order.line_items.map((line) => line.refunded)) === refunded,
    "its lines gave other money than was refunded",
  );
  for (const { id, captured: taken, refunded: given, gross } of order.line_items) {
    say(
      0 <= given && given <= taken && taken <= gross,
      `line ${id}: refunded ${given}, captured ${taken}, gross ${gross}`,
    );
  }
  for (const { id, amount } of order.transactions) {
    const back = order.refunds.filter((each) => each.transaction_id === id && /COMPLETED|INITIATED/.test(each.status));
    say(total(back.map((refund) => refund.amount.value)) <= amount.value, `transaction ${id} gave more than it took`);
  }
  const promised = order.refunds.filter(({ status }) => status !== "FAILED" && status !== "CANCELLED");
  for (const refund of promised) say(total(Object.values(refund.shares)) === refund.amount.value, "shares of a refund");
  say(order.status !== "CANCELLED" || !order.transactions.some(({ status }) => status === "INITIATED"), "still paying");
  if (order.origin.type === "BOOKING") problems.push(...problemsOfRevenue(order, entries));
  return problems;
}

/** The VAT of the lines that are rounded together: each for itself, those of a variant, or those of a rate. */
function vatOf(lines: readonly OrderLine[], assumptions: Assumptions): number {
  const { "money-rounding": rounding, "line-item": view } = assumptions;
  const together = (line: OrderLine) => {
    if (rounding === "per-order") return rateOf(line);
    return view === "per-variant" ? `${line.product_id} ${line.unit_price.value}` : line.id;
  };
  const vats = [...new Set(lines.map(together))].map((key) => {
    const group = lines.filter((line) => together(line) === key);
    const [paid, rate] = [total(group.map((line) => line.gross)), Number(group[0] ? rateOf(group[0]) : 0)];
    return (rounding === "half-even" ? halfEven : halfUp)((paid * rate) / (1 + rate));
  });
  return total(vats);
}

function problemsOfTotals(order: Order, captured: number, refunded: number, assumptions: Assumptions) {
  const { number, totals, line_items, payment_status } = order;
  const gross = line_items.map((line) => line.unit_price.value * line.quantity);
  const off = line_items.map((line) => total(line.discounts.map(({ amount }) => amount.value)));
  const vat = vatOf(line_items, assumptions);
  const whole = total(gross) - total(off);
  const simple = captured >= whole ? "PAID" : captured > 0 ? "PARTIALLY_PAID" : "UNPAID";
  const status = refunded === 0 ? simple : refunded >= captured ? "REFUNDED" : "PARTIALLY_REFUNDED";
  return [
    ...(totals.amount.value === whole ? [] : [`order ${number}: amount ${totals.amount.value}, lines ${whole}`]),
    ...(totals.discount.value === total(off) ? [] : [`order ${number}: discount`]),
    ...(totals.vat_amount.value === vat ? [] : [`order ${number}: VAT ${totals.vat_amount.value}, ${vat}`]),
    ...(total(line_items.map((line) => line.vat)) === vat ? [] : [`order ${number}: the VAT of its lines`]),
    ...line_items
      .filter(
        (line, index) =>
          line.gross !== (gross[index] ?? 0) - (off[index] ?? 0) || line.vat > line.gross || line.vat < 0,
      )
      .map(({ id }) => `order ${number}: line ${id} does not add up`),
    ...(payment_status === status ? [] : [`order ${number} is ${payment_status}, not ${status}`]),
    ...(captured > whole ? [`order ${number} took ${captured} of ${whole}`] : []),
  ];
}

/** What stands on PAYMENT and its like is what the transactions and refunds say. */
function problemsOfAccounts(
  { number, origin, transactions, refunds }: Order,
  entries: readonly JournalEntry[],
): string[] {
  const accountOf = (provider: string) =>
    provider === "GIFTCARD" ? "GIFT_CARD_LIABILITY" : provider === "SETTLEMENT" ? "SETTLEMENT" : "PAYMENT";
  const moved = (moves: Order["transactions"] | Order["refunds"], account: string) =>
    total(
      moves
        .filter(({ status, provider }) => status === "COMPLETED" && accountOf(provider) === account)
        .map(({ amount }) => amount.value),
    );
  const booked = entries.filter(({ kind }) => kind === "SALE" || kind === "REFUND");
  const accounts = ["PAYMENT", "SETTLEMENT", ...(origin.type === "BOOKING" ? ["GIFT_CARD_LIABILITY"] : [])];
  return accounts
    .filter((account) => balanceOn(booked, account) !== moved(transactions, account) - moved(refunds, account))
    .map((account) => `order ${number}: ${account} has other money than its transactions and refunds`);
}

/** Prepayment per VAT rate, the fee, and the identity between what was sold and what was recognised. */
function problemsOfRevenue(order: Order, entries: readonly JournalEntry[]): string[] {
  const money = entries.filter(({ kind }) => kind === "SALE" || kind === "REFUND");
  const revenue = entries.filter(({ kind }) => kind.startsWith("REVENUE_"));
  const problems: string[] = [];
  const say = (ok: boolean, what: string) => void (ok || problems.push(`order ${order.number}: ${what}`));
  const tickets = order.line_items.filter((line) => !isFee(line));
  const fees = total(order.line_items.filter(isFee).map(held));
  say(-balanceOn(money, "BOOKING_FEE_REVENUE") === fees, "the fee revenue is not the fee captured");
  const rates = new Set(entries.flatMap(({ postings }) => postings.flatMap(({ vat_rate }) => vat_rate ?? [])));
  for (const rate of new Set([...rates, ...tickets.map(rateOf)])) {
    const lines = tickets.filter((line) => rateOf(line) === rate);
    const sold = -balanceOn(money, "BOOKING_PREPAYMENT", rate);
    say(sold === total(lines.map(held)), `prepayment at ${rate} is ${sold}`);
    const recognised = balanceOn(revenue, "BOOKING_PREPAYMENT", rate);
    say(recognised === -balanceOn(revenue, "BOOKING_REVENUE", rate), `revenue at ${rate}`);
    const nets = lines.map((line) => netOf(line, earned(order, line)));
    const [gross, most] = [total(lines.map((line) => earned(order, line))), lines.length];
    say(recognised === (order.earned_at ? total(nets) : 0), `recognised at ${rate}: ${recognised}, not ${total(nets)}`);
    say(Math.abs(total(nets) - gross / (1 + Number(rate))) <= most, `the net at ${rate} is far from its gross`);
  }
  return problems;
}

/** What is held; of an order that was called off without what is on its way back, or what its integration pays back itself. */
function earned(order: Order, line: OrderLine): number {
  if (order.status !== "CANCELLED") return held(line);
  const promised = order.refunds
    .filter(({ status }) => status === "INITIATED")
    .map(({ shares }) => shares[line.id] ?? 0);
  return held(line) - total(promised) - (order.left_to_integration?.[line.id] ?? 0);
}

/** Of a whole line gross less VAT; of a part of it, its share. */
function netOf(line: OrderLine, money: number): number {
  return line.gross === 0 ? 0 : halfUp((money * (line.gross - line.vat)) / line.gross);
}

function problemsOfLiability(world: TestWorld): string[] {
  const entries = [...world.collections.entries.all()];
  const owed = -balanceOn(entries, "GIFT_CARD_LIABILITY");
  const cards = [...world.collections.giftCards.all()].filter(({ status }) => status === "ACTIVE");
  const balance = total(cards.map((card) => card.balance.value));
  const settlement = balanceOn(entries, "SETTLEMENT");
  return [
    ...(owed === balance ? [] : [`the liability is ${owed}, the ACTIVE cards hold ${balance}`]),
    ...(settlement === 0 ? [] : [`SETTLEMENT is left with ${settlement}`]),
  ];
}

const LIMITS: Record<string, number> = { "add-lunch": 5, "var-boat": 2 };
const SEATS: Record<string, number> = { "var-adult": 1, "var-boat": 3 };

function problemsOfEvent(world: TestWorld, event: ScheduledEvent): string[] {
  const bookings = world.collections.bookings.where("event", event.id);
  const tickets = bookings.flatMap((booking) => [...world.tickets(booking.id), ...(booking.pending_tickets ?? [])]);
  const items = tickets.filter(({ status }) => status !== "VOIDED").flatMap((ticket) => ticket.items);
  const { reserved, total: capacity } = event.capacity;
  const problems: string[] = [];
  const say = (ok: boolean, what: string) => void (ok || problems.push(`event ${event.id}: ${what}`));
  const seats = total(items.map(({ type_id, quantity }) => (SEATS[type_id] ?? 0) * quantity));
  say(reserved === seats, `${reserved} reserved, ${seats} on tickets`);
  say(reserved <= capacity, `${reserved} reserved of ${capacity}`);
  for (const id of new Set([...Object.keys(event.sold), ...items.map(({ type_id }) => type_id)])) {
    const sold = event.sold[id] ?? 0;
    const units = total(items.filter(({ type_id }) => type_id === id).map(({ quantity }) => quantity));
    say(sold === units, `${sold} of ${id} sold, ${units} on tickets`);
    say(sold <= (LIMITS[id] ?? Number.POSITIVE_INFINITY), `${sold} of ${id} sold`);
  }
  if (event.state !== "CANCELLED") {
    const left = world.change((tx: Transaction) => countFreeResource(tx, event.sessions, "res-kayak"));
    say(left >= 0, `${left} kayaks left`);
  }
  const holder = event.locked_by && world.booking(event.locked_by);
  say(!holder || event.state !== "ACTIVE" || /ACTIVE|CHECKED_IN/.test(holder.status), "locked by a booking that ended");
  return problems;
}
