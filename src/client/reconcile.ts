// Compares an integrator's own postings with the journal, by entry, by order or by day. A row is one posting.
import type { Schemas } from "../contract/schemas.ts";
import { type Amount, formatAmount } from "../platform/amount-text.ts";

type Entry = Schemas["BookEntry"];

/** A posting of the integrator's books. A missing field is not compared; amounts are in major units, such as "1234.50". */
export interface OwnPosting {
  /** The id of the journal entry; without it, the order, the day and the amount find the posting. */
  entry?: string;
  /** The number or the id of the order. */
  order?: string;
  /** `2030-06-01`, or an instant, which is converted to the company's zone. */
  date?: string;
  account?: string;
  /** The amount on either side; its sign is not compared. */
  amount?: string | number;
  debit?: string | number;
  credit?: string | number;
  currency?: string;
}

/** The classes of findings with their explanations. */
export const CLASSES = {
  missing: "The journal has this posting, and your books do not.",
  extra: "Your books have this row, and the journal has no such posting.",
  duplicate: "Your books have this posting more than once.",
  "different-amount": "The amount or its currency differs.",
  "different-account": "The account or the side differs.",
  "different-order": "The row names another order.",
  "different-day": "The day differs.",
} as const;

type ReconcileClass = keyof typeof CLASSES;

export interface ReconcileFinding {
  class: ReconcileClass;
  /** The explanation of the class. */
  says: string;
  /** The number of the row, from 1; undefined if your books do not have the posting. */
  row?: number;
  /** The id of the journal entry. */
  entry?: string;
  /** The number of the journal entry. */
  number?: string;
  order?: string;
  account?: string;
  /** The posting of the journal. */
  expected?: string;
  /** The posting of the row. */
  found?: string;
  /** The command that explains the entry. */
  why?: string;
}

export interface Reconciled {
  agrees: boolean;
  rows: number;
  entries: number;
  findings: ReconcileFinding[];
}

type Side = "DEBIT" | "CREDIT";

/** The sum of the postings of an entry on one account and side, over all VAT rates. The amount has no sign. */
interface Posting extends Amount {
  entry: Entry;
  account: string;
  side: Side;
}

interface Row {
  own: OwnPosting;
  /** The number of the row, from 1. */
  row: number;
  date: string | undefined;
  side: Side | undefined;
  /** The amount in major units, without its sign. */
  size: number;
  /** The most specific name by which the postings of the row are found: its entry, order or date. */
  name: string;
}

type Rule = (row: Row, posting: Posting) => boolean;

/** Compares all rows with the entries of the journal. Instants belong to the days of `zone`. */
export function reconcile(entries: readonly Entry[], own: readonly OwnPosting[], zone: string): Reconciled {
  const findings = new Comparison(entries.flatMap(sumPostings), readRows(own, zone)).run();
  return { agrees: findings.length === 0, rows: own.length, entries: entries.length, findings };
}

/** A posting as the service returns it. The specification does not define its fields, because an assumption changes them. */
export interface PostingView {
  type: string;
  amount: Amount;
  /** Undefined if an assumption represents a credit as a negative amount. */
  direction?: string;
  vat_rate?: string | number;
}

// The generated type describes only the default of the assumption.
export const getPostings = ({ postings }: Entry): PostingView[] => postings as unknown as PostingView[];

function sumPostings(entry: Entry): Posting[] {
  const sums = new Map<string, Posting>();
  for (const { type, direction, amount } of getPostings(entry)) {
    const side: Side = direction === "CREDIT" || amount.value < 0 ? "CREDIT" : "DEBIT";
    const key = `${type} ${side} ${amount.currency}`;
    const sum = sums.get(key) ?? { ...amount, entry, account: type, side, value: 0 };
    sum.value += Math.abs(amount.value);
    sums.set(key, sum);
  }
  return [...sums.values()];
}

