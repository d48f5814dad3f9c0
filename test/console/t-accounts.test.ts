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
  expect(dkk.map(({ name }) => name)).toContain("BOOKING_PREPAYMENT");
  expect(dkk.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
  const payment = dkk.find(({ name }) => name === "PAYMENT");
  expect(payment?.debit.map(({ kind }) => kind)).toEqual(["SALE"]);
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
  expect(identitiesOf(wrong, lines)[1]?.broken[0]).toContain(recognised.order_id);
  const half = entries.map((entry) => (entry === recognised ? { ...entry, postings: more.slice(1) } : entry));
  expect(identitiesOf(half, lines)[0]?.broken).toEqual([recognised.number]);
});

test("money is written with the decimals of its currency", () => {
  expect([moneyText(123450), moneyText(-500, 0), moneyText(1234, 3)]).toEqual(["1,234.50", "-500", "1.234"]);
});
