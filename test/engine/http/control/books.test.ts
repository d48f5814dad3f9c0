// The books as the control surface reads them: each account, what must add up and what breaks it, one order and why something is left.
import { describe, expect, it } from "vitest";
import {
  listEntries,
  showBookedEntry,
  showLedger,
  walkTrialBalance,
} from "../../../../src/engine/domain/money/books.ts";
import { price } from "../../../../src/engine/domain/money/money.ts";
import { renewWorld, shareSandbox, type TestWorld } from "../../../sandbox.ts";
import { ANNA, book as bookIn, item, worldForTests } from "../../../world-for-tests.ts";
import { advance, done, smallWorld } from "../../operations/kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = renewWorld(() => smallWorld(sandbox));

const get = async (world: TestWorld, path: string) => (await world.control("get", `books/${path}`)).body;
const paid = async (world: TestWorld): Promise<string> => {
  const input = { event_id: "evt-noon", customer: ANNA, items: [item("var-adult")], payments: [{}] };
  return (await done(world, "bookAsHost", input)).order_id;
};
interface Row {
  account: string;
  currency: string;
  opening: number;
  debit: number;
  credit: number;
  closing: number;
}
const brief = ({ accounts }: { accounts: Row[] }) =>
  accounts.map(({ account, opening, debit, credit, closing }) => [account, opening, debit, credit, closing]);

/** At once, as the server does it in slices. */
const judged = (world: ReturnType<typeof worldForTests>) =>
  world.change((tx) => complete(walkTrialBalance(tx, { zone: "UTC" })));

function complete<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const listBooked = (world: ReturnType<typeof worldForTests>, order: string) =>
  world.change((tx) =>
    listEntries(tx, { order, zone: "UTC", limit: 9 }).entries.map((entry) => ({
      ...entry,
      ...showBookedEntry(tx, entry, "UTC"),
    })),
  );

describe("The entries", () => {
  it.each(["of one order", "of all orders"])("%s are listed page by page, each once and in order", async (which) => {
    const order_id = await paid(world);
    await paid(world);
    for (const amount of [1000, 2000]) await done(world, "refundOrder", { order_id, amount });
    const filter = which === "of one order" ? `&order_id=${order_id}` : "";
    const numbersOf = ({ items }: { items: { number: string }[] }) => items.map(({ number }) => number);
    const all = numbersOf(await get(world, `entries?limit=100${filter}`));
    expect(all).toHaveLength(which === "of one order" ? 3 : 4);
    const pages: string[][] = [];
    let cursor = "";
    // One page more than there are entries: a cursor that does not advance would lead on for ever.
    do {
      const page = await get(world, `entries?limit=1${filter}${cursor}`);
      pages.push(numbersOf(page));
      cursor = page.next === undefined ? "" : `&cursor=${page.next}`;
    } while (cursor !== "" && pages.length <= all.length);
    expect(pages).toEqual(all.map((number) => [number]));
  });
});

