// An integrator's books held against the journal: equal books give nothing, and each usual mistake exactly its class, in shipped worlds
// and in worlds after random histories. A hundred of these in the long run.
import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Entry } from "../../src/client/book-pages.ts";
import { CLASSES, type OwnPosting, reconcile } from "../../src/client/reconcile.ts";
import { extent } from "../extent.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";
import { entriesAfter, type Kept, MISTAKES, type Names, namedBy, plant, retained } from "./own-books.ts";

const SEEDS = extent(2, 20, 100);
const seeds = [...Array(SEEDS).keys()];
const FORMS: readonly Names[] = ["entry", "order", "date"];

let sandbox: TestSandbox;
const shipped = new Map<string, Entry[]>();
beforeAll(async () => {
  sandbox = await openSandbox();
  for (const fixture of readdirSync("fixtures")) {
    const world = await sandbox.world({ fixture });
    const entries: Entry[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { body } = await world.control("get", `books/entries?limit=500${cursor && `&cursor=${cursor}`}`);
      entries.push(...body.items);
      cursor = body.next;
    }
    shipped.set(fixture, entries);
  }
  harbour = retained(shipped.get("harbour-tours") ?? []);
});
afterAll(() => sandbox.close());

/** Of a seed, and of the shipped world, which has what the random ones have not. */
const random = new Map<number, Kept[]>();
const booksOf = (seed: number): Kept[] => {
  const books = random.get(seed) ?? retained(entriesAfter(seed));
  random.set(seed, books);
  return books;
};
let harbour: Kept[];

const findingsIn = async (entries: readonly Entry[], rows: readonly OwnPosting[]) =>
  (await reconcile([entries], rows)).findings;

/** A reproducible disorder. */
function shuffled(rows: readonly OwnPosting[], seed: number): OwnPosting[] {
  const hash = (row: OwnPosting) =>
    [...JSON.stringify(row)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, seed);
  return [...rows].sort((one, other) => hash(one) - hash(other));
}

describe("Books that are right agree, by the ids of the entries, by orders and by days,", () => {
  it.each(readdirSync("fixtures"))("in the world %s", async (fixture) => {
    const entries = shipped.get(fixture) ?? [];
    for (const form of FORMS) {
      const rows = retained(entries).map(({ own }) => namedBy(form, own));
      expect(await findingsIn(entries, shuffled(rows, 7))).toEqual([]);
    }
  });

  it("after random histories", async () => {
    for (const seed of seeds) {
      const books = booksOf(seed);
      for (const form of FORMS) {
        const rows = books.map(({ own }) => namedBy(form, own));
        expect(await findingsIn(entriesOf(books), shuffled(rows, seed)), `seed ${seed}`).toEqual([]);
      }
    }
  });
});

const classOf = (mistake: string) => mistake.split(",", 1)[0] as string;

it("Every class is planted", () => {
  expect([...new Set(Object.keys(MISTAKES).map(classOf))].sort()).toEqual(Object.keys(CLASSES).sort());
});

describe("A mistake gives its class, there, and no other", () => {
  it.each(Object.keys(MISTAKES))("%s", async (name) => {
    let planted = 0;
    for (const seed of seeds)
      for (const form of ["entry", "order"] as const) {
        const tried = plant(name, { books: booksOf(seed), form, seed }) ?? plant(name, { books: harbour, form, seed });
        if (!tried) continue;
        planted++;
        const { books, place, rows } = tried;
        for (const written of [rows, rows.map(withSign)]) {
          const found = await findingsIn(entriesOf(books), written);
          expect(
            found.map((each) => [each.class, each.entry]),
            `seed ${seed} by ${form}: ${JSON.stringify(place.own)} ${JSON.stringify(found)}`,
          ).toEqual([
            [classOf(name), name === "not-ours" ? rows.find(({ entry }) => entry === "none")?.entry : place.entry.id],
          ]);
        }
      }
    expect(planted).toBeGreaterThan(seeds.length / 2);
  });
});

/** In one column, with a minus before a credit. */
const withSign = ({ debit, credit, ...own }: OwnPosting): OwnPosting => ({ ...own, amount: debit ?? `-${credit}` });

const entriesOf = (books: readonly Kept[]): Entry[] => [...new Set(books.map(({ entry }) => entry))];

