// An integrator's books compared with the journal: equal books give nothing, and each difference gives its class once.
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Schemas } from "../../src/client/control.ts";
import { type OwnPosting, reconcile } from "../../src/client/reconcile.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

type Entry = Schemas["BookEntry"];
type Amount = { value: number; currency: string; exponent: number };
type Posting = { type: string; direction: "DEBIT" | "CREDIT"; amount: Amount };

let sandbox: TestSandbox;
const shipped = new Map<string, Entry[]>();
beforeAll(async () => {
  sandbox = await openSandbox();
  for (const fixture of readdirSync("fixtures")) {
    const world = await sandbox.world({ fixture });
    const { body } = await world.control("get", "books/entries?limit=500");
    shipped.set(fixture, body.items);
  }
});
afterAll(() => sandbox.close());

const compare = (entries: readonly Entry[], rows: readonly OwnPosting[]) =>
  reconcile(entries, rows, "Europe/Copenhagen").findings;

const toMajor = ({ value, exponent }: Amount): string => (value / 10 ** exponent).toFixed(exponent);

function toRows(entry: Entry): OwnPosting[] {
  return (entry.postings as unknown as Posting[]).map(({ type, direction, amount }) => ({
    entry: entry.id,
    ...(entry.order_number ? { order: entry.order_number } : {}),
    date: entry.booked_on,
    account: type,
    [direction === "DEBIT" ? "debit" : "credit"]: toMajor(amount),
    currency: amount.currency,
  }));
}

const withoutEntry = ({ entry: _, ...row }: OwnPosting): OwnPosting => row;
const withoutOrder = ({ entry: _, order: __, ...row }: OwnPosting): OwnPosting => row;
const withSign = ({ debit, credit, ...row }: OwnPosting): OwnPosting => ({ ...row, amount: debit ?? `-${credit}` });
const withoutSign = ({ debit, credit, ...row }: OwnPosting): OwnPosting => ({ ...row, amount: debit ?? credit ?? "" });

const FORMS: [string, (row: OwnPosting) => OwnPosting][] = [
  ["entry", (row) => row],
  ["order", withoutEntry],
  ["day", withoutOrder],
  ["amounts with signs", withSign],
  ["amounts without signs", withoutSign],
];

describe.each(FORMS)("Correct books agree by %s", (_, form) => {
  it.each(readdirSync("fixtures"))("in the world %s", (fixture) => {
    const entries = shipped.get(fixture) ?? [];
    const rows = entries.flatMap(toRows).map(form);
    expect(compare(entries, rows)).toEqual([]);
    expect(compare(entries, rows.toReversed())).toEqual([]);
  });
});

/** A sale with two rates of VAT, and a payment of the next day. */
const posting = (type: string, direction: "DEBIT" | "CREDIT", value: number): object => ({
  type,
  direction,
  lines: [],
  amount: { value, currency: "DKK", exponent: 2 },
});
const makeEntry = (id: string, day: string, order: string, postings: object[]): Entry =>
  ({
    id,
    number: id,
    kind: "SALE",
    currency: "DKK",
    postings,
    occurred_at: `${day}T10:00:00.000Z`,
    booked_on: day,
    order_number: order,
    order_id: `id-${order}`,
  }) as unknown as Entry;
const SALE = makeEntry("sale", "2030-06-01", "7", [
  posting("PAYMENT", "DEBIT", 59_500),
  posting("BOOKING_PREPAYMENT", "CREDIT", 50_000),
  posting("BOOKING_PREPAYMENT", "CREDIT", 9_500),
]);
const LATER = makeEntry("later", "2030-06-04", "8", [
  posting("PAYMENT", "DEBIT", 30_000),
  posting("BOOKING_PREPAYMENT", "CREDIT", 30_000),
]);
const ENTRIES = [SALE, LATER];
const ROWS = ENTRIES.flatMap(toRows);
const change = (index: number, more: OwnPosting): OwnPosting[] =>
  ROWS.map((row, at) => (at === index ? { ...row, ...more } : row));