describe("The trial balance", () => {
  it("has opening, debit, credit and closing of each account, by the days of the company", async () => {
    await paid(world);
    // It is 2030-06-01 11:00 in Copenhagen; the event ends on the next day.
    await advance(world, "P2D");
    const all = await get(world, "trial-balance");
    expect(brief(all)).toEqual([
      ["BOOKING_PREPAYMENT", 0, 20000, 25000, -5000],
      ["BOOKING_REVENUE", 0, 0, 20000, -20000],
      ["PAYMENT", 0, 25000, 0, 25000],
    ]);
    expect(all).toMatchObject({ entries: 2, zone: "Europe/Copenhagen", balanced: true });
    expect(all.currencies).toEqual([
      { currency: "DKK", exponent: 2, opening: 0, debit: 45000, credit: 45000, closing: 0 },
    ]);
    const second = await get(world, "trial-balance?from=2030-06-02&to=2030-06-03");
    expect(brief(second)).toEqual([
      ["BOOKING_PREPAYMENT", -25000, 20000, 0, -5000],
      ["BOOKING_REVENUE", 0, 0, 20000, -20000],
      ["PAYMENT", 25000, 0, 0, 25000],
    ]);
    expect(await get(world, "trial-balance?zone=Mars/Olympus")).toMatchObject({
      message: expect.stringContaining("is not an IANA time zone"),
    });
  });

  it("lists the entries and orders that break a rule, with both amounts", () => {
    const world = worldForTests();
    bookIn(world);
    world.advance("2030-06-04T00:00:00.000Z");
    expect(judged(world).checks.map(({ holds, checked }) => [holds, checked])).toEqual([
      [true, 2],
      [true, 1],
    ]);
    const [entry] = world.entries().filter(({ kind }) => kind === "REVENUE_RECOGNITION");
    if (!entry) throw new Error("nothing was recognised");
    const more = entry.postings.map((each) => ({
      ...each,
      amount: { ...each.amount, value: each.amount.value + 1 },
    }));
    world.change((tx) => tx.entries.put({ ...entry, postings: more }));
    const high = judged(world);
    expect(high.balanced).toBe(false);
    expect(high.checks.map(({ broken }) => broken.map(({ message }) => message))).toEqual([
      [],
      ["At the rate 0.25 DKK 398.41 of revenue is recognised; the net of what it keeps is DKK 398.40."],
    ]);
    world.change((tx) => tx.entries.put({ ...entry, postings: more.slice(1) }));
    const half = judged(world);
    expect(half.checks[0]?.broken).toEqual([
      { id: entry.id, number: entry.number, message: "Debits less credits are DKK -398.41." },
    ]);
  });

  it("counts no booking fee as revenue, and shows each currency with its own decimals", () => {
    const world = worldForTests();
    const { order_id } = bookIn(world, { booking_fee: true });
    // The fee and the tickets have the same VAT rate.
    for (const { postings, lines } of listBooked(world, order_id))
      expect(lines.map((own) => valuesOf(own, "gross"))).toEqual(postings.map(({ amount }) => amount.value));
    const ticket_variants = [{ id: "var-yen", name: "Adult", price: price(1200, "JPY"), vat_rate: "0.1" }];
    world.act("createExperience", { id: "exp-yen", name: "Tea", location_ids: ["loc-pier"], ticket_variants });
    const sessions = [{ start_time: "2030-06-02T12:00:00", end_time: "2030-06-02T13:00:00" }];
    world.act("createEvent", { id: "evt-yen", experience_id: "exp-yen", capacity: 3, sessions });
    bookIn(world, { event_id: "evt-yen", items: [item("var-yen")] });
    world.advance("2030-06-04T00:00:00.000Z");
    const { accounts, currencies, checks } = judged(world);
    expect(checks.map(({ checked, broken }) => [checked, broken])).toEqual([
      [4, []],
      [2, []],
    ]);
    expect(currencies.map(({ currency, exponent }) => `${currency} ${exponent}`)).toEqual(["DKK 2", "JPY 0"]);
    expect([...new Set(accounts.map(({ currency, exponent }) => `${currency} ${exponent}`))]).toEqual([
      ...["DKK 2", "JPY 0"],
    ]);
  });
});

