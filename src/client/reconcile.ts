// An integrator's own postings held against the journal: which of them differ, and by which common mistake. It is given the entries page by
// page, as `GET /_sandbox/books/entries` answers them, and rows of one posting each.

import { amountText } from "../platform/amount-text.ts";
import type { Entry } from "./book-pages.ts";
import { Journal, NAMES, nameOf, type Posting, type Side } from "./journal-postings.ts";

/** A posting of somebody else's books. What is absent is not compared; amounts are in major units, such as "1234.50". */
export interface OwnPosting {
  /** The id of the journal entry; without it, the order, the day and the amount find it. */
  entry?: string;
  /** The number or the id of the order. */
  order?: string;
  /** `2030-06-01`. */
  date?: string;
  account?: string;
  /** On either side. Where most amounts of the books have the sign of their side, one that has not stands on the wrong side. */
  amount?: string | number;
  debit?: string | number;
  credit?: string | number;
  currency?: string;
}

/** A row of the caller's own books, read as far as it can be. */
interface Row {
  own: OwnPosting;
  /** Counted from 1. */
  row: number;
  /** In major units. */
  size: number;
  side?: Side;
}

interface Pair {
  row: Row;
  posting: Posting;
}

interface MistakeRow {
  class: string;
  /** What is true instead. */
  says: string;
  seen(pair: Pair, journal: Journal): boolean;
}

const REVENUE = /^BOOKING_(REVENUE|FEE_REVENUE)$/;
const isMoneyIn = ({ entry }: Posting): boolean => entry.kind === "SALE";
const isPrepaid = ({ type }: Posting): boolean => type === "BOOKING_PREPAYMENT";
const isFee = ({ type }: Posting): boolean => type === "BOOKING_FEE_REVENUE";
const isRevenue = ({ entry }: Posting): boolean => entry.kind.startsWith("REVENUE_");
const accountDiffers = ({ row, posting }: Pair): boolean => !agrees(row.own.account, posting.type);
const dayDiffers = ({ row, posting }: Pair): boolean => !agrees(row.own.date, posting.entry.booked_on);
const sideDiffers = ({ row, posting }: Pair): boolean => row.side !== undefined && row.side !== posting.direction;
const amountDiffers = ({ row, posting }: Pair): boolean => inMinor(row, posting) !== posting.value;

