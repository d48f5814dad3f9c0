// Compares an integrator's own postings with the journal, by entry, by order or by day. The journal entries arrive page by page, as
// `GET /_sandbox/books/entries` returns them. A row is one posting.
import { type Amount, formatAmount } from "../platform/amount-text.ts";
import type { Entry } from "./book-pages.ts";

/** A posting of the integrator's books. A missing field is not compared; amounts are in major units, such as "1234.50". */
export interface OwnPosting {
  /** The id of the journal entry; without it, the order, the day and the amount find the posting. */
  entry?: string;
  /** The number or the id of the order. */
  order?: string;
  /** `2030-06-01`, or an instant, which is converted to the company's zone. */
  date?: string;
  account?: string;
  /** The amount on either side. If most amounts of the books have the sign of their side, an amount with the other sign is a finding. */
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
type BookedEntry = Pick<Entry, "id" | "number" | "order_number" | "order_id" | "booked_on">;

/** The sum of the postings of an entry on one account and side, over all VAT rates. The amount has no sign. */
interface Posting extends Amount {
  entry: BookedEntry;
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
}

/** If a larger share of the rows has the wrong sign for its side, the books use the sign for something else. */
const MAX_WRONG_SIGNS = 0.2;

/** Compares all rows with the journal. `readZone` reads the zone of the company; it is called only if a row has an instant. */
export async function reconcile(
  pages: Iterable<readonly Entry[]> | AsyncIterable<readonly Entry[]>,
  own: readonly OwnPosting[],
  readZone: () => Promise<string>,
): Promise<Reconciled> {
  const postings: Posting[] = [];
  let entries = 0;
  for await (const page of pages) {
    entries += page.length;
    for (const entry of page) postings.push(...sumPostings(entry));
  }
  const zone = own.some(({ date }) => isInstant(date)) ? await readZone() : "UTC";
  const compare = (minus?: Side) => new Comparison(postings, readRows(own, zone, minus)).run();
  const findings = compareSigned(own, compare) ?? compare();
  return { agrees: findings.length === 0, rows: own.length, entries, findings };
}

/** Compares books whose amounts have the sign of their side. A minus means a credit in some books, and a debit in others. */
function compareSigned(
  own: readonly OwnPosting[],
  compare: (minus: Side) => ReconcileFinding[],
): ReconcileFinding[] | undefined {
  if (!own.some(({ amount }) => Number(amount) < 0)) return undefined;
  const [asCredit, asDebit] = [compare("CREDIT"), compare("DEBIT")];
  const fewer = asDebit.length < asCredit.length ? asDebit : asCredit;
  return fewer.length > own.length * MAX_WRONG_SIGNS ? undefined : fewer;
}

/** A posting in the format of the service. */
interface PostingView {
  type: string;
  /** Undefined if an assumption represents a credit as a negative amount. */
  direction?: string;
  amount: Amount;
}

function sumPostings(entry: Entry): Posting[] {
  const sums = new Map<string, Posting>();
  for (const { type, direction, amount } of entry.postings as unknown as PostingView[]) {
    const side: Side = direction === "CREDIT" || amount.value < 0 ? "CREDIT" : "DEBIT";
    const { currency, exponent } = amount;
    const key = `${type} ${side} ${currency}`;
    const sum = sums.get(key) ?? { entry, account: type, side, currency, exponent, value: 0 };
    sum.value += Math.abs(amount.value);
    sums.set(key, sum);
  }
  return [...sums.values()];
}

/** Reads the rows. `minus` is the side of a negative `amount`. */
function readRows(all: readonly OwnPosting[], zone: string, minus?: Side): Row[] {
  const days = new Intl.DateTimeFormat("sv-SE", { timeZone: zone });
  return all.map((own, index) => {
    const date = isInstant(own.date) ? days.format(new Date(own.date ?? "")) : own.date?.split("T")[0];
    // Debit or credit is empty or 0. A negative value belongs to the other side.
    const net = Number(own.debit || 0) - Number(own.credit || 0);
    const amount = Number(own.amount || 0);
    let side: Side | undefined;
    if (net !== 0) side = net > 0 ? "DEBIT" : "CREDIT";
    else if (minus !== undefined && amount !== 0) side = amount < 0 === (minus === "DEBIT") ? "DEBIT" : "CREDIT";
    return { own, row: index + 1, date: date || undefined, side, size: Math.abs(net === 0 ? amount : net) };
  });
}

function isInstant(date = ""): boolean {
  return /T[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(date);
}

const isMissingOrEqual = (given: string | undefined, expected: string): boolean => !given || given === expected;

function hasSameOrder({ own }: Row, { entry }: Posting): boolean {
  return !own.order || own.order === entry.order_number || own.order === entry.order_id;
}

function hasSameDay({ date }: Row, { entry }: Posting): boolean {
  return isMissingOrEqual(date, entry.booked_on);
}

function hasSameAccount({ own, side }: Row, posting: Posting): boolean {
  return isMissingOrEqual(own.account, posting.account) && isMissingOrEqual(side, posting.side);
}

function hasSameAmount(row: Row, posting: Posting): boolean {
  return isMissingOrEqual(row.own.currency, posting.currency) && toMinor(row, posting) === posting.value;
}

/** Returns the amount in minor units of the posting's currency. It is not an integer if the row has too many decimals. */
function toMinor({ size }: Row, { exponent }: Posting): number {
  const minor = size * 10 ** exponent;
  const rounded = Math.round(minor);
  return Math.abs(minor - rounded) < 1e-6 * Math.max(1, rounded) ? rounded : minor;
}

function isEqual(row: Row, posting: Posting): boolean {
  return (
    hasSameAccount(row, posting) &&
    hasSameAmount(row, posting) &&
    hasSameOrder(row, posting) &&
    hasSameDay(row, posting)
  );
}

type Rule = (row: Row, posting: Posting) => boolean;

const measureDistanceMs: (row: Row, posting: Posting) => number = ({ date }, { entry }) =>
  date === undefined ? 0 : Math.abs(Date.parse(date) - Date.parse(entry.booked_on));

/** Matches rows and postings in rounds. Later rounds skip rows and postings that are matched already. */
class Comparison {
  readonly #postings: readonly Posting[];
  readonly #rows: readonly Row[];
  readonly #free: Set<Posting>;
  readonly #left: Set<Row>;
  readonly #byName = new Map<string, Posting[]>();
  /** Postings by amount and by name or account. The index is needed because a day may have thousands of postings. */
  readonly #byAmount = new Map<string, Posting[]>();
  readonly #findings: ReconcileFinding[] = [];

  constructor(postings: readonly Posting[], rows: readonly Row[]) {
    this.#postings = postings;
    this.#rows = rows;
    this.#free = new Set(postings);
    this.#left = new Set(rows);
    for (const posting of postings) {
      const { id, order_number, order_id, booked_on } = posting.entry;
      const names = [`entry ${id}`, `order ${order_number}`, `order ${order_id}`, `date ${booked_on}`];
      const size = posting.value / 10 ** posting.exponent;
      for (const name of new Set(names)) {
        append(this.#byName, name, posting);
        append(this.#byAmount, `${name} ${size}`, posting);
      }
      append(this.#byAmount, `account ${posting.account} ${size}`, posting);
    }
  }

  run(): ReconcileFinding[] {
    // The order matters: otherwise a row with only a date could take the posting of a row that names its entry.
    for (const by of ["entry ", "order ", "date "]) this.#takeEqual((row) => formatRowName(row).startsWith(by));
    this.#takeEqualSums();
    const isNamed = (row: Row): boolean => !formatRowName(row).startsWith("date ");
    this.#takeDuplicates(isNamed);
    const isSamePosting: Rule = (row, posting) => hasSameAccount(row, posting) && hasSameAmount(row, posting);
    this.#pair(isNamed, isSamePosting);
    this.#pairAnywhere((row, posting) => isSamePosting(row, posting) && (!isNamed(row) || hasSameDay(row, posting)));
    this.#takeDuplicates(() => true);
    this.#pair(() => true, hasSameAccount);
    this.#pair(() => true, hasSameAmount);
    for (const row of this.#left) this.#reportUnmatched(row);
    this.#findings.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
    return [...this.#findings, ...this.#findMissing()];
  }

  #candidates(row: Row): Posting[] {
    return this.#byName.get(formatRowName(row)) ?? [];
  }

  #sameAmount(row: Row): Posting[] {
    return this.#byAmount.get(`${formatRowName(row)} ${row.size}`) ?? [];
  }

  #take(row: Row, posting: Posting): void {
    this.#left.delete(row);
    this.#free.delete(posting);
  }

  #takeEqual(isWanted: (row: Row) => boolean): void {
    for (const row of this.#rows.filter(isWanted)) {
      const posting = this.#sameAmount(row).find((each) => this.#free.has(each) && isEqual(row, each));
      if (posting) this.#take(row, posting);
    }
  }

  /** Matches groups by their sums, because books may have a line per VAT rate, or one line for several postings. */
  #takeEqualSums(): void {
    const groups = new Map<string, Row[]>();
    for (const row of this.#left) {
      const { own, date, side } = row;
      const key = JSON.stringify([formatRowName(row), own.order, date, own.account, side, own.currency]);
      append(groups, key, row);
    }
    for (const rows of groups.values()) {
      const first = rows[0] as Row;
      const postings = this.#candidates(first).filter(
        (posting) =>
          this.#free.has(posting) &&
          hasSameAccount(first, posting) &&
          isMissingOrEqual(first.own.currency, posting.currency) &&
          hasSameOrder(first, posting) &&
          hasSameDay(first, posting),
      );
      const [posting] = postings;
      if (!posting || postings.some(({ currency }) => currency !== posting.currency)) continue;
      const booked = rows.reduce((sum, row) => sum + toMinor(row, posting), 0);
      if (booked !== postings.reduce((sum, { value }) => sum + value, 0)) continue;
      for (const row of rows) this.#left.delete(row);
      for (const each of postings) this.#free.delete(each);
    }
  }

  #takeDuplicates(isWanted: (row: Row) => boolean): void {
    for (const row of [...this.#left].filter(isWanted)) {
      const posting = this.#sameAmount(row).find((each) => isEqual(row, each));
      if (!posting || this.#free.has(posting)) continue;
      this.#left.delete(row);
      this.#report("duplicate", posting, row);
    }
  }

  /** Pairs rows and postings with the same name. */
  #pair(isWanted: (row: Row) => boolean, rule: Rule): void {
    for (const row of [...this.#left].filter(isWanted)) this.#pairNearest(row, this.#candidates(row), rule);
  }

  /** Pairs rows and postings of the same account and amount, even if order and day differ. */
  #pairAnywhere(rule: Rule): void {
    for (const row of [...this.#left]) {
      const all = this.#byAmount.get(`account ${row.own.account} ${row.size}`) ?? [];
      if (!row.own.entry) this.#pairNearest(row, all, rule);
    }
  }

  #pairNearest(row: Row, candidates: readonly Posting[], rule: Rule): void {
    let nearest: Posting | undefined;
    for (const posting of candidates) {
      if (!this.#free.has(posting) || !rule(row, posting)) continue;
      if (nearest === undefined || measureDistanceMs(row, posting) < measureDistanceMs(row, nearest)) nearest = posting;
    }
    if (nearest === undefined) return;
    this.#take(row, nearest);
    this.#report(classify(row, nearest), nearest, row);
  }

  /** Reports a row without a posting. A row that names an entry with such an account is a duplicate. */
  #reportUnmatched(row: Row): void {
    const again = row.own.entry ? this.#candidates(row).find((posting) => hasSameAccount(row, posting)) : undefined;
    if (again) {
      this.#report("duplicate", again, row);
      return;
    }
    const { entry, order } = row.own;
    const finding: ReconcileFinding = { class: "extra", says: CLASSES.extra, row: row.row, found: formatRow(row) };
    if (entry) finding.entry = entry;
    if (order) finding.order = order;
    this.#findings.push(finding);
  }

  /** Returns the missing postings. A completely missing entry is one finding. */
  #findMissing(): ReconcileFinding[] {
    const entries = new Map<BookedEntry, Posting[]>();
    for (const posting of this.#postings) append(entries, posting.entry, posting);
    return [...entries.values()].flatMap((postings) => {
      const free = postings.filter((posting) => this.#free.has(posting));
      const isWhole = free.length === postings.length;
      return (isWhole ? free.slice(0, 1) : free).map((posting) => {
        const finding = describe("missing", posting);
        if (isWhole) delete finding.account;
        return finding;
      });
    });
  }

  #report(name: ReconcileClass, posting: Posting, row: Row): void {
    const order = name === "different-order" ? ` order ${row.own.order}` : "";
    this.#findings.push({ ...describe(name, posting), row: row.row, found: `${formatRow(row)}${order}` });
  }
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Returns the name by which the postings of a row are found: its entry, order or date. */
function formatRowName({ own, date }: Row): string {
  if (own.entry) return `entry ${own.entry}`;
  return own.order ? `order ${own.order}` : `date ${date}`;
}

function classify(row: Row, posting: Posting): ReconcileClass {
  if (!hasSameAccount(row, posting)) return "different-account";
  if (!hasSameAmount(row, posting)) return "different-amount";
  return hasSameOrder(row, posting) ? "different-day" : "different-order";
}

function describe(name: ReconcileClass, posting: Posting): ReconcileFinding {
  const { id, number, order_number, booked_on } = posting.entry;
  const finding: ReconcileFinding = { class: name, says: CLASSES[name], entry: id, number };
  if (order_number !== undefined) finding.order = order_number;
  finding.account = posting.account;
  const order = order_number !== undefined && name === "different-order" ? ` order ${order_number}` : "";
  finding.expected = `${booked_on} ${posting.account} ${posting.side} ${formatAmount(posting)}${order}`;
  finding.why = `sandbox why ${id}`;
  return finding;
}

function formatRow({ own, date, side, size }: Row): string {
  const sign = side === undefined && Number(own.amount) < 0 ? "-" : "";
  return [date, own.account, side, own.currency, `${sign}${size}`].filter(Boolean).join(" ");
}
