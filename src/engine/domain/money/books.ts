// Shows the books to an accountant: the balance of each account, checks that debits equal credits and that revenue follows
// the money, and one order as a T-account. Assumptions: posting-rules, ledger-identity.

import type { Schemas } from "../../../contract/schemas.ts";
import { formatAmount } from "../../../platform/amount-text.ts";
import { mustExist } from "../kernel/domain-error.ts";
import { joinKeys, toSortable } from "../kernel/index-keys.ts";
import { fromLocal, type Instant, toLocal } from "../kernel/instant.ts";
import type { JournalEntry, Order, Posting, Price } from "../kernel/records.ts";
import type { Transaction } from "../kernel/transaction.ts";
import { getExponent } from "./currency.ts";
import { getEarned, isFee, toNet } from "./ledger.ts";
import { price, sum, toRate } from "./money.ts";

/** Days in the zone, from `from` up to, not including, `to`. A missing bound means the beginning or the end. */
export interface BookSpan {
  from?: string | undefined;
  to?: string | undefined;
  zone: string;
}

/** Debits count up, credits down. */
const toSigned = ({ direction, amount }: Posting): number => (direction === "DEBIT" ? amount.value : -amount.value);

function toBounds({ from, to, zone }: BookSpan): { from: Instant; until: Instant } {
  const start = (day: string) => fromLocal(`${day}T00:00:00`, zone);
  // These bounds sort below and above every instant, as text.
  return { from: from === undefined ? "" : start(from), until: to === undefined ? "\uffff" : start(to) };
}

interface EntryQuery extends BookSpan {
  /** The id or the number of an order. */
  order?: string | undefined;
  /** The id of the entry before the first one. */
  after?: string | undefined;
  limit: number;
}

/** Returns the entries of the span in the order of booking. `next` is the cursor of the next page. */
export function listEntries(tx: Transaction, wanted: EntryQuery): { entries: JournalEntry[]; next?: string } {
  const { order, after, limit } = wanted;
  const { from, until } = toBounds(wanted);
  const last = after === undefined ? undefined : mustExist(tx.entries.get(after), "journal entry", after);
  // Ids decide between entries with the same key.
  const past = last && { key: toKey(last), id: last.id };
  const all =
    order === undefined
      ? tx.entries.walk("occurred", { from, until, ...(past && { past }) })
      : tx.entries
          .where("order", findOrder(tx, order).id)
          .filter(({ occurred_at }) => occurred_at >= from && occurred_at < until)
          .filter((entry) => !last || toKey(entry) > toKey(last))
          .sort((a, b) => (toKey(a) < toKey(b) ? -1 : 1));
  const entries: JournalEntry[] = [];
  for (const entry of all) {
    // `next` is set only if another entry follows, so the last page has none.
    if (entries.length === limit) return { entries, next: entries.at(-1)?.id ?? "" };
    entries.push(entry);
  }
  return { entries };
}

/** Builds the key of the index. */
const toKey = ({ occurred_at, number }: JournalEntry): string => joinKeys(occurred_at, toSortable(Number(number)));

/**
 * Shows an entry with what an accountant needs in addition: what it was booked for, and the order lines behind each
 * posting.
 */
export function showBookedEntry(tx: Transaction, entry: JournalEntry, zone: string) {
  const { kind, order_id, gift_card_id, occurred_at } = entry;
  const order = order_id === undefined ? undefined : tx.orders.get(order_id);
  const ofCard = gift_card_id === undefined ? undefined : { kind: "gift_card" as const, id: gift_card_id };
  // Entries of earlier versions have no cause. The cause of a card without an order is the card.
  const cause = entry.cause ?? (order ? undefined : ofCard);
  const isMoney = kind === "SALE" || kind === "REFUND";
  const toDay = (instant: Instant) => toLocal(instant, zone).slice(0, 10);
  // A payment may have started days before the money arrived.
  const started = [...(order?.transactions ?? []), ...(order?.refunds ?? [])].find(({ id }) => id === cause?.id);
  return {
    booked_on: toDay(occurred_at),
    ...(order && { order_number: order.number, ordered_on: toDay(order.created_at) }),
    ...(started && { begun_on: toDay(started.created_at) }),
    ...(cause && { cause }),
    ...(isMoney && { settled_at: occurred_at }),
    lines: entry.postings.map((posting) => (order ? findLines(order, entry, posting) : [])),
  };
}