/** What goes wrong between two books, the special before the general; each difference is of the first row that sees it. */
const MISTAKES: readonly MistakeRow[] = [
  {
    class: "refund-not-split",
    says: "A refund gives back part of each line: what was prepaid and what was fee are posted apart.",
    seen: ({ posting }) => posting.parts !== undefined && !isMoneyIn(posting),
  },
  {
    class: "currency-mixed",
    says: "An entry is in the currency of its order; amounts of two currencies are never added.",
    seen: ({ row, posting }) => !agrees(row.own.currency, posting.currency),
  },
  {
    class: "card-sold-as-revenue",
    says: "A gift card that is sold is a liability until it is redeemed or expires, and no revenue.",
    seen: ({ row, posting }) =>
      isMoneyIn(posting) && posting.type === "GIFT_CARD_LIABILITY" && REVENUE.test(row.own.account ?? ""),
  },
  {
    class: "card-redeemed-as-payment",
    says: "A gift card that pays takes its amount off the liability; its money came in when it was sold.",
    seen: ({ row, posting }) => posting.type === "GIFT_CARD_LIABILITY" && row.own.account === "PAYMENT",
  },
  {
    class: "fee-on-prepayment",
    says: "The booking fee is revenue when it is paid, and never stands on the prepayment.",
    seen: ({ row, posting }) =>
      posting.parts !== undefined || (isFee(posting) && row.own.account === "BOOKING_PREPAYMENT"),
  },
  {
    class: "account",
    says: "It stands on another account.",
    seen: accountDiffers,
  },
  {
    class: "side",
    says: "Debit and credit are the other way round.",
    seen: sideDiffers,
  },
  {
    class: "decimals",
    says: "An amount has the decimals of its currency: JPY none, KWD three.",
    seen: ({ row, posting }) =>
      isInHundredths(row, posting) ||
      [-4, -3, -2, -1, 1, 2, 3, 4].some((by) => isNear(inMinor(row, posting) * 10 ** by, posting.value)),
  },
  {
    class: "net-for-gross",
    says: "Money in and money back are booked gross; the VAT is taken off when revenue is recognised.",
    seen: ({ row, posting }) => !isRevenue(posting) && amountDiffers({ row, posting }) && isNetOf(row, posting),
  },
  {
    class: "gross-for-net",
    says: "Revenue is recognised net; the VAT stays on the prepayment.",
    seen: ({ row, posting }) => isRevenue(posting) && isGrossOf(row, posting),
  },
  {
    class: "rounding",
    says: "VAT is rounded line by line; the sum of the lines may be some minor units away from the rounded sum.",
    seen: ({ row, posting }) => {
      const off = Math.abs(inMinor(row, posting) - posting.value);
      // Only there is the VAT taken off.
      const isNetOfVat = isRevenue(posting) && posting.gross > posting.value;
      return isNetOfVat && off > 0 && Number.isInteger(off) && off <= posting.lines;
    },
  },
  {
    class: "amount",
    says: "The amount is another.",
    seen: amountDiffers,
  },
  {
    class: "fee-later",
    says: "The booking fee is revenue when it is paid, and does not wait for the end of the event.",
    seen: ({ row, posting }, journal) =>
      isFee(posting) && isMoneyIn(posting) && journal.recognised(posting.entry).includes(row.own.date ?? ""),
  },
  {
    class: "utc-day",
    says: "The day of an entry is that of the company's zone; in the night UTC has another.",
    seen: ({ row, posting }) => row.own.date === posting.entry.utc_day,
  },
  {
    class: "begun-day",
    says: "A payment or a refund is booked when it is settled, not when it is begun.",
    seen: ({ row, posting }) => row.own.date !== undefined && row.own.date === posting.entry.begun_on,
  },
  {
    class: "order-day",
    says: "Revenue is recognised when the event is over, not when it is booked.",
    seen: ({ row, posting }) => isRevenue(posting) && row.own.date === posting.entry.ordered_on,
  },
  {
    class: "day",
    says: "It is booked on another day.",
    seen: dayDiffers,
  },
];

const ABOUT_ROWS = {
  missing: "The journal has it, and these books have not.",
  twice: "It is booked already; an entry is booked once.",
  "not-ours": "The journal has nothing that it could be.",
} as const;

/** Of each class, the sentence that explains it. */
export const CLASSES: Readonly<Record<string, string>> = {
  ...ABOUT_ROWS,
  ...Object.fromEntries(MISTAKES.map((mistake) => [mistake.class, mistake.says])),
};

export interface ReconcileFinding {
  class: string;
  /** The sentence that explains it. */
  says: string;
  /** The number of the row, from 1; absent of what is missing. */
  row?: number;
  /** The id of the entry. */
  entry?: string;
  /** Its number. */
  number?: string;
  order?: string;
  account?: string;
  /** What the journal has. */
  expected?: string;
  /** What the row has. */
  found?: string;
  /** The command that tells more of the entry. */
  why?: string;
}

export interface Reconciled {
  agrees: boolean;
  rows: number;
  entries: number;
  findings: ReconcileFinding[];
}

/** Finds for each row the posting that it is of: an equal one first, then among what is left the one that is most like it. */
export async function reconcile(
  pages: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  own: readonly OwnPosting[],
): Promise<Reconciled> {
  const journal = new Journal(own);
  for await (const page of pages) for (const entry of page) journal.add(entry);
  let rows = rowsOf(own);
  let left = unequal(journal, rows);
  const minus = sideOfMinus(journal, rows);
  if (minus) {
    // Two postings of an entry may differ in nothing but the side.
    journal.release();
    rows = rowsOf(own, minus);
    left = unequal(journal, rows);
  }
  const findings = [...grouped(left, ({ own }) => nameOf(own).join(" ")).values()].flatMap((group) =>
    explained(journal, group),
  );
  findings.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
  findings.push(...missing(journal));
  return { agrees: findings.length === 0, rows: rows.length, entries: journal.entries.length, findings };
}

