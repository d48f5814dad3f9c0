// The accounting journal as T-accounts: what stands on each account's two sides, by kind of entry, and what must add up. All amounts
// are in minor units of their currency. Assumptions: posting-rules, ledger-identity.

interface PostingRecord {
  type: string;
  direction: "DEBIT" | "CREDIT";
  amount: { currency: string; value: number; exponent?: number };
  vat_rate?: string;
}
export interface EntryRecord {
  id: string;
  kind: string;
  number: string;
  currency: string;
  order_id?: string;
  booking_id?: string;
  occurred_at: string;
  postings: readonly PostingRecord[];
}

export interface Line {
  kind: string;
  count: number;
  value: number;
}
export interface Account {
  name: string;
  currency: string;
  exponent: number;
  debit: readonly Line[];
  credit: readonly Line[];
  /** Debits less credits. */
  balance: number;
}

const total = (values: Iterable<number>): number => [...values].reduce((all, value) => all + value, 0);
const signed = ({ direction, amount }: PostingRecord): number => (direction === "DEBIT" ? amount.value : -amount.value);

/** One for each account and currency, those of a currency together. */
export function accountsOf(entries: readonly EntryRecord[]): Account[] {
  const posted = entries.flatMap(({ kind, postings }) => postings.map((posting) => ({ kind, ...posting })));
  const names = [...new Set(posted.map(({ type, amount }) => `${amount.currency} ${type}`))].sort();
  return names.map((key) => {
    const own = posted.filter(({ type, amount }) => `${amount.currency} ${type}` === key);
    const [currency = "", name = ""] = key.split(" ");
    const side = (direction: string) => linesOf(own.filter((posting) => posting.direction === direction));
    const exponent = own[0]?.amount.exponent ?? 2;
    return { name, currency, exponent, debit: side("DEBIT"), credit: side("CREDIT"), balance: total(own.map(signed)) };
  });
}

function linesOf(postings: readonly (PostingRecord & { kind: string })[]): Line[] {
  return [...new Set(postings.map(({ kind }) => kind))].map((kind) => {
    const own = postings.filter((posting) => posting.kind === kind);
    return { kind, count: own.length, value: total(own.map(({ amount }) => amount.value)) };
  });
}

export interface Identity {
  sentence: string;
  holds: boolean;
  /** Entries or bookings for which it does not hold. */
  broken: readonly string[];
  checked: number;
}

/** `lines`: how many lines the orders have; each is rounded for itself, so a net may be off by one for each of them. */
export function identitiesOf(entries: readonly EntryRecord[], lines: (orderId: string) => number): Identity[] {
  const odd = entries.filter(({ postings }) => total(postings.map(signed)) !== 0).map(({ number }) => number);
  const recognised = [...new Set(entries.filter(isRevenue).map(({ order_id = "" }) => order_id))];
  const off = recognised.flatMap((order) => offOf(entries, order, lines(order)).map((rate) => `${order} at ${rate}`));
  return [
    identity("Every entry balances: debits equal credits.", odd, entries.length),
    identity("Net prepayments sold less refunded equal the revenue recognised less reversed.", off, recognised.length),
  ];
}

const identity = (sentence: string, broken: readonly string[], checked: number): Identity => ({
  sentence,
  holds: broken.length === 0,
  broken,
  checked,
});

const isRevenue = ({ kind }: EntryRecord): boolean => kind.startsWith("REVENUE_RECOGNITION");

/** The VAT rates at which an order's prepayment, net, is not what was recognised. */
function offOf(entries: readonly EntryRecord[], order: string, lines: number): string[] {
  const own = entries.filter(({ order_id }) => order_id === order);
  const prepaid = own.flatMap((entry) =>
    entry.postings.filter(({ type }) => type === "BOOKING_PREPAYMENT").map((posting) => ({ entry, posting })),
  );
  const rates = [...new Set(prepaid.map(({ posting }) => posting.vat_rate ?? "0"))];
  return rates.filter((rate) => {
    const at = prepaid.filter(({ posting }) => (posting.vat_rate ?? "0") === rate);
    const money = -total(at.filter(({ entry }) => !isRevenue(entry)).map(({ posting }) => signed(posting)));
    const revenue = total(at.filter(({ entry }) => isRevenue(entry)).map(({ posting }) => signed(posting)));
    return Math.abs(money / (1 + Number(rate)) - revenue) > Math.max(1, lines);
  });
}

/** "1,234.50" */
export function moneyText(value: number, exponent = 2): string {
  const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent };
  return (value / 10 ** exponent).toLocaleString("en-GB", digits);
}
