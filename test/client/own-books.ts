// An integrator's books as they should be kept, of worlds after random histories, and the usual mistakes to plant in them.
import fc from "fast-check";
import type { Entry } from "../../src/client/book-pages.ts";
import type { Schemas } from "../../src/client/control.ts";
import type { OwnPosting } from "../../src/client/reconcile.ts";
import { showBooked } from "../../src/engine/http/control/books.ts";
import { history, perform } from "../engine/domain/histories.ts";
import { book, type TestWorld, worldForTests } from "../world-for-tests.ts";

type Amount = Schemas["BookAmount"];
interface Posting {
  type: string;
  direction: "DEBIT" | "CREDIT";
  amount: Amount;
  lines: Schemas["BookLine"][];
}

export interface Kept {
  own: OwnPosting;
  entry: Entry;
  posting: Posting;
}

/** What finds the posting of a row. */
export type Names = "entry" | "order" | "date";

/** The entries of a world in which much has happened, and a long time has passed since. */
export function entriesAfter(seed: number): Entry[] {
  const world = worldForTests();
  for (const steps of fc.sample(history, { numRuns: 3, seed })) for (const each of steps) perform(world, each);
  settleLate(world);
  world.advance("2034-01-01T00:00:00.000Z");
  return world.change((tx) => world.entries().map((entry) => showBooked(tx, entry, "Europe/Copenhagen")));
}

/** A payment and a refund that are settled days after they were begun. */
function settleLate(world: TestWorld): void {
  const sessions = [{ start_time: "2032-05-01T10:00:00", end_time: "2032-05-01T12:00:00" }];
  world.act("createEvent", { id: "evt-settled", experience_id: "exp-tour", capacity: 9, sessions });
  const payments = [{ provider: "ADYEN", status: "INITIATED" }];
  const { order_id } = book(world, { event_id: "evt-settled", payments, booking_fee: true });
  world.advance("2032-01-03T12:00:00.000Z");
  world.act("payOrder", { order_id, transaction_id: world.order(order_id).transactions[0]?.id, status: "COMPLETED" });
  world.act("refundOrder", { order_id, amount: 5000, status: "INITIATED" });
  world.advance("2032-01-07T12:00:00.000Z");
  world.act("refundOrder", { order_id, refund_id: world.order(order_id).refunds[0]?.id, status: "COMPLETED" });
}

const inMajor = (value: number, { exponent }: Amount) => (value / 10 ** exponent).toFixed(exponent);

export const retained = (entries: readonly Entry[]): Kept[] =>
  entries.flatMap((entry) =>
    (entry.postings as unknown as Posting[]).map((posting) => ({
      entry,
      posting,
      own: {
        entry: entry.id,
        ...(entry.order_number && { order: entry.order_number }),
        date: entry.booked_on,
        account: posting.type,
        [posting.direction === "DEBIT" ? "debit" : "credit"]: inMajor(posting.amount.value, posting.amount),
        currency: posting.amount.currency,
      },
    })),
  );

/** A row that names this, and nothing that is better; where there is no order, the day is all. */
export function namedBy(form: Names, { entry, order, ...rest }: OwnPosting): OwnPosting {
  return { ...rest, ...(form === "entry" && { entry }), ...(form !== "date" && { order }) } as OwnPosting;
}

interface Mistake {
  /** Where it can be made. */
  in(retained: Kept, all: readonly Kept[]): boolean;
  /** What stands there instead. */
  make(retained: Kept, all: readonly Kept[]): OwnPosting[];
  /** What is then left out besides. */
  without?(retained: Kept, other: Kept): boolean;
}

const total = (values: readonly { value: number }[]) => values.reduce((sum, { value }) => sum + value, 0);
const isRevenue = ({ entry }: Kept) => entry.kind.startsWith("REVENUE_");
const isSale = ({ entry }: Kept) => entry.kind === "SALE";
const isOn = (account: string, { posting }: Kept) => posting.type === account;
const netOf = ({ posting }: Kept) => total(posting.lines.map(({ net }) => net));
const grossOf = ({ posting }: Kept) =>
  posting.lines.reduce((sum, { net, vat_rate }) => sum + Math.round(net.value * (1 + Number(vat_rate))), 0);