describe("An order in the books", () => {
  it("shows the remaining prepayment, and why it is not zero yet", async () => {
    const id = await paid(world);
    const before = await get(world, `orders/${id}`);
    expect(before).toMatchObject({
      paid: { currency: "DKK", value: 25000, exponent: 2 },
      recognised: { value: 0 },
      prepayment: { value: 25000 },
      why: "Revenue is recognised when event evt-noon is over, at 2030-06-02T12:00:00.000Z.",
    });
    await advance(world, "P2D");
    const after = await get(world, `orders/${before.number}`);
    expect(after).toMatchObject({
      recognised: { value: 20000 },
      prepayment: { value: 5000 },
      vat: { value: 5000 },
      why: expect.stringContaining("The rest is VAT"),
    });
    expect(after.rows.map(({ kind, prepayment, left }: Record<string, unknown>) => [kind, prepayment, left])).toEqual([
      ["SALE", 25000, 25000],
      ["REVENUE_RECOGNITION", -20000, 5000],
    ]);
    expect((await world.control("get", "books/orders/none")).status).toBe(404);
  });

  it("distinguishes manual adjustments from pending refunds", async () => {
    const order_id = await paid(world);
    await advance(world, "P2D");
    await done(world, "recordAdjustment", { type: "BOOKING_PREPAYMENT", direction: "DEBIT", amount: 14, order_id });
    const { why } = await get(world, `orders/${order_id}`);
    expect(why).toBe("In addition to the VAT, DKK -0.14 was adjusted manually and stays.");
  });

  it("has nothing left once everything is refunded", () => {
    const world = worldForTests();
    const { id: booking_id, order_id } = bookIn(world, { customer: ANNA, items: [item("var-adult")] });
    world.act("cancelBooking", { booking_id, refund: "full" });
    const found = world.change((tx) => showLedger(tx, order_id));
    expect([found.prepayment.value, found.why, found.paid.value === found.refunded.value]).toEqual([
      0,
      undefined,
      true,
    ]);
  });

  it("promises no revenue of a cancelled booking, and shows the day on which a refund began", () => {
    const world = worldForTests({ "cancel-keeps-money": "at-event-end" });
    const { id: booking_id, order_id } = bookIn(world);
    world.act("cancelBooking", { booking_id, refund: "none" });
    expect(world.change((tx) => showLedger(tx, order_id)).why).toMatch(/^It was called off/);
    const [{ id: refund_id }] = world.act("refundOrder", { order_id, status: "INITIATED" }).refunds;
    world.advance("2030-06-02T00:00:00.000Z");
    world.act("refundOrder", { order_id, refund_id });
    const booked = listBooked(world, order_id).map((each) => `${each.kind} ${each.begun_on} ${each.booked_on}`);
    expect(booked).toEqual(["SALE 2030-06-01 2030-06-01", "REFUND 2030-06-01 2030-06-02"]);
  });
});

interface Line {
  gross?: { value: number };
  net: { value: number };
  vat?: { value: number };
}
interface Booked {
  kind: string;
  currency: string;
  cause?: { kind: string; id: string };
  settled_at?: string;
  postings: { type: string; direction: string; amount: { value: number }; lines: Line[] }[];
}
const valuesOf = (lines: readonly Line[], member: keyof Line) =>
  lines.reduce((all, line) => all + (line[member]?.value ?? 0), 0);

it("An entry shows what it was booked for, when the money moved, and the lines of each posting", async () => {
  const order_id = await paid(world);
  await done(world, "refundOrder", { order_id, amount: 10_000 });
  await advance(world, "P2D");
  await done(world, "refundOrder", { order_id });
  await done(world, "recordAdjustment", { type: "PAYMENT", direction: "DEBIT", amount: 100 });
  const { number } = await get(world, `orders/${order_id}`);
  const order: Booked[] = (await get(world, `entries?order_id=${number}`)).items;
  const { items: transactions } = (await world.call("listOrderTransactions", { path: { orderId: order_id } })).body;
  const { items: refunds } = (await world.call("listOrderRefunds", { path: { orderId: order_id } })).body;
  const refund = (at: number) => `refund ${refunds[at].id}`;
  expect(order.map(({ kind, cause }) => `${kind} ${cause?.kind} ${cause?.id}`)).toEqual([
    `SALE transaction ${transactions[0].id}`,
    `REFUND ${refund(0)}`,
    "REVENUE_RECOGNITION event evt-noon",
    `REFUND ${refund(1)}`,
    `REVENUE_RECOGNITION_REVERSAL ${refund(1)}`,
  ]);
  const all: (Booked & { id: string; occurred_at: string })[] = (await get(world, "entries")).items;
  expect(all.at(-1)?.cause).toEqual({ kind: "act", id: "recordAdjustment" });
  for (const { kind, postings, settled_at, occurred_at } of all) {
    expect(settled_at).toBe(/^(SALE|REFUND)$/.test(kind) ? occurred_at : undefined);
    for (const { amount, lines } of postings) {
      if (kind === "ADJUSTMENT") expect(lines).toEqual([]);
      else if (kind.startsWith("REVENUE")) expect(valuesOf(lines, "net")).toBe(amount.value);
      else {
        expect(valuesOf(lines, "gross")).toBe(amount.value);
        expect(valuesOf(lines, "net") + valuesOf(lines, "vat")).toBe(amount.value);
      }
    }
  }
  const own = (await world.call("getJournalEntry", { path: { journalEntryId: all[0]?.id ?? "" } })).body;
  expect(Object.keys(own)).not.toContain("cause");
  expect(Object.keys(own)).not.toContain("parts");
});

