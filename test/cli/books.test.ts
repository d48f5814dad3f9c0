// The books at the command line: as a table, for other programs, the trial balance, and an order as a T-account.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { boot, type Running } from "../../src/cli/boot.ts";
import { defaults } from "../../src/engine/settings.ts";
import { runHere } from "./in-process.ts";

let running: Running;
let at: { SANDBOX_URL: string };

beforeAll(async () => {
  running = await boot({ ...defaults, clock: "2030-06-01T09:00:00.000Z" });
  at = { SANDBOX_URL: running.introduction.announcement.url };
});
afterAll(() => running.close());

const run = (...words: string[]) => runHere(["books", ...words], at);
const printed = async (...words: string[]) => (await run(...words)).stdout.trimEnd().split("\n");

it("The entries are printed whole, with what each was booked for, and as JSON and CSV", async () => {
  const { items } = JSON.parse((await run("--json")).stdout);
  expect(items.length).toBeGreaterThan(100);
  const postings = items.reduce((all: number, { postings: own }: { postings: unknown[] }) => all + own.length, 0);
  expect(await printed()).toHaveLength(postings);
  const [heading, first, ...rest] = await printed("entries", "--format", "csv");
  expect(heading).toBe(
    "entry,number,booked_on,occurred_at,settled_at,kind,order,cause,account,vat_rate,debit,credit,currency",
  );
  const { id, booked_on, occurred_at, kind, order_number, cause } = items[0];
  const [posting] = items[0].postings;
  const debit = (posting.amount.value / 100).toFixed(2);
  expect(first).toBe(
    [id, 1, booked_on, occurred_at, occurred_at, kind, order_number, `${cause.kind} ${cause.id}`]
      .concat(posting.type, "", debit, "", "DKK")
      .join(),
  );
  expect(rest).toHaveLength(postings - 1);
});

it("hledger adds up what is written for it, to the accounts of the trial balance", async () => {
  const { stdout: journal } = await run("entries", "--format", "hledger");
  const { accounts } = JSON.parse((await run("balance", "--json")).stdout);
  const mine = new Map<string, number>();
  for (const [, account = "", currency = "", value = ""] of journal.matchAll(
    /^ {4}(\w+) {2}([A-Z]{3}) (-?[\d.]+)$/gm,
  )) {
    const key = `${account} ${currency}`;
    mine.set(key, (mine.get(key) ?? 0) + Number(value.replace(".", "")));
  }
  const theirs = accounts.map((row: Record<string, unknown>) => [`${row.account} ${row.currency}`, row.closing]);
  expect(Object.fromEntries(mine)).toEqual(Object.fromEntries(theirs));
  const checked = spawnSync("hledger", ["-f", "-", "check"], { input: journal, encoding: "utf8" });
  // A machine without the program has only the sums above.
  if (!checked.error) expect([checked.status, checked.stderr]).toEqual([0, ""]);
});

it("An order is a T-account with the reason for what is left, and a wrong order a sentence", async () => {
  const lines = await printed("order", "1042");
  expect(lines[0]).toBe("Order 1042");
  expect(lines.at(-1)).toMatch(/^(What is left is VAT|Revenue is recognised when)/);
  expect(await printed("entries", "--order-id", "1042", "--format", "csv")).toContainEqual(
    expect.stringContaining(",1042,transaction "),
  );
  const none = await run("order", "none");
  expect([none.code, none.stdout, none.stderr.split(".")[0]]).toEqual([1, "", "There is no order none"]);
});

it("The trial balance names each account in the decimals of its currency, and says that the books add up", async () => {
  const lines = await printed("balance");
  expect(lines.find((line) => line.startsWith("PAYMENT") && line.includes("KWD"))).toMatch(/ \d+\.\d{3}$/);
  expect(lines.find((line) => line.startsWith("PAYMENT") && line.includes("JPY"))).toMatch(/ \d+$/);
  expect(lines.slice(-2).map((line) => line.split("  ")[0])).toEqual(["holds", "holds"]);
});