const utcDay = ({ entry }: Kept) => entry.occurred_at.slice(0, 10);
const daysOf = (each: Kept) => [each.entry.booked_on, utcDay(each), each.entry.begun_on, each.entry.ordered_on];
/** The net of a sale with one rate, as who does not know its lines takes it. */
const netInOne = ({ posting }: Kept) => {
  const [rate = "0", ...more] = new Set(posting.lines.map(({ vat_rate }) => vat_rate));
  return more.length > 0 ? posting.amount.value : Math.round(posting.amount.value / (1 + Number(rate)));
};
const isOfThree = ({ posting }: Kept) => posting.amount.exponent > 2;
const isWith = (one: Kept, other: Kept) =>
  one.entry === other.entry && one.posting.direction === other.posting.direction;
const feesBeside = (each: Kept, all: readonly Kept[]) =>
  all.filter((other) => isWith(each, other) && isOn("BOOKING_FEE_REVENUE", other));
const recognisedDays = (each: Kept, all: readonly Kept[]) =>
  all.filter((other) => isRevenue(other) && other.entry.order_id === each.entry.order_id).map(({ own }) => own.date);

const withAmount = ({ own, posting }: Kept, value: number): OwnPosting => {
  const amount = inMajor(value, posting.amount);
  return { ...own, ...(own.debit === undefined ? { credit: amount } : { debit: amount }) };
};
const DAY = "2030-02-03";