describe("Sums", () => {
  it("of an entry, account and side are compared, regardless of VAT rates", () => {
    const oneLine = { entry: "sale", account: "BOOKING_PREPAYMENT", credit: "595.00" };
    expect(compare(ENTRIES, [...ROWS.filter((_, at) => at !== 1 && at !== 2), oneLine])).toEqual([]);
    const split = { entry: "later", account: "PAYMENT", debit: "100.00" };
    const rows = [...ROWS.filter((_, at) => at !== 3), split, { ...split, debit: "200.00" }];
    expect(compare(ENTRIES, rows)).toEqual([]);
  });
});

const classes = (rows: readonly OwnPosting[], entries: readonly Entry[] = ENTRIES) =>
  compare(entries, rows).map((finding) => [finding.class, finding.row, finding.entry]);

describe("A difference has its class, row and entry:", () => {
  it.each<[string, OwnPosting[], [string, number | undefined, string | undefined][]]>([
    ["another amount", change(3, { debit: "300.01" }), [["different-amount", 4, "later"]]],
    ["another currency", change(3, { currency: "EUR" }), [["different-amount", 4, "later"]]],
    ["another account", change(3, { account: "BANK" }), [["different-account", 4, "later"]]],
    ["the other side", change(3, { debit: "0", credit: "300.00" }), [["different-account", 4, "later"]]],
    ["another order than that of its entry", change(3, { order: "7" }), [["different-order", 4, "later"]]],
    ["another day", change(3, { date: "2030-06-05" }), [["different-day", 4, "later"]]],
    ["a second time", [...ROWS, ROWS[3] as OwnPosting], [["duplicate", 6, "later"]]],
    ["again with another amount", [...ROWS, { ...ROWS[3], debit: "1.00" }], [["duplicate", 6, "later"]]],
    ["an unknown entry", [...ROWS, { entry: "none", debit: "1.00" }], [["extra", 6, "none"]]],
    ["a row that is missing", ROWS.slice(0, 4), [["missing", undefined, "later"]]],
    ["an entry that is missing", ROWS.slice(0, 3), Array(2).fill(["missing", undefined, "later"])],
  ])("%s", (_, rows, expected) => {
    expect(classes(rows)).toEqual(expected);
  });

  it("by order", () => {
    const rows = ROWS.map(withoutEntry);
    const other = rows.map((row, at) => (at === 3 ? { ...row, order: "7" } : row));
    expect(classes(other)).toEqual([["different-order", 4, "later"]]);
    const day = rows.map((row, at) => (at === 3 ? { ...row, date: "2030-06-09" } : row));
    expect(classes(day)).toEqual([["different-day", 4, "later"]]);
    expect(classes([...rows, rows[3] as OwnPosting])).toEqual([["duplicate", 6, "later"]]);
    expect(classes(rows.map((row) => ({ ...row, order: `id-${row.order}` })))).toEqual([]);
  });

  it("by day, with the nearest of several", () => {
    const far = makeEntry("far", "2030-06-20", "9", LATER.postings as unknown as object[]);
    const rows = [...ENTRIES, far].flatMap(toRows).map(withoutOrder);
    const found = classes(
      rows.map((row, at) => (at === 3 ? { ...row, date: "2030-06-06" } : row)),
      [...ENTRIES, far],
    );
    expect(found).toEqual([["different-day", 4, "later"]]);
  });
});

it("An instant belongs to the day in the company's zone", () => {
  const rows = ROWS.map((row) => ({
    ...row,
    date: row.date === "2030-06-01" ? "2030-05-31T22:30:00Z" : (row.date ?? ""),
  }));
  expect(compare(ENTRIES, rows)).toEqual([]);
});

it("A row from JSON may have null as its date", () => {
  const rows = ROWS.map((row) => ({ ...row, date: null }));
  expect(compare(ENTRIES, rows as unknown as OwnPosting[])).toEqual([]);
});

it("A finding shows both sides and the command for details", () => {
  expect(compare(ENTRIES, change(3, { order: "7" }))).toEqual([
    {
      class: "different-order",
      says: "The row names another order.",
      row: 4,
      entry: "later",
      number: "later",
      order: "8",
      account: "PAYMENT",
      why: "sandbox why later",
      expected: "2030-06-04 PAYMENT DEBIT DKK 300.00 order 8",
      found: "2030-06-04 PAYMENT DEBIT DKK 300 order 7",
    },
  ]);
});