/** Rows that name their entry come first, then those that name their order, so that rows with only a date don't take their postings. */
function readRows(all: readonly OwnPosting[], zone: string): Row[] {
  const days = new Intl.DateTimeFormat("sv-SE", { timeZone: zone });
  const rows = all.map((own, index): Row => {
    const { entry, order, amount, debit, credit } = own;
    // A row from JSON may have null.
    const text = own.date ?? "";
    const date = /T[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(text) ? days.format(new Date(text)) : text.slice(0, 10);
    const name = entry ? `entry ${entry}` : order ? `order ${order}` : `date ${date}`;
    // Debit or credit is empty or 0. A negative value belongs to the other side.
    const net = Number(debit || 0) - Number(credit || 0);
    const side = net === 0 ? undefined : net > 0 ? "DEBIT" : "CREDIT";
    return { own, row: index + 1, date: date || undefined, side, size: Math.abs(net || Number(amount || 0)), name };
  });
  return ["entry ", "order ", "date "].flatMap((kind) => rows.filter(({ name }) => name.startsWith(kind)));
}

const isMissingOrEqual = (given: string | undefined, expected: string): boolean => !given || given === expected;

const hasSameAccount: Rule = ({ own, side }, posting) =>
  isMissingOrEqual(own.account, posting.account) && isMissingOrEqual(side, posting.side);

const hasSameAmount: Rule = (row, posting) =>
  isMissingOrEqual(row.own.currency, posting.currency) && toMinor(row, posting) === posting.value;

/** The differences in the order in which they decide the class of a finding. */
const DIFFERENCES: readonly (readonly [ReconcileClass, Rule])[] = [
  ["different-account", hasSameAccount],
  ["different-amount", hasSameAmount],
  ["different-order", ({ own }, { entry }) => !own.order || [entry.order_number, entry.order_id].includes(own.order)],
  ["different-day", ({ date }, { entry }) => isMissingOrEqual(date, entry.booked_on)],
];

/** Returns undefined if the row and the posting are equal. */
const classify = (row: Row, posting: Posting): ReconcileClass | undefined =>
  DIFFERENCES.find(([, isSame]) => !isSame(row, posting))?.[0];

const isEqual: Rule = (row, posting) => classify(row, posting) === undefined;
const isSamePosting: Rule = (row, posting) => hasSameAccount(row, posting) && hasSameAmount(row, posting);

/** Returns the amount in minor units of the posting's currency. It is not an integer if the row has too many decimals. */
const toMinor = ({ size }: Row, { exponent }: Posting): number => Number((size * 10 ** exponent).toFixed(3));

const measureDistanceMs = ({ date }: Row, { entry }: Posting): number =>
  date === undefined ? 0 : Math.abs(Date.parse(date) - Date.parse(entry.booked_on));

/** Matches rows and postings in rounds. Later rounds skip rows and postings that are matched already. */
class Comparison {
  readonly #free: Set<Posting>;
  readonly #left: Set<Row>;
  /** Postings by the names of their entry and by their account, each with and without the amount. */
  readonly #index = new Map<string, Posting[]>();
  readonly #findings: ReconcileFinding[] = [];

  constructor(postings: readonly Posting[], rows: readonly Row[]) {
    this.#free = new Set(postings);
    this.#left = new Set(rows);
    for (const posting of postings) {
      const { id, order_number, order_id, booked_on } = posting.entry;
      const names = [`entry ${id}`, `order ${order_number}`, `order ${order_id}`, `date ${booked_on}`, posting.account];
      const size = posting.value / 10 ** posting.exponent;
      for (const key of new Set(names.flatMap((name) => [name, `${name} ${size}`]))) append(this.#index, key, posting);
    }
  }

  run(): ReconcileFinding[] {
    this.#pair(isEqual);
    this.#takeEqualSums();
    this.#pair((row, posting) => !isDated(row) && isSamePosting(row, posting));
    this.#pairAnywhere(isDated);
    for (const row of this.#left) this.#reportDuplicate(row, isEqual);
    this.#pairAnywhere((row) => !row.own.entry);
    this.#pair(hasSameAccount);
    this.#pair(hasSameAmount);
    for (const row of this.#left) if (!this.#reportDuplicate(row, hasSameAccount)) this.#reportExtra(row);
    this.#findings.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
    return [...this.#findings, ...[...this.#free].map((posting) => describe("missing", posting))];
  }

  /** Returns the postings with the name of the row. Equal ones must also have its amount, because a day may have thousands of postings. */
  #findCandidates({ name, size }: Row, rule?: Rule): Posting[] {
    return this.#index.get(rule === isEqual ? `${name} ${size}` : name) ?? [];
  }

  /** Pairs rows and postings with the same name. */
  #pair(rule: Rule): void {
    for (const row of this.#left) this.#pairNearest(row, this.#findCandidates(row, rule), rule);
  }

  /** Pairs rows and postings of the same account and amount, even if order and day differ. */
  #pairAnywhere(isWanted: (row: Row) => boolean): void {
    for (const row of this.#left) {
      const candidates = this.#index.get(`${row.own.account} ${row.size}`) ?? [];
      if (isWanted(row)) this.#pairNearest(row, candidates, isSamePosting);
    }
  }

  #pairNearest(row: Row, candidates: readonly Posting[], rule: Rule): void {
    let nearest: Posting | undefined;
    for (const posting of candidates) {
      if (!this.#free.has(posting) || !rule(row, posting)) continue;
      if (nearest === undefined || measureDistanceMs(row, posting) < measureDistanceMs(row, nearest)) nearest = posting;
    }
    if (nearest === undefined) return;
    this.#free.delete(nearest);
    this.#report(row, classify(row, nearest), nearest);
  }

  /** Matches groups by their sums, because books may have a line per VAT rate, or one line for several postings. */
  #takeEqualSums(): void {
    const groups = new Map<string, Row[]>();
    for (const row of this.#left) {
      const { own, date, side, name } = row;
      append(groups, JSON.stringify([name, own.order, date, own.account, side, own.currency]), row);
    }
    for (const rows of groups.values()) {
      const [first] = rows as [Row];
      // The sum decides, so a posting with any amount may be part of it.
      const isPart: Rule = (row, posting) => isEqual({ ...row, size: posting.value / 10 ** posting.exponent }, posting);
      const postings = this.#findCandidates(first).filter((each) => this.#free.has(each) && isPart(first, each));
      const [posting] = postings;
      if (!posting || postings.some(({ currency }) => currency !== posting.currency)) continue;
      const booked = rows.reduce((sum, row) => sum + toMinor(row, posting), 0);
      if (booked !== postings.reduce((sum, { value }) => sum + value, 0)) continue;
      for (const row of rows) this.#left.delete(row);
      for (const each of postings) this.#free.delete(each);
    }
  }

  /** Returns true if another row has the posting. Only rows that name their entry are compared by account alone. */
  #reportDuplicate(row: Row, rule: Rule): boolean {
    if (rule !== isEqual && !row.own.entry) return false;
    const posting = this.#findCandidates(row, rule).find((each) => rule(row, each) && !this.#free.has(each));
    if (posting) this.#report(row, "duplicate", posting);
    return posting !== undefined;
  }

  #reportExtra(row: Row): void {
    const { entry, order } = row.own;
    const names = { ...(entry && { entry }), ...(order && { order }) };
    this.#findings.push({ class: "extra", says: CLASSES.extra, row: row.row, ...names, found: formatRow(row) });
  }

  /** Takes the row out of the comparison. A row without a class is equal to its posting. */
  #report(row: Row, name: ReconcileClass | undefined, posting: Posting): void {
    this.#left.delete(row);
    if (name === undefined) return;
    const order = name === "different-order" ? ` order ${row.own.order}` : "";
    this.#findings.push({ ...describe(name, posting), row: row.row, found: `${formatRow(row)}${order}` });
  }
}

const isDated = ({ name }: Row): boolean => name.startsWith("date ");

function append<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

function describe(name: ReconcileClass, posting: Posting): ReconcileFinding {
  const { id, number, order_number, booked_on } = posting.entry;
  const order = order_number !== undefined && name === "different-order" ? ` order ${order_number}` : "";
  return {
    class: name,
    says: CLASSES[name],
    entry: id,
    number,
    ...(order_number !== undefined && { order: order_number }),
    account: posting.account,
    expected: `${booked_on} ${posting.account} ${posting.side} ${formatAmount(posting)}${order}`,
    why: `sandbox why ${id}`,
  };
}

const formatRow = ({ own, date, side, size }: Row): string =>
  [date, own.account, side, own.currency, String(size)].filter(Boolean).join(" ");