it("The trial balance is the sum of the postings in the API, in currencies of zero, two and three decimals", async () => {
  await paid(world);
  for (const [currency, value] of Object.entries({ JPY: 1200, KWD: 1234, DKK: 7 }))
    for (const direction of ["DEBIT", "CREDIT", "DEBIT"])
      await done(world, "recordAdjustment", { type: "PAYMENT", direction, amount: { value, currency } });
  await advance(world, "P2D");
  const { items } = (await world.call("listJournalEntries", {})).body as { items: Booked[] };
  const sums: Record<string, number> = {};
  for (const { currency, postings } of items)
    for (const { type, direction, amount } of postings) {
      const key = `${currency} ${type}`;
      sums[key] = (sums[key] ?? 0) + (direction === "DEBIT" ? amount.value : -amount.value);
    }
  const { accounts, currencies } = await get(world, "trial-balance");
  const closing = accounts.map((row: Row) => [`${row.currency} ${row.account}`, row.closing]);
  expect(Object.fromEntries(closing)).toEqual(sums);
  const inYen = accounts.find(({ account, currency }: Row) => `${account} ${currency}` === "PAYMENT JPY");
  expect(inYen.kinds).toEqual([
    { kind: "ADJUSTMENT", direction: "DEBIT", count: 2, value: 2400 },
    { kind: "ADJUSTMENT", direction: "CREDIT", count: 1, value: 1200 },
  ]);
  expect(currencies.map(({ currency, exponent }: Record<string, unknown>) => [currency, exponent])).toEqual([
    ["DKK", 2],
    ["JPY", 0],
    ["KWD", 3],
  ]);
});

it("The day on which the clocks go back has 25 hours", async () => {
  for (const now of ["2030-10-26T21:59", "2030-10-26T22:00", "2030-10-27T22:59", "2030-10-27T23:00"]) {
    await world.control("put", "clock", { now: `${now}:00.000Z` });
    await done(world, "recordAdjustment", { type: "PAYMENT", direction: "DEBIT", amount: 100 });
  }
  const days = "from=2030-10-27&to=2030-10-28";
  const { items } = await get(world, `entries?${days}`);
  expect(items.map(({ occurred_at, booked_on }: Record<string, string>) => `${occurred_at} ${booked_on}`)).toEqual([
    "2030-10-26T22:00:00.000Z 2030-10-27",
    "2030-10-27T22:59:00.000Z 2030-10-27",
  ]);
  expect(await get(world, `trial-balance?${days}`)).toMatchObject({ entries: 2 });
  const inUtc = (await get(world, "entries?from=2030-10-26&to=2030-10-27&zone=UTC")).items;
  expect(inUtc.map(({ booked_on }: Record<string, string>) => booked_on)).toEqual(["2030-10-26", "2030-10-26"]);
});
