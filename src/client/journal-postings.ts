// What is kept of the journal to hold somebody's rows against it: each posting with what its entry says of it and no more, found by the
// entry, order or day that a row names. A year of a company has a hundred thousand of them.
import type { Schemas } from "../contract/schemas.ts";
import type { Amount } from "../platform/amount-text.ts";
import type { Entry } from "./book-pages.ts";

type Line = Schemas["BookLine"];

export type Side = "DEBIT" | "CREDIT";

/** Of an entry, beside its postings. */
interface Booked extends Pick<Entry, "id" | "number" | "kind" | "booked_on"> {
  order_number?: string | undefined;
  begun_on?: string | undefined;
  ordered_on?: string | undefined;
  /** The day in UTC. */
  utc_day: string;
  postings: readonly Posting[];
}

/** The amount is that of the posting, and no less than zero. */
export interface Posting extends Amount {
  entry: Booked;
  type: string;
  direction: Side;
  /** How many lines are behind it, their net, and what its gross would be by their rates. */
  lines: number;
  net: number;
  gross: number;
  /** Of a sum: what one row may have together. It is the first of them, with their amount. */
  parts?: readonly Posting[];
  /** The number of the row that it agrees with, or that it explains. */
  taken?: number | undefined;
}

/** By what a row names its postings; one that names more is found by the first. */
export const NAMES = ["entry", "order", "date"] as const;
type Names = Partial<Record<(typeof NAMES)[number], string | undefined>>;
type Named = readonly [by: (typeof NAMES)[number], name: string];

export function nameOf(row: Names): Named {
  const by = NAMES.find((each) => row[each]) ?? "date";
  return [by, row[by] ?? ""];
}

type Pools = Record<Named[0], Map<string, Posting[]>>;

export class Journal {
  readonly entries: Booked[] = [];
  /** By order; made when somebody asks. */
  #recognised: Map<string, string[]> | undefined;
  readonly #pools: Pools = { entry: new Map(), order: new Map(), date: new Map() };

  /** Only what these rows name is looked for. */
  constructor(rows: Iterable<Names>) {
    for (const row of rows) {
      const [by, name] = nameOf(row);
      if (!this.#pools[by].has(name)) this.#pools[by].set(name, []);
    }
  }

  add(entry: Entry): void {
    const { id, number, kind, order_number, order_id, booked_on, begun_on, ordered_on } = entry;
    const postings: Posting[] = [];
    const booked: Booked = {
      ...{ id, number, kind, order_number, booked_on, begun_on, ordered_on },
      ...{ utc_day: entry.occurred_at.slice(0, 10), postings },
    };
    postings.push(...(entry.postings as unknown as PostingView[]).map((view) => postingOf(booked, view)));
    this.entries.push(booked);
    const pools = new Set([
      this.#pools.entry.get(id),
      this.#pools.order.get(order_number ?? ""),
      this.#pools.order.get(order_id ?? ""),
      this.#pools.date.get(booked_on),
    ]);
    for (const pool of pools) pool?.push(...postings);
  }

  /** No row has any of it any more. */
  release(): void {
    for (const { postings } of this.entries) for (const posting of postings) posting.taken = undefined;
  }

  /** The days on which revenue of the same order is recognised. */
  recognised({ order_number }: Booked): readonly string[] {
    if (!this.#recognised) {
      this.#recognised = new Map();
      for (const { kind, order_number: order = "", booked_on } of this.entries)
        if (kind.startsWith("REVENUE_"))
          this.#recognised.set(order, [...(this.#recognised.get(order) ?? []), booked_on]);
    }
    return this.#recognised.get(order_number ?? "") ?? [];
  }

  /** What a row may be of. */
  named([by, name]: Named): readonly Posting[] {
    return this.#pools[by].get(name) ?? [];
  }
}

/** As the service shows it. */
interface PostingView {
  type: string;
  /** Absent where an assumption makes a credit a negative amount. */
  direction?: string;
  amount: Amount;
  lines: readonly Line[];
}

/** Amounts have no sign here: a negative one is a credit. */
function postingOf(entry: Booked, { type, direction, amount, lines }: PostingView): Posting {
  const { currency, exponent, value } = amount;
  return {
    ...{ entry, type, currency, exponent, value: Math.abs(value), lines: lines.length },
    direction: direction === "CREDIT" || value < 0 ? "CREDIT" : "DEBIT",
    net: lines.reduce((sum, { net }) => sum + net.value, 0),
    gross: lines.reduce((sum, { net, vat_rate }) => sum + net.value * (1 + Number(vat_rate)), 0),
  };
}
