// The books as an accountant reads them: what stands on each account, whether debits equal credits and revenue follows the money, and
// one order as a T-account. Assumptions: posting-rules, ledger-identity.

import type { Schemas } from "../../../contract/schemas.ts";
import { formatAmount } from "../../../platform/amount-text.ts";
import { found } from "../kernel/domain-error.ts";
import { ordered, two } from "../kernel/index-keys.ts";
import { fromLocal, type Instant, toLocal } from "../kernel/instant.ts";
import type { JournalEntry, Order, Posting, Price } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getExponent } from "./currency.ts";
import { getEarned, isFee, toNet } from "./ledger.ts";
import { price, sum, toRate } from "./money.ts";

/** Days of the zone, from the first to the one before the last; without one, from the beginning or to the end. */
export interface BookSpan {
  from?: string | undefined;
  to?: string | undefined;
  zone: string;
}

/** Debits count up, credits down. */
const toSigned = ({ direction, amount }: Posting): number => (direction === "DEBIT" ? amount.value : -amount.value);

function toBounds({ from, to, zone }: BookSpan): { from: Instant; until: Instant } {
  const start = (day: string) => fromLocal(`${day}T00:00:00`, zone);
  // Below and above every instant, as text.
  return { from: from === undefined ? "" : start(from), until: to === undefined ? "\uffff" : start(to) };
}

interface EntriesWanted extends BookSpan {
  /** Its id or its number. */
  order?: string | undefined;
  /** The id of the entry before the first. */
  after?: string | undefined;
  limit: number;
}