/** `minus`: which side an amount alone is on behind a minus. */
function rowsOf(all: readonly OwnPosting[], minus?: Side): Row[] {
  const sideOf = (isDebit: boolean): Side => (isDebit ? "DEBIT" : "CREDIT");
  return all.map((own, index) => {
    // The other column is empty or 0, and a minus is the other side.
    const net = Number(own.debit || 0) - Number(own.credit || 0);
    if (net !== 0) return { own, row: index + 1, size: Math.abs(net), side: sideOf(net > 0) };
    const amount = Number(own.amount || 0);
    const isSided = minus !== undefined && amount !== 0;
    const size = Math.abs(amount);
    return { own, row: index + 1, size, ...(isSided && { side: sideOf(amount < 0 === (minus === "DEBIT")) }) };
  });
}

/** The rows that equal no posting; those that do take theirs. */
function unequal(journal: Journal, rows: readonly Row[]): Row[] {
  const equalTo = equals(journal);
  // What a row of an order is, a row that says no more than the day could be as well: so the best named come first.
  return NAMES.flatMap((by) =>
    rows.filter((row) => {
      if (nameOf(row.own)[0] !== by) return false;
      const posting = equalTo(row);
      if (posting) posting.taken = row.row;
      return !posting;
    }),
  );
}

/** Of rows with an amount alone, how many have the sign of their side where the sign says it. */
const MOST_SIGNED = 0.8;

/** The side that a minus says, in books whose amounts have the sign of their side, all but a few. */
function sideOfMinus(journal: Journal, rows: readonly Row[]): Side | undefined {
  const pairs = journal.entries
    .flatMap(({ postings }) => postings)
    .flatMap((posting) => {
      const row = rows[(posting.taken ?? 0) - 1];
      return row && !row.side && row.size > 0 ? [{ row, posting }] : [];
    });
  const isMinus = ({ row }: Pair) => Number(row.own.amount) < 0;
  if (!pairs.some(isMinus)) return undefined;
  const credits = pairs.filter((pair) => isMinus(pair) === (pair.posting.direction === "CREDIT")).length;
  if (credits >= pairs.length * MOST_SIGNED) return "CREDIT";
  return pairs.length - credits >= pairs.length * MOST_SIGNED ? "DEBIT" : undefined;
}

/** Groups and members stay in the order in which they come. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Finds a free posting that a row equals. On a day there may be thousands: there only those of its size are looked at. */
function equals(journal: Journal): (row: Row) => Posting | undefined {
  const bySize = new Map<readonly Posting[], Map<string, Posting[]>>();
  return (row) => {
    let pool = journal.named(nameOf(row.own));
    if (pool.length > MOST_COMPARED) {
      const sizes = bySize.get(pool) ?? grouped(pool, (posting) => String(sizeOf(posting)));
      bySize.set(pool, sizes);
      pool = sizes.get(String(row.size)) ?? [];
    }
    return pool.find((each) => !each.taken && isEqual(row, each));
  };
}

const agrees = (given: string | undefined, is: string): boolean => given === undefined || given === "" || given === is;
/** Halves of a unit are no rounding of a machine's arithmetic. */
const isNear = (one: number, other: number): boolean => Math.abs(one - other) < 1e-6 * Math.max(1, other);

/** The amount of a row in units of the posting's currency; not a whole number where it has too many decimals. */
function inMinor({ size }: Row, { exponent }: Posting): number {
  const minor = size * 10 ** exponent;
  return isNear(minor, Math.round(minor)) ? Math.round(minor) : minor;
}

/** Nothing differs that the row names; what it leaves out agrees with anything. */
function isEqual(row: Row, posting: Posting): boolean {
  const pair = { row, posting };
  return (
    !accountDiffers(pair) &&
    !dayDiffers(pair) &&
    !amountDiffers(pair) &&
    !sideDiffers(pair) &&
    agrees(row.own.currency, posting.currency)
  );
}