/** Returns the share of each order line in a posting; an entry of revenue has only the net. */
function findLines(order: Order, entry: JournalEntry, { type, vat_rate }: Posting): Schemas["BookLine"][] {
  const toPrice = (value: number) => price(value, order.currency);
  return order.line_items.flatMap((line, index) => {
    const part = entry.parts?.[index] ?? 0;
    const rate = line.vat_rate ?? "0";
    // A fee has its own account, so it has no share in another posting of its rate.
    const isOf = (given: string) => toRate(given) === toRate(rate) && isFee(line) === (type === "BOOKING_FEE_REVENUE");
    const isIn = vat_rate === undefined || isOf(vat_rate);
    if (part === 0 || !isIn) return [];
    // The parts of a revenue entry are net already.
    if (isRevenue(entry)) return [{ line_id: line.id, vat_rate: rate, net: toPrice(part) }];
    const net = toNet(line, part);
    return [{ line_id: line.id, vat_rate: rate, gross: toPrice(part), net: toPrice(net), vat: toPrice(part - net) }];
  });
}

type Account = Schemas["BookAccount"];

/** Adds up the journal. Accounts count the entries of the span; checks count all entries up to its end. */
class BookSums {
  /** The number of entries in the span. */
  entries = 0;
  readonly accounts = new Map<string, Account>();
  readonly #unbalanced: BookCheck["broken"] = [];
  /** Revenue by order, then by VAT rate. */
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
    // Later entries are checked too: an unbalanced entry after the span is an error as well.
    if (occurred_at >= until) return;
    const isInside = occurred_at >= from;
    if (isInside) this.entries++;
    for (const posting of postings) post(getAccount(this.accounts, posting), entry, posting, isInside);
  }

  /** Runs the checks per entry and per order. */
  *check(tx: Transaction): Generator<void, BookCheck[]> {
    const wrong: BookCheck["broken"] = [];
    let orders = 0;
    for (const order of tx.orders.walk("created")) {
      yield;
      const revenue = this.#recognised.get(order.id);
      // No revenue is due yet, and none was recognised.
      if (!order.earned_at && !revenue) continue;
      orders++;
      wrong.push(...explainRevenue(order, revenue));
    }
    return [
      toCheck("In every entry debits equal credits.", this.#added, this.#unbalanced),
      toCheck("The revenue recognised of every order is the net of what it keeps, rate by rate.", orders, wrong),
    ];
  }
}

