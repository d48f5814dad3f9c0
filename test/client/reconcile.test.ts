// An integrator's books held against the journal: equal books give nothing, and each usual mistake exactly its class.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../../src/client/book-pages.ts";
import type { Schemas } from "../../src/client/control.ts";
import { type OwnPosting, reconcile } from "../../src/client/reconcile.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

interface Posting {
  type: string;
  direction: "DEBIT" | "CREDIT";
  amount: Schemas["BookAmount"];
  lines: Schemas["BookLine"][];
}
interface Kept {
  own: OwnPosting;
  entry: Entry;
  posting: Posting;
}

let sandbox: TestSandbox;
let entries: Entry[];
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
  const world = await sandbox.world({ fixture: "harbour-tours" });
  let cursor = "";
  entries = [];
  do {
    const { body } = await world.control("get", `books/entries?limit=500${cursor && `&cursor=${cursor}`}`);
    entries.push(...body.items);
    cursor = body.next ?? "";
  } while (cursor !== "");
});
afterAll(() => sandbox.close());

const major = ({ value, exponent }: Schemas["BookAmount"], by = 0) => (value / 10 ** (exponent + by)).toFixed(6);

/** The books as they should be kept. */
const kept = (): Kept[] =>
  entries.flatMap((entry) =>
    (entry.postings as unknown as Posting[]).map((posting) => ({
      entry,
      posting,
      own: {
        entry: entry.id,
        ...(entry.order_number && { order: entry.order_number }),
        date: entry.booked_on,
        account: posting.type,
        [posting.direction === "DEBIT" ? "debit" : "credit"]: major(posting.amount),
        currency: posting.amount.currency,
      },
    })),
  );

const amountOf = (own: OwnPosting, amount: string): OwnPosting => ({
  ...own,
  ...(own.debit === undefined ? { credit: amount } : { debit: amount }),
});
const total = (values: readonly { value: number }[]) => values.reduce((sum, { value }) => sum + value, 0);
const inMajor = (value: number, { exponent }: Schemas["BookAmount"]) => (value / 10 ** exponent).toFixed(exponent);
const isRevenue = ({ entry }: Kept) => entry.kind.startsWith("REVENUE_");
const vatOf = ({ posting }: Kept) => total(posting.lines.flatMap(({ vat }) => vat ?? []));

/** Class → how the mistake is made, and where it can be. */
const PLANTED: Record<string, { in: (kept: Kept) => boolean; make: (kept: Kept) => OwnPosting[] }> = {
  missing: { in: () => true, make: () => [] },
  twice: { in: () => true, make: ({ own }) => [own, { ...own }] },
  "not-ours": { in: ({ own }) => own.order !== undefined, make: ({ own }) => [own, { ...own, entry: "none" }] },
  "net-for-gross": {
    in: (each) => !isRevenue(each) && vatOf(each) > 0,
    make: (each) => [amountOf(each.own, inMajor(total(each.posting.lines.map(({ net }) => net)), each.posting.amount))],
  },
  "gross-for-net": {
    in: (each) => isRevenue(each) && each.posting.lines.every((line) => Number(line.vat_rate) > 0),
    make: ({ own, posting }) => {
      const gross = posting.lines.reduce(
        (sum, { net, vat_rate }) => sum + Math.round(net.value * (1 + Number(vat_rate))),
        0,
      );
      return [amountOf(own, inMajor(gross, posting.amount))];
    },
  },
  decimals: {
    in: ({ posting }) => posting.amount.exponent !== 2,
    make: ({ own, posting }) => [amountOf(own, String(posting.amount.value / 100))],
  },
  rounding: {
    in: (each) => isRevenue(each) && each.posting.lines.length > 0,
    make: ({ own, posting }) => [amountOf(own, inMajor(posting.amount.value + 1, posting.amount))],
  },
  "utc-day": {
    in: ({ entry }) => entry.occurred_at.slice(0, 10) !== entry.booked_on,
    make: ({ own, entry }) => [{ ...own, date: entry.occurred_at.slice(0, 10) }],
  },
  "order-day": {
    in: (each) =>
      isRevenue(each) &&
      ![each.entry.booked_on, each.entry.occurred_at.slice(0, 10), each.entry.begun_on].includes(
        each.entry.ordered_on ?? "",
      ),
    make: ({ own, entry }) => [{ ...own, date: String(entry.ordered_on ?? "") }],
  },
  "card-sold-as-revenue": {
    in: ({ entry, posting }) =>
      entry.kind === "SALE" && posting.type === "GIFT_CARD_LIABILITY" && posting.direction === "CREDIT",
    make: ({ own }) => [{ ...own, account: "BOOKING_REVENUE" }],
  },
  "card-redeemed-as-payment": {
    in: ({ entry, posting }) =>
      entry.kind === "SALE" && posting.type === "GIFT_CARD_LIABILITY" && posting.direction === "DEBIT",
    make: ({ own }) => [{ ...own, account: "PAYMENT" }],
  },
  "fee-on-prepayment": {
    in: ({ posting }) => posting.type === "BOOKING_FEE_REVENUE",
    make: ({ own }) => [{ ...own, account: "BOOKING_PREPAYMENT" }],
  },
  "currency-mixed": {
    in: ({ posting }) => posting.amount.currency !== "EUR",
    make: ({ own }) => [{ ...own, currency: "EUR" }],
  },
};