/** In major units. */
const sizeOf = ({ value, exponent }: Posting): number => value / 10 ** exponent;

/** Rows of one entry or order, none of which equals a posting that is free. */
function explained(journal: Journal, rows: readonly Row[]): ReconcileFinding[] {
  const pool = rows[0] ? journal.named(nameOf(rows[0].own)) : [];
  const pairs = likest(rows, pool);
  for (const { row, posting } of pairs) firstOf(posting).taken = row.row;
  for (const { row, posting } of pairs) for (const part of posting.parts ?? []) part.taken ??= row.row;
  const findings = pairs.flatMap(({ row, posting }) => {
    const mistake = MISTAKES.find(({ seen }) => seen({ row, posting }, journal));
    return mistake ? [findingOf(mistake.class, mistake.says, posting, row)] : [];
  });
  const matched = new Set(pairs.map(({ row }) => row));
  return [...findings, ...rows.filter((row) => !matched.has(row)).map((row) => surplus(row, pool))];
}

const firstOf = (posting: Posting): Posting => posting.parts?.[0] ?? posting;

/** Which others of its side and entry a row may have in one amount with a posting. */
const TOGETHER: readonly ((posting: Posting, other: Posting) => boolean)[] = [
  ({ entry }) => entry.kind === "REFUND",
  ({ entry, type }, other) => entry.kind === "REFUND" && other.type === type,
  (posting, other) => isPrepaid(posting) && isFee(other),
  (posting, other) => isPrepaid(posting) && (isFee(other) || isPrepaid(other)),
];

function sums(free: readonly Posting[]): Posting[] {
  return free.flatMap((posting) => {
    const others = posting.entry.postings.filter((other) => other !== posting && other.direction === posting.direction);
    const bySize = new Map<number, Posting>();
    for (const isWith of TOGETHER) {
      const parts = [posting, ...others.filter((other) => isWith(posting, other))];
      const value = parts.reduce((sum, part) => sum + part.value, 0);
      if (parts.length > 1) bySize.set(value, { ...posting, value, parts });
    }
    return [...bySize.values()];
  });
}

/** Rows and free postings by twos, the likest first; what has neither amount, nor account and day in common belongs to nothing. */
function likest(rows: readonly Row[], pool: readonly Posting[]): { row: Row; posting: Posting }[] {
  const free = pool.filter(({ taken }) => !taken);
  const near = nearIn([...free, ...sums(free)], rows.length);
  const pairs = rows
    .flatMap((row, at) => near(row, at).map((posting) => ({ row, posting, like: likeness(row, posting) })))
    .filter(({ like }) => like >= LEAST_LIKE)
    .sort((one, other) => other.like - one.like);
  const used = new Set<Row | Posting>();
  return pairs.filter(({ row, posting }) => {
    if (used.has(row) || used.has(firstOf(posting))) return false;
    used.add(row).add(firstOf(posting));
    return true;
  });
}

/** A row is compared with no more postings than this. */
const MOST_COMPARED = 200;

/** Where there are more, as of a day with thousands: those of the same size or account, about as far down as the row is. */
function nearIn(free: readonly Posting[], rows: number): (row: Row, at: number) => readonly Posting[] {
  if (free.length <= MOST_COMPARED) return () => free;
  const bySize = grouped(free, (posting) => String(sizeOf(posting)));
  const byAccount = grouped(free, ({ type }) => type);
  const around = (all: readonly Posting[] = [], at: number): readonly Posting[] => {
    const from = Math.floor((at / rows) * all.length) - MOST_COMPARED / 4;
    return all.slice(Math.max(0, from), Math.max(0, from) + MOST_COMPARED / 2);
  };
  return ({ own, size }, at) => [
    ...new Set([...around(bySize.get(String(size)), at), ...around(byAccount.get(own.account ?? "") ?? free, at)]),
  ];
}

const LEAST_LIKE = 4;