/** Each by its class; where it is made in more than one way, a comma and the other way follow. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  missing: { in: () => true, make: () => [] },
  twice: { in: () => true, make: ({ own }) => [own, { ...own }] },
  "not-ours": {
    in: ({ own }) => own.order !== undefined,
    make: ({ own }) => [own, { ...own, entry: "none", order: "none" }],
  },
  "refund-not-split": {
    in: (each, all) => each.entry.kind === "REFUND" && all.filter((other) => isWith(each, other)).length > 1,
    make: (each, all) => [
      withAmount(each, total(all.filter((other) => isWith(each, other)).map(({ posting }) => posting.amount))),
    ],
    without: isWith,
  },
  "currency-mixed": {
    in: ({ posting }) => posting.amount.currency !== "EUR",
    make: ({ own }) => [{ ...own, currency: "EUR" }],
  },
  "card-sold-as-revenue": {
    in: (each) => isSale(each) && isOn("GIFT_CARD_LIABILITY", each) && each.posting.direction === "CREDIT",
    make: ({ own }) => [{ ...own, account: "BOOKING_REVENUE" }],
  },
  "card-redeemed-as-payment": {
    in: (each) => isSale(each) && isOn("GIFT_CARD_LIABILITY", each) && each.posting.direction === "DEBIT",
    make: ({ own }) => [{ ...own, account: "PAYMENT" }],
  },
  "fee-on-prepayment": {
    in: (each) => isOn("BOOKING_FEE_REVENUE", each),
    make: ({ own }) => [{ ...own, account: "BOOKING_PREPAYMENT" }],
  },
  "fee-on-prepayment, in its row": {
    in: (each, all) => isSale(each) && isOn("BOOKING_PREPAYMENT", each) && feesBeside(each, all).length > 0,
    make: (each, all) => [
      withAmount(each, total([each, ...feesBeside(each, all)].map(({ posting }) => posting.amount))),
    ],
    without: (each, other) => isWith(each, other) && isOn("BOOKING_FEE_REVENUE", other),
  },
  account: {
    in: (each) => isOn("PAYMENT", each),
    make: ({ own }) => [{ ...own, account: "BANK" }],
  },
  side: {
    in: () => true,
    make: ({ own: { debit, credit, ...own } }) => [
      { ...own, ...(debit === undefined ? { debit: credit } : { credit: debit }) } as OwnPosting,
    ],
  },
  decimals: {
    in: ({ posting }) => posting.amount.exponent !== 2,
    make: ({ own, posting }) => {
      const amount = String(posting.amount.value / 100);
      return [{ ...own, ...(own.debit === undefined ? { credit: amount } : { debit: amount }) }];
    },
  },
  "decimals, cut to two": {
    in: ({ posting }) => posting.amount.exponent > 2 && posting.amount.value % 10 !== 0,
    make: (each) => [withAmount(each, Math.floor(each.posting.amount.value / 10) * 10)],
  },
  "net-for-gross": {
    in: (each) => !isRevenue(each) && each.posting.lines.length > 0 && netOf(each) < each.posting.amount.value,
    make: (each) => [withAmount(each, netOf(each))],
  },
  "net-for-gross, divided as a whole": {
    in: (each) => !isRevenue(each) && each.posting.amount.value - netInOne(each) > each.posting.lines.length,
    make: (each) => [withAmount(each, netInOne(each))],
  },
  "gross-for-net": {
    in: (each) => isRevenue(each) && grossOf(each) - each.posting.amount.value > each.posting.lines.length,
    make: (each) => [withAmount(each, grossOf(each))],
  },
  rounding: {
    // Of the smallest amounts the VAT is no more than that; with two decimals it is the currency's that are ignored.
    in: (each) =>
      isRevenue(each) &&
      grossOf(each) > each.posting.amount.value &&
      each.posting.amount.value > 20 &&
      !isOfThree(each),
    make: (each) => [withAmount(each, each.posting.amount.value + 1)],
  },
  amount: {
    in: ({ posting }) => posting.amount.value > 0,
    make: (each) => [withAmount(each, each.posting.amount.value * 3 + 1717)],
  },
  "amount, by a unit where no VAT is taken off": {
    in: (each) =>
      (!isRevenue(each) || grossOf(each) === each.posting.amount.value) &&
      each.posting.amount.value > 20 &&
      !isOfThree(each),
    make: (each) => [withAmount(each, each.posting.amount.value + 1)],
  },
  "fee-later": {
    in: (each, all) =>
      isSale(each) &&
      isOn("BOOKING_FEE_REVENUE", each) &&
      recognisedDays(each, all).some((day) => !daysOf(each).includes(day)),
    make: (each, all) => [
      { ...each.own, date: recognisedDays(each, all).find((day) => !daysOf(each).includes(day)) } as OwnPosting,
    ],
  },
  "utc-day": {
    in: (each) => utcDay(each) !== each.entry.booked_on,
    make: (each) => [{ ...each.own, date: utcDay(each) }],
  },
  "begun-day": {
    in: (each) =>
      each.entry.begun_on !== undefined && ![each.entry.booked_on, utcDay(each)].includes(each.entry.begun_on),
    make: ({ own, entry }) => [{ ...own, date: entry.begun_on } as OwnPosting],
  },
  "order-day": {
    in: (each) =>
      isRevenue(each) &&
      each.entry.ordered_on !== undefined &&
      ![each.entry.booked_on, utcDay(each), each.entry.begun_on].includes(each.entry.ordered_on),
    make: ({ own, entry }) => [{ ...own, date: entry.ordered_on } as OwnPosting],
  },
  day: { in: (each) => !daysOf(each).includes(DAY), make: ({ own }) => [{ ...own, date: DAY }] },
};

interface Where {
  books: readonly Kept[];
  form: Names;
  /** Chooses among the places. */
  seed: number;
}

/** Makes one mistake somewhere in these books; undefined where there is no place for it. */
export function plant(name: string, { books, form, seed }: Where) {
  const mistake = MISTAKES[name];
  if (!mistake) throw new Error(`there is no mistake ${name}`);
  const positions = books.filter((each) => (form === "entry" || each.own.order) && mistake.in(each, books));
  const textOf = (own: OwnPosting) => JSON.stringify(namedBy(form, own));
  const texts = new Set(books.map(({ own }) => textOf(own)));
  const from = (seed * 7919) % Math.max(1, positions.length);
  // What looks like the posting of something else is no mistake that anybody could see.
  const position = [...positions.slice(from), ...positions.slice(0, from)].find((each) =>
    mistake.make(each, books).every((own) => textOf(own) === textOf(each.own) || !texts.has(textOf(own))),
  );
  if (!position) return undefined;
  const rows = books.flatMap((each) => {
    if (each === position) return mistake.make(position, books);
    return mistake.without?.(position, each) ? [] : [each.own];
  });
  return { books, place: position, rows: rows.map((own) => namedBy(form, own)) };
}