/** Computes the trial balance of a span in steps, because a journal may be long. */
export function* walkTrialBalance(tx: Transaction, span: BookSpan) {
  const sums = new BookSums();
  const bounds = toBounds(span);
  for (const entry of tx.entries.walk("occurred")) {
    yield;
    sums.add(entry, bounds);
  }
  // Rows are sorted by currency first, because sums never mix currencies.
  const rows = [...sums.accounts.values()].sort((a, b) => toAccountKey(a).localeCompare(toAccountKey(b)));
  const currencies = [...new Set(rows.map(({ currency }) => currency))].map((currency) => {
    const own = rows.filter((row) => row.currency === currency);
    const sumColumn = (member: "opening" | "debit" | "credit" | "closing") => sum(own.map((row) => row[member]));
    const totals = {
      opening: sumColumn("opening"),
      debit: sumColumn("debit"),
      credit: sumColumn("credit"),
      closing: sumColumn("closing"),
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

const toAccountKey = ({ currency, account }: Account): string => `${currency} ${account}`;

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
  // An entry before the span counts only for the opening balance.
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

/** A check lists at most this many errors; the rest is counted. */
const MAX_LISTED_ERRORS = 20;

function toCheck(sentence: string, checked: number, broken: BookCheck["broken"]): BookCheck {
  const named = broken.slice(0, MAX_LISTED_ERRORS);
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

/** Computes the revenue that an order should have now, by VAT rate. */
function sumDueRevenue(order: Order): Map<string, number> {
  const due = new Map<string, number>();
  if (!order.earned_at || order.origin.type !== "BOOKING") return due;
  for (const line of order.line_items) {
    const rate = toRate(line.vat_rate);
    // The fee becomes revenue when it is paid, and is never part of the prepayment.
    if (!isFee(line)) due.set(rate, (due.get(rate) ?? 0) + toNet(line, getEarned(order, line)));
  }
  return due;
}

const findOrder = (tx: Transaction, idOrNumber: string): Order =>
  mustExist(tx.orders.get(idOrNumber) ?? tx.orders.where("number", idOrNumber)[0], "order", idOrNumber);

/** Shows the ledger of one order: what was charged, paid, refunded and recognised, and what is left of its prepayment. */
export function showLedger(tx: Transaction, idOrNumber: string) {
  const order = findOrder(tx, idOrNumber);
  const entries = tx.entries.where("order", order.id).sort((a, b) => Number(a.number) - Number(b.number));
  // Sums debits minus credits of one account in an entry.
  const sumAccount = (type: Posting["type"], entry: JournalEntry) =>
    sum(entry.postings.filter((posting) => posting.type === type).map(toSigned));
  let left = 0;
  const rows = entries.map((entry) => {
    // A liability counts from the credit side. Subtracting from 0 avoids -0.
    const prepayment = 0 - sumAccount("BOOKING_PREPAYMENT", entry);
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
  // No VAT is due before delivery.
  const vat = order.earned_at ? sumVatLeft(order) : 0;
  const toPrice = (value: number): Price => price(value, order.currency);
  const adjusted = sum(rows.filter(({ kind }) => kind === "ADJUSTMENT").map(({ prepayment }) => prepayment));
  const why = explainPrepayment(tx, order, { left, vat, adjusted, broken: explainRevenue(order, recognised) });
  return {
    order_id: order.id,
    number: order.number,
    charged: order.totals.amount,
    paid: toPrice(sumKind("SALE")),
    refunded: toPrice(sumKind("REFUND")),
    recognised: toPrice(revenue),
    prepayment: toPrice(left),
    vat: toPrice(vat),
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

/** Sums the part of the prepayment that no revenue entry takes: the VAT of what is earned. */
function sumVatLeft(order: Order): number {
  const earned = order.line_items.filter((line) => !isFee(line)).map((line) => [line, getEarned(order, line)] as const);
  return sum(earned.map(([line, money]) => money - toNet(line, money)));
}

interface RemainingPrepayment {
  left: number;
  vat: number;
  /** The sum of manual adjustments. */
  adjusted: number;
  broken: BookCheck["broken"];
}

/** Explains why the prepayment is not zero yet. Returns undefined if it is. */
function explainPrepayment(
  tx: Transaction,
  order: Order,
  { left, vat, adjusted, broken }: RemainingPrepayment,
): string | undefined {
  // Errors come before money that is merely open.
  if (broken[0]) return broken[0].message;
  if (left === 0) return undefined;
  if (order.earned_at) {
    if (left === vat) return "The rest is VAT, settled by the vat_rate of the SALE postings. The net is recognised.";
    const rest = [
      [left - vat - adjusted, "is being refunded to the guest and is not revenue"],
      [adjusted, "was adjusted manually and stays"],
    ] as const;
    const parts = rest.flatMap(([value, what]) =>
      value ? `${formatAmount(price(value, order.currency))} ${what}` : [],
    );
    return `In addition to the VAT, ${parts.join("; ")}.`;
  }
  const booking = tx.bookings.get(order.origin.id);
  const event = booking && tx.events.get(booking.event_id);
  if (order.status === "CANCELLED" || !event || event.state === "CANCELLED")
    return "It was called off, and its money is neither refunded nor earned yet.";
  const ends = event.sessions.reduce((last, { ends_at }) => (ends_at > last ? ends_at : last), "");
  return `Revenue is recognised when event ${event.id} is over, at ${ends}.`;
}
