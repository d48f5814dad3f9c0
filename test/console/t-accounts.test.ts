// The journal of a shipped world as T-accounts, and its identities, which a changed posting breaks.
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountsOf, type EntryRecord, identitiesOf, moneyText } from "../../src/console/records/t-accounts.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

let sandbox: TestSandbox;
let entries: EntryRecord[] = [];
let lines: (orderId: string) => number = () => 0;

beforeAll(async () => {
  sandbox = await openSandbox();
  const world = await sandbox.world({ fixture: "harbour-tours" });
  await world.control("post", "clock/advance", { by: "P10D" });
  const { collections } = (await world.control("get", "state")).body;
  entries = collections.entries;
  const orders = new Map<string, number>(
    collections.orders.map((order: { id: string; line_items: unknown[] }) => [order.id, order.line_items.length]),
  );
  lines = (id) => orders.get(id) ?? 0;
});
afterAll(() => sandbox.close());

test("accounts have two sides by kind of entry, and balances that add up to nothing", () => {
  const accounts = accountsOf(entries);
  const dkk = accounts.filter(({ currency }) => currency === "DKK");
  expect(dkk.map(({ name }) => name)).toEqual([
    ...["ADJUSTMENT", "BOOKING_FEE_REVENUE", "BOOKING_PREPAYMENT", "BOOKING_REVENUE"],
    ...["GIFT_CARD_BREAKAGE", "GIFT_CARD_LIABILITY", "PAYMENT", "SETTLEMENT"],
  ]);
  expect(dkk.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  const payment = dkk.find(({ name }) => name === "PAYMENT");
  expect(payment?.debit.map(({ kind }) => kind)).toEqual(["SALE"]);
});

test("an account has the lines of its own currency, with how many and how much, in the decimals of that currency", () => {
  const entry = (kind: string, currency: string, value: number): EntryRecord => ({
    ...{ id: "ent", kind, number: "1", currency, occurred_at: "2030-06-01T09:00:00.000Z" },
    postings: [
      { type: "PAYMENT", direction: "DEBIT", amount: { currency, value, exponent: currency === "JPY" ? 0 : 2 } },
      { type: "PREPAYMENT", direction: "CREDIT", amount: { currency, value, exponent: currency === "JPY" ? 0 : 2 } },
    ],
  });
  const made = [entry("SALE", "DKK", 5), entry("SALE", "DKK", 7), entry("REFUND", "DKK", -2), entry("SALE", "JPY", 9)];
  const [dkk, jpy] = [
    [
      { kind: "SALE", count: 2, value: 12 },
      { kind: "REFUND", count: 1, value: -2 },
    ],
    [{ kind: "SALE", count: 1, value: 9 }],
  ];
  expect(accountsOf(made)).toEqual([
    { name: "PAYMENT", currency: "DKK", exponent: 2, debit: dkk, credit: [], balance: 10 },
    { name: "PREPAYMENT", currency: "DKK", exponent: 2, debit: [], credit: dkk, balance: -10 },
    { name: "PAYMENT", currency: "JPY", exponent: 0, debit: jpy, credit: [], balance: 9 },
    { name: "PREPAYMENT", currency: "JPY", exponent: 0, debit: [], credit: jpy, balance: -9 },
  ]);
});

test.each([
  [0, 1, true],
  [0, 2, false],
  [3, 3, true],
  [3, 4, false],
])("with %i lines a net may be off by rounding: by %i, %s", (lines, off, holds) => {
  const posted = (kind: string, type: string, value: number): EntryRecord => ({
    ...{ id: kind, kind, number: kind, currency: "DKK", order_id: "ord-1", occurred_at: "2030-06-01T09:00:00.000Z" },
    postings: [
      { type, direction: "CREDIT", amount: { currency: "DKK", value }, vat_rate: "0" },
      { type: "OTHER", direction: "DEBIT", amount: { currency: "DKK", value } },
    ],
  });
  const recognised = posted("REVENUE_RECOGNITION", "BOOKING_PREPAYMENT", -(100 + off));
  const [, identity] = identitiesOf([posted("SALE", "BOOKING_PREPAYMENT", 100), recognised], () => lines);
  expect(identity).toEqual({
    sentence: "Net prepayments sold less refunded equal the revenue recognised less reversed.",
    ...{ holds, broken: holds ? [] : ["ord-1 at 0"], checked: 1 },
  });
});

test("the identities hold for a world in order, and name what breaks them", () => {
  expect(identitiesOf(entries, lines).map(({ holds }) => holds)).toEqual([true, true]);
  expect(identitiesOf(entries, lines).every(({ checked }) => checked > 5)).toBe(true);
  const recognised = entries.find(({ kind }) => kind === "REVENUE_RECOGNITION") as EntryRecord;
  const more = recognised.postings.map((posting) => ({
    ...posting,
    amount: { ...posting.amount, value: posting.amount.value + 1000 },
  }));
  const wrong = entries.map((entry) => (entry === recognised ? { ...entry, postings: more } : entry));
  expect(identitiesOf(wrong, lines)[0]?.holds).toBe(true);
  expect(identitiesOf(wrong, lines)[1]?.broken).toEqual([expect.stringContaining(`${recognised.order_id} at `)]);
  const half = entries.map((entry) => (entry === recognised ? { ...entry, postings: more.slice(1) } : entry));
  expect(identitiesOf(half, lines)[0]?.broken).toEqual([recognised.number]);
});

test("money is written with the decimals of its currency", () => {
  expect([moneyText(123450), moneyText(-500, 0), moneyText(1234, 3)]).toEqual(["1,234.50", "-500", "1.234"]);
});