describe("In an order whose refund takes back revenue of two VAT rates on the same day,", () => {
  const ORDER = "1043";
  const rowsOfOrder = () => harbour.filter(({ own }) => own.order === ORDER);

  it.each(["columns", "signs"])("a row that is left out is missing, and no other, with %s", async (form) => {
    for (const out of rowsOfOrder()) {
      const rows = harbour.filter((each) => each !== out).map(({ own }) => namedBy("order", own));
      const found = await findingsIn(entriesOf(harbour), form === "signs" ? rows.map(withSign) : rows);
      expect(found.map((each) => [each.class, each.expected])).toEqual([
        ["missing", expect.stringContaining(`${out.posting.type} ${out.posting.direction} `)],
      ]);
    }
  });

  it.each(["columns", "signs"])("a refund on the other sides is that and nothing else, with %s", async (form) => {
    const rows = harbour.map(({ own, entry }) => {
      const { debit, credit, ...row } = namedBy("order", own);
      const sides = entry.kind === "REFUND" ? { debit: credit, credit: debit } : { debit, credit };
      return {
        ...row,
        ...(sides.debit === undefined ? { credit: sides.credit } : { debit: sides.debit }),
      } as OwnPosting;
    });
    const found = await findingsIn(entriesOf(harbour), form === "signs" ? rows.map(withSign) : rows);
    expect(found.map((each) => each.class)).toEqual(
      harbour.filter(({ entry }) => entry.kind === "REFUND").map(() => "side"),
    );
  });
});

it.each<[string, (own: OwnPosting) => OwnPosting]>([
  ["on another day", (own) => ({ ...own, date: "2030-07-01" })],
  [
    "with another amount",
    ({ debit, credit, ...own }) => ({ ...own, ...(debit ? { debit: "1.00" } : { credit: "1.00" }) }),
  ],
])("An entry that is booked again %s is booked twice", async (_, changed) => {
  for (const { entry } of harbour.filter((each) => each.entry.kind === "REFUND")) {
    const again = harbour.filter((each) => each.entry === entry).map(({ own }) => changed(own));
    const found = await findingsIn(entriesOf(harbour), [...harbour.map(({ own }) => own), ...again]);
    expect(found.map((each) => [each.class, each.entry, each.account, each.why])).toEqual(
      again.map(({ account }) => ["twice", entry.id, account, `sandbox why ${entry.id}`]),
    );
  }
});

it("A row that says no more than the day leaves to a row of an order what is of that order", async () => {
  const entry = { kind: "SALE" as const, occurred_at: "2030-06-03T10:00:00.000Z", currency: "DKK" };
  const amount = { currency: "DKK", value: 2994, exponent: 2 };
  const postings = [{ type: "GIFT_CARD_LIABILITY", direction: "CREDIT", amount, lines: [] }];
  const entries: Entry[] = [
    { ...entry, id: "one", number: "1", booked_on: "2030-06-03", order_number: "7", postings },
    { ...entry, id: "two", number: "2", booked_on: "2030-06-03", postings },
  ];
  const own = { date: "2030-06-03", account: "GIFT_CARD_LIABILITY", credit: "29.94" };
  expect(await findingsIn(entries, [own, { ...own, order: "7" }])).toEqual([]);
});

describe("The side of an amount", () => {
  /** The amounts of a row, in the form of some books. */
  type Form = (
    amount: string,
    is: { debit: boolean; refund: boolean },
  ) => Pick<OwnPosting, "amount" | "debit" | "credit">;
  const minus: Form = (amount, { debit }) => ({ amount: debit ? amount : `-${amount}` });
  const plus: Form = (amount, { debit }) => ({ amount: debit ? `-${amount}` : amount });

  it.each<[string, Form, string[]]>([
    [
      "is the column that is not 0",
      (amount, { debit }) => (debit ? { debit: amount, credit: 0 } : { debit: "0.00", credit: amount }),
      [],
    ],
    [
      "is the other one behind a minus",
      (amount, { debit }) => (debit ? { credit: `-${amount}` } : { debit: `-${amount}` }),
      [],
    ],
    ["is not said without a sign", (amount) => ({ amount }), []],
    ["is said by a minus of the credit", minus, []],
    ["is said by a minus of the debit", plus, []],
    [
      "differs where refunds are booked as sales",
      (amount, is) => (is.refund ? plus : minus)(amount, is),
      ["side REFUND"],
    ],
    [
      "is not said by a minus of what is given back",
      (amount, { refund }) => ({ amount: `${refund ? "-" : ""}${amount}` }),
      [],
    ],
  ])("%s", async (_, form, expected) => {
    const entries = shipped.get("harbour-tours") ?? [];
    const kinds = new Map(entries.map(({ id, kind }) => [id, kind]));
    const rows = harbour.map(({ own: { debit, credit, amount: _amount, ...row }, entry }) => ({
      ...row,
      ...form(`${debit ?? credit}`, { debit: debit !== undefined, refund: entry.kind === "REFUND" }),
    }));
    const found = await findingsIn(entries, rows);
    expect([...new Set(found.map((each) => `${each.class} ${kinds.get(each.entry ?? "")}`))]).toEqual(expected);
  });

  it("differs behind a minus in its own column", async () => {
    const at = harbour.findIndex(({ own, entry }) => entry.kind === "SALE" && own.debit !== undefined);
    const rows = harbour.map(({ own }, index) => (index === at ? { ...own, debit: `-${own.debit}` } : own));
    expect(await findingsIn(shipped.get("harbour-tours") ?? [], rows)).toEqual([
      expect.objectContaining({ class: "side", row: at + 1, found: expect.stringContaining(" CREDIT ") }),
    ]);
  });
});