/** The entries of the span, in the order in which they were booked; `next` is where the next page begins. */
export function bookEntries(tx: Transaction, wanted: EntriesWanted): { entries: JournalEntry[]; next?: string } {
  const { order, after, limit } = wanted;
  const { from, until } = toBounds(wanted);
  const last = after === undefined ? undefined : found(tx.entries.get(after), "journal entry", after);
  // The key of the last entry; ids settle a tie.
  const past = last && { key: toKey(last), id: last.id };
  const all =
    order === undefined
      ? tx.entries.walk("occurred", { from, until, ...(past && { past }) })
      : tx.entries
          .where("order", orderCalled(tx, order).id)
          .filter(({ occurred_at }) => occurred_at >= from && occurred_at < until)
          .filter((entry) => !last || toKey(entry) > toKey(last))
          .sort((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
  const entries: JournalEntry[] = [];
  for (const entry of all) {
    // Only where one more follows, so the last page has no `next`.
    if (entries.length === limit) return { entries, next: entries.at(-1)?.id ?? "" };
    entries.push(entry);
  }
  return { entries };
}

/** As the index has it. */
const toKey = ({ occurred_at, number }: JournalEntry): string => two(occurred_at, ordered(Number(number)));

/** An entry as an accountant needs it besides what the service shows: what it was booked for, and the lines behind each posting. */
export function showBookedEntry(tx: Transaction, entry: JournalEntry, zone: string) {
  const { kind, order_id, gift_card_id, occurred_at } = entry;
  const order = order_id === undefined ? undefined : tx.orders.get(order_id);
  const ofCard = gift_card_id === undefined ? undefined : { kind: "gift_card" as const, id: gift_card_id };
  // Entries of earlier versions have no cause; a card without an order is its own.
  const cause = entry.cause ?? (order ? undefined : ofCard);
  const isMoney = kind === "SALE" || kind === "REFUND";
  const toDay = (instant: Instant) => toLocal(instant, zone).slice(0, 10);
  // A payment may have been begun days before the money came.
  const begun = [...(order?.transactions ?? []), ...(order?.refunds ?? [])].find(({ id }) => id === cause?.id);
  return {
    booked_on: toDay(occurred_at),
    ...(order && { order_number: order.number, ordered_on: toDay(order.created_at) }),
    ...(begun && { begun_on: toDay(begun.created_at) }),
    ...(cause && { cause }),
    ...(isMoney && { settled_at: occurred_at }),
    lines: entry.postings.map((posting) => (order ? findLines(order, entry, posting) : [])),
  };
}

/** What each line of the order takes part with in a posting; an entry of revenue has the net only. */
function findLines(order: Order, entry: JournalEntry, { type, vat_rate }: Posting): Schemas["BookLine"][] {
  const money = (value: number) => price(value, order.currency);
  return order.line_items.flatMap((line, index) => {
    const part = entry.parts?.[index] ?? 0;
    const rate = line.vat_rate ?? "0";
    // A fee has an account of its own, so it has no part in another posting of its rate.
    const isOf = (given: string) => toRate(given) === toRate(rate) && isFee(line) === (type === "BOOKING_FEE_REVENUE");
    const isIn = vat_rate === undefined || isOf(vat_rate);
    if (part === 0 || !isIn) return [];
    // Its parts are net already.
    if (isRevenue(entry)) return [{ line_id: line.id, vat_rate: rate, net: money(part) }];
    const net = toNet(line, part);
    return [{ line_id: line.id, vat_rate: rate, gross: money(part), net: money(net), vat: money(part - net) }];
  });
}

type Account = Schemas["BookAccount"];

/** The sums of the journal: of its accounts those of the span, of its checks those up to its end. */
class BookSums {
  /** How many entries of the span there are. */
  entries = 0;
  readonly accounts = new Map<string, Account>();
  readonly #unbalanced: BookCheck["broken"] = [];
  /** By order, then by VAT rate. */
  readonly #recognised = new Map<string, Map<string, number>>();
  #added = 0;

  add(entry: JournalEntry, { from, until }: { from: Instant; until: Instant }): void {
    const { id, number, order_id, currency, postings, occurred_at } = entry;
    this.#added++;
    const rest = sum(postings.map(toSigned));
    if (rest !== 0)
      this.#unbalanced.push({ id, number, message: `Debits less credits are ${formatAmount(price(rest, currency))}.` });
    if (order_id !== undefined && isRevenue(entry)) {
      const rates = this.#recognised.get(order_id) ?? new Map<string, number>();
      this.#recognised.set(order_id, addRevenue(rates, entry));
    }
    // It is judged all the same: a break after the span is a break.
    if (occurred_at >= until) return;
    const isInside = occurred_at >= from;
    if (isInside) this.entries++;
    for (const posting of postings) post(getAccount(this.accounts, posting), entry, posting, isInside);
  }

  /** What must add up, entry by entry and order by order. */
  *check(tx: Transaction): Generator<void, BookCheck[]> {
    const wrong: BookCheck["broken"] = [];
    let orders = 0;
    for (const order of tx.orders.walk("created")) {
      yield;
      const revenue = this.#recognised.get(order.id);
      // Nothing is due yet, and nothing was recognised.
      if (!order.earned_at && !revenue) continue;
      orders++;
      wrong.push(...explainRevenue(order, revenue));
    }
    return [
      checkOf("In every entry debits equal credits.", this.#added, this.#unbalanced),
      checkOf("The revenue recognised of every order is the net of what it keeps, rate by rate.", orders, wrong),
    ];
  }
}

/** The trial balance of a span, in steps, since a journal may be long. */
export function* walkTrialBalance(tx: Transaction, span: BookSpan) {
  const sums = new BookSums();
  const bounds = toBounds(span);
  for (const entry of tx.entries.walk("occurred")) {
    yield;
    sums.add(entry, bounds);
  }
  // By currency first, since sums never mix them.
  const rows = [...sums.accounts.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  const currencies = [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const total = (member: "opening" | "debit" | "credit" | "closing") => sum(own.map((row) => row[member]));
    const totals = {
      opening: total("opening"),
      debit: total("debit"),
      credit: total("credit"),
      closing: total("closing"),
    };
    return { currency, exponent: getExponent(currency), ...totals };
  });
  const checks = yield* sums.check(tx);
  return {
    ...span,
    entries: sums.entries,
    accounts: rows,
    currencies,
    balanced: checks.every(({ holds }) => holds),
    checks,
  };
}

const nameOf = ({ currency, account }: Account): string => `${currency} ${account}`;

function getAccount(accounts: Map<string, Account>, { type, amount: { currency } }: Posting): Account {
  const key = `${currency} ${type}`;
  const known = accounts.get(key);
  if (known) return known;
  const zero = { opening: 0, debit: 0, credit: 0, closing: 0 };
  const made: Account = { account: type, currency, exponent: getExponent(currency), ...zero, kinds: [] };
  accounts.set(key, made);
  return made;
}

function post(account: Account, { kind }: JournalEntry, posting: Posting, isInside: boolean): void {
  account.closing += toSigned(posting);
  // Before the span: only what the account opens with.
  if (!isInside) {
    account.opening += toSigned(posting);
    return;
  }
  const { direction, amount } = posting;
  account[direction === "DEBIT" ? "debit" : "credit"] += amount.value;
  const known = account.kinds.find((each) => each.kind === kind && each.direction === direction);
  if (known) {
    known.count++;
    known.value += amount.value;
  } else account.kinds.push({ kind, direction, count: 1, value: amount.value });
}

type BookCheck = Schemas["BookCheck"];

/** Named one by one; the rest is counted. */
const MOST_BROKEN = 20;

function checkOf(sentence: string, checked: number, broken: BookCheck["broken"]): BookCheck {
  const named = broken.slice(0, MOST_BROKEN);
  return { sentence, holds: broken.length === 0, checked, broken: named, more: broken.length - named.length };
}

const isRevenue = ({ kind }: JournalEntry) => kind === "REVENUE_RECOGNITION" || kind === "REVENUE_RECOGNITION_REVERSAL";

function addRevenue(rates: Map<string, number>, { postings }: JournalEntry): Map<string, number> {
  for (const posting of postings) {
    const rate = toRate(posting.vat_rate);
    if (posting.type === "BOOKING_REVENUE") rates.set(rate, (rates.get(rate) ?? 0) - toSigned(posting));
  }
  return rates;
}

function explainRevenue(order: Order, recognised = new Map<string, number>()): BookCheck["broken"] {
  const due = sumDueRevenue(order);
  return [...new Set([...recognised.keys(), ...due.keys()])].flatMap((rate) => {
    const [is, wanted] = [recognised.get(rate) ?? 0, due.get(rate) ?? 0];
    const [has, keeps] = [is, wanted].map((value) => formatAmount(price(value, order.currency)));
    const message = `At the rate ${rate} ${has} of revenue is recognised; the net of what it keeps is ${keeps}.`;
    return is === wanted ? [] : [{ id: order.id, number: order.number, message }];
  });
}

/** The revenue that an order should have by now, by VAT rate. */
function sumDueRevenue(order: Order): Map<string, number> {
  const due = new Map<string, number>();
  if (!order.earned_at || order.origin.type !== "BOOKING") return due;
  for (const line of order.line_items) {
    const rate = toRate(line.vat_rate);
    // The fee is revenue when it is paid, and never on the prepayment.
    if (!isFee(line)) due.set(rate, (due.get(rate) ?? 0) + toNet(line, getEarned(order, line)));
  }
  return due;
}

const orderCalled = (tx: Transaction, idOrNumber: string): Order =>
  found(tx.orders.get(idOrNumber) ?? tx.orders.where("number", idOrNumber)[0], "order", idOrNumber);

/** One order: what was charged, paid, given back and recognised, and what is left on its prepayment. */
export function orderBooks(tx: Transaction, idOrNumber: string) {
  const order = orderCalled(tx, idOrNumber);
  const entries = tx.entries.where("order", order.id).sort((a, b) => Number(a.number) - Number(b.number));
  // Debits less credits of one account in one entry.
  const on = (type: Posting["type"], entry: JournalEntry) =>
    sum(entry.postings.filter((posting) => posting.type === type).map(toSigned));
  let left = 0;
  const rows = entries.map((entry) => {
    // A liability counts from the credit side; and 0 - 0 is not -0.
    const prepayment = 0 - on("BOOKING_PREPAYMENT", entry);
    left += prepayment;
    const { id, number, kind, occurred_at, postings } = entry;
    return {
      entry_id: id,
      number,
      kind,
      occurred_at,
      ...(entry.cause && { cause: entry.cause }),
      prepayment,
      left,
      postings: postings.map(toRow),
    };
  });
  const pickKind = (kind: JournalEntry["kind"]) => entries.filter((entry) => entry.kind === kind);
  const sumKind = (kind: JournalEntry["kind"]) =>
    sum(
      pickKind(kind).flatMap(({ postings }) =>
        postings.filter(({ direction }) => direction === "DEBIT").map(({ amount }) => amount.value),
      ),
    );
  const recognised = entries.filter(isRevenue).reduce(addRevenue, new Map<string, number>());
  const revenue = sum([...recognised.values()]);
  // Nobody owes VAT on what is not delivered yet.
  const vat = order.earned_at ? sumVatLeft(order) : 0;
  const money = (value: number): Price => price(value, order.currency);
  const adjusted = sum(rows.filter(({ kind }) => kind === "ADJUSTMENT").map(({ prepayment }) => prepayment));
  const why = explainUnrecognized(tx, order, { left, vat, adjusted, broken: explainRevenue(order, recognised) });
  return {
    order_id: order.id,
    number: order.number,
    charged: order.totals.amount,
    paid: money(sumKind("SALE")),
    refunded: money(sumKind("REFUND")),
    recognised: money(revenue),
    prepayment: money(left),
    vat: money(vat),
    ...(why && { why }),
    rows,
  };
}

const toRow = ({ type, direction, amount, vat_rate }: Posting) => ({
  account: type,
  direction,
  amount,
  ...(vat_rate !== undefined && { vat_rate }),
});

/** The part of the prepayment that no revenue entry takes: the VAT of what is earned. */
function sumVatLeft(order: Order): number {
  const earned = order.line_items.filter((line) => !isFee(line)).map((line) => [line, getEarned(order, line)] as const);
  return sum(earned.map(([line, money]) => money - toNet(line, money)));
}

interface Left {
  left: number;
  vat: number;
  /** By hand. */
  adjusted: number;
  broken: BookCheck["broken"];
}

/** Why the prepayment is not zero yet; undefined where it is. */
function explainUnrecognized(tx: Transaction, order: Order, { left, vat, adjusted, broken }: Left): string | undefined {
  // What is wrong comes before what is merely open.
  if (broken[0]) return broken[0].message;
  if (left === 0) return undefined;
  if (order.earned_at) {
    if (left === vat)
      return "What is left is VAT, which the vat_rate of the SALE postings settles; the net is recognised.";
    const rest = [
      [left - vat - adjusted, "is on its way back to the guest and is no revenue"],
      [adjusted, "was adjusted by hand, and stays"],
    ] as const;
    const parts = rest.flatMap(([value, what]) =>
      value ? `${formatAmount(price(value, order.currency))} ${what}` : [],
    );
    return `Besides the VAT, ${parts.join("; ")}.`;
  }
  const booking = tx.bookings.get(order.origin.id);
  const event = booking && tx.events.get(booking.event_id);
  if (order.status === "CANCELLED" || !event || event.state === "CANCELLED")
    return "It is called off, and its money is neither refunded nor kept yet.";
  const ends = event.sessions.reduce((last, { ends_at }) => (ends_at > last ? ends_at : last), "");
  return `Revenue is recognised when event ${event.id} is over, at ${ends}.`;
}