describe("Own books held against the journal", () => {
  it("agree where they are equal, in any order, with the ids of the entries and without", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), async (seed, byEntry) => {
        const rows = kept().map(({ own: { entry, ...rest } }) => (byEntry && entry ? { entry, ...rest } : rest));
        rows.sort((one, other) => hash(one, seed) - hash(other, seed));
        expect((await reconcile([entries], rows)).findings).toEqual([]);
      }),
      { numRuns: 4 },
    );
  });

  it.each(Object.entries(PLANTED))(
    "with the mistake %s give exactly that class, at that entry",
    async (name, planted) => {
      const places = kept().flatMap((each, at) => (planted.in(each) ? [at] : []));
      expect(places.length, `${name} can be planted nowhere`).toBeGreaterThan(0);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), async (at) => {
          const rows = kept().flatMap((each, index) => (index === at ? planted.make(each) : [each.own]));
          const { agrees, findings } = await reconcile([entries], rows);
          expect([agrees, findings.map((finding) => finding.class)]).toEqual([false, [name]]);
          if (name !== "not-ours")
            expect(findings[0]).toMatchObject({
              entry: kept()[at]?.entry.id,
              why: `sandbox why ${kept()[at]?.entry.id}`,
            });
        }),
        { numRuns: process.env.SANDBOX_LONG ? 100 : 3 },
      );
    },
  );
});

const dkk = (value: number) => ({ currency: "DKK", value, exponent: 2 });
const line = (line_id: string, gross: number, net: number) => ({
  ...{ line_id, vat_rate: "0.25", gross: dkk(gross), net: dkk(net), vat: dkk(gross - net) },
});

/** A booking of 250.00 with a fee of 20.00, settled two days after it was begun, and an event a week later. */
const SALE: Entry = {
  ...{ id: "sale", kind: "SALE", number: "1", occurred_at: "2030-06-03T10:00:00.000Z", currency: "DKK" },
  ...{ booked_on: "2030-06-03", begun_on: "2030-06-01", ordered_on: "2030-06-01", order_number: "7" },
  postings: [
    { type: "PAYMENT", direction: "DEBIT", amount: dkk(27000), lines: [] },
    { type: "BOOKING_PREPAYMENT", direction: "CREDIT", amount: dkk(25000), lines: [line("a", 25000, 20000)] },
    { type: "BOOKING_FEE_REVENUE", direction: "CREDIT", amount: dkk(2000), lines: [line("b", 2000, 1600)] },
  ],
};
const REVENUE: Entry = {
  ...{ id: "revenue", kind: "REVENUE_RECOGNITION", number: "2", occurred_at: "2030-06-10T10:00:00.000Z" },
  ...{ currency: "DKK", booked_on: "2030-06-10", ordered_on: "2030-06-01", order_number: "7" },
  postings: [
    { type: "BOOKING_PREPAYMENT", direction: "DEBIT", amount: dkk(20000), lines: [] },
    { type: "BOOKING_REVENUE", direction: "CREDIT", amount: dkk(20000), lines: [] },
  ],
};
const REFUND: Entry = {
  ...{ id: "refund", kind: "REFUND", number: "3", occurred_at: "2030-06-11T10:00:00.000Z", currency: "DKK" },
  ...{ booked_on: "2030-06-11", order_number: "7" },
  postings: [
    { type: "BOOKING_PREPAYMENT", direction: "DEBIT", amount: dkk(5000), lines: [line("a", 5000, 4000)] },
    { type: "BOOKING_FEE_REVENUE", direction: "DEBIT", amount: dkk(400), lines: [line("b", 400, 320)] },
    { type: "PAYMENT", direction: "CREDIT", amount: dkk(5400), lines: [] },
  ],
};
const BY_HAND: [name: string, row: number, instead: OwnPosting[]][] = [
  ["begun-day", 1, [{ order: "7", date: "2030-06-01", account: "PAYMENT", debit: "270.00" }]],
  ["fee-later", 3, [{ order: "7", date: "2030-06-10", account: "BOOKING_FEE_REVENUE", credit: "20.00" }]],
  ["account", 1, [{ order: "7", date: "2030-06-03", account: "SETTLEMENT", debit: "270.00" }]],
  ["amount", 1, [{ order: "7", date: "2030-06-03", account: "PAYMENT", debit: "271.00" }]],
  ["side", 1, [{ order: "7", date: "2030-06-03", account: "PAYMENT", credit: "270.00" }]],
  ["day", 1, [{ order: "7", date: "2030-06-29", account: "PAYMENT", debit: "270.00" }]],
];

describe("Books of one order without ids of entries", () => {
  const own: OwnPosting[] = [SALE, REVENUE, REFUND].flatMap((entry) =>
    (entry.postings as unknown as Posting[]).map(({ type, direction, amount }) => ({
      ...{ order: "7", date: entry.booked_on, account: type },
      [direction.toLowerCase()]: major(amount),
    })),
  );
  const classes = async (rows: readonly OwnPosting[]) =>
    (await reconcile([[SALE, REVENUE, REFUND]], rows)).findings.map((finding) => [finding.class, finding.row]);

  it.each(BY_HAND)("with %s in row %i say so", async (name, row, instead) => {
    expect(await classes(own)).toEqual([]);
    expect(await classes(own.toSpliced(row - 1, 1, ...instead))).toEqual([[name, row]]);
  });

  it("say of a refund on one account that it is to be split", async () => {
    const whole = { order: "7", date: "2030-06-11", account: "BOOKING_PREPAYMENT", debit: "54.00" };
    expect(await classes(own.toSpliced(5, 2, whole))).toEqual([["refund-not-split", 6]]);
  });
});

/** A reproducible disorder. */
function hash(row: OwnPosting, seed: number): number {
  let sum = seed;
  for (const letter of JSON.stringify(row)) sum = (sum * 31 + letter.charCodeAt(0)) % 1_000_003;
  return sum;
}