/** In points: the more two have in common, the likelier the one was meant to be the other. */
function likeness(row: Row, posting: Posting): number {
  const { own, side } = row;
  const pair = { row, posting };
  // A sum is meant only where it is exact; it gets nothing for its side, which it must have.
  if (posting.parts && (amountDiffers(pair) || accountDiffers(pair) || sideDiffers(pair))) return 0;
  const points: [number, boolean][] = [
    [4, own.entry !== undefined],
    [4, !amountDiffers(pair)],
    [3, own.account === posting.type],
    [2, own.date === posting.entry.booked_on],
    [2, side === posting.direction && !posting.parts],
    [1, own.currency === posting.currency],
  ];
  return points.reduce((sum, [worth, holds]) => sum + (holds ? worth : 0), 0);
}

/** An entry that is named is booked again on another day or with another amount too. */
function isAgain(row: Row, posting: Posting): boolean {
  if (!row.own.entry) return isEqual(row, posting);
  const pair = { row, posting };
  return !accountDiffers(pair) && !sideDiffers(pair) && agrees(row.own.currency, posting.currency);
}

/** A row for which nothing is left: booked a second time, or of something else. */
function surplus(row: Row, pool: readonly Posting[]): ReconcileFinding {
  const again = pool.filter((posting) => isAgain(row, posting));
  if (again[0]) {
    const likest = again.reduce((most, each) => (likeness(row, each) > likeness(row, most) ? each : most));
    return findingOf("twice", ABOUT_ROWS.twice, likest, row);
  }
  const { entry, order } = row.own;
  return {
    ...{ class: "not-ours", says: ABOUT_ROWS["not-ours"], row: row.row, found: rowText(row) },
    ...(entry && { entry }),
    ...(order && { order }),
  };
}

/** What no row is of: an entry whole, or single postings of it. */
function missing({ entries }: Journal): ReconcileFinding[] {
  return entries.flatMap(({ postings }) => {
    const free = postings.filter(({ taken }) => !taken);
    const isWhole = free.length === postings.length;
    return (isWhole ? free.slice(0, 1) : free).map((posting) => {
      const { account, ...finding } = findingOf("missing", ABOUT_ROWS.missing, posting);
      return isWhole ? finding : { ...finding, ...(account && { account }) };
    });
  });
}

function findingOf(name: string, says: string, posting: Posting, row?: Row): ReconcileFinding {
  const { id, number, order_number, booked_on } = posting.entry;
  const parts = (posting.parts ?? [posting]).map((part) => `${part.type} ${part.direction} ${amountText(part)}`);
  return {
    ...{ class: name, says, ...(row && { row: row.row }), entry: id, number },
    ...(order_number !== undefined && { order: order_number }),
    account: posting.type,
    expected: `${booked_on} ${parts.join(" + ")}`,
    ...(row && { found: rowText(row) }),
    why: `sandbox why ${id}`,
  };
}

function rowText({ own, side, size }: Row): string {
  const sign = side === undefined && Number(own.amount) < 0 ? "-" : "";
  return [own.date, own.account, side, own.currency, `${sign}${size}`].filter(Boolean).join(" ");
}

/** Whether the row has the amount as of a currency with two decimals, where the currency has others. */
function isInHundredths(row: Row, { value, exponent }: Posting): boolean {
  const off = Math.abs(row.size - value / 10 ** exponent);
  const isCut = off > 0 && off < 10 ** -Math.min(2, exponent);
  return exponent !== 2 && isCut && isNear(row.size * 100, Math.round(row.size * 100));
}

/** Whether the row has the net of the lines behind a gross posting, rounded line by line or in one. */
function isNetOf(row: Row, posting: Posting): boolean {
  const off = Math.abs(inMinor(row, posting) - posting.net);
  return posting.lines > 0 && off <= posting.lines && off < Math.abs(inMinor(row, posting) - posting.value);
}

/** Revenue has the net alone; its gross follows by the rate, as far as it follows from a net that is rounded line by line. */
function isGrossOf(row: Row, posting: Posting): boolean {
  const { value, gross, lines } = posting;
  return gross - value > lines && Math.abs(inMinor(row, posting) - gross) <= (lines / 2) * (gross / value);
}
