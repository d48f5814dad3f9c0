// Plain-text accounting reads what is written for it, finds nothing wrong, and adds up the same: to the unit, in currencies of none, two,
// three and four decimals. Needs the program hledger.
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere, sandboxOfTests } from "../cli/in-process.ts";
import { actRows, inputFor } from "../engine/app/act-rows.ts";
import { advance, done, smallWorld } from "../engine/operations/kit.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

const isThere = spawnSync("hledger", ["--version"]).error === undefined;
if (!isThere) process.stdout.write("!!! hledger is not installed, so nobody else adds up the books\n");

const at = sandboxOfTests();

const printed = async (...words: string[]): Promise<string> => {
  const { stdout, stderr, code } = await runHere(words, at);
  if (code !== 0) throw new Error(`sandbox ${words.join(" ")}: ${stderr}`);
  return stdout;
};

function hledger(journal: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync("hledger", ["-f", "-", ...words], { input: journal, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

type Sums = Record<string, number>;

/** Account and currency → what stands there, in minor units: by hledger, and by the trial balance. */
async function bothSums(...where: string[]): Promise<[theirs: Sums, ours: Sums]> {
  const journal = await printed("books", "entries", "--format", "hledger", ...where);
  hledger(journal, "check");
  const { accounts, currencies } = JSON.parse(await printed("books", "balance", "--json", ...where));
  const exponents = new Map<string, number>(
    currencies.map(({ currency, exponent }: Record<string, unknown>) => [currency, exponent]),
  );
  const lines = hledger(journal, "balance", "--no-total", "--empty", "--layout=bare", "-O", "csv").trim().split("\n");
  const theirs = lines.slice(1).map((line): [string, number] => {
    const [account, currency = "", value] = line.split(",").map((cell) => cell.replaceAll('"', ""));
    return [`${account} ${currency}`, Math.round(Number(value) * 10 ** (exponents.get(currency) ?? 0))];
  });
  const ours = accounts.map((row: Record<string, string | number>) => [`${row.account} ${row.currency}`, row.closing]);
  const isSome = ([, value]: [string, number]) => value !== 0;
  return [Object.fromEntries(theirs.filter(isSome)), Object.fromEntries(ours.filter(isSome))];
}

it.runIf(isThere)("hledger adds up to the trial balance, in four currencies", async () => {
  const [theirs, ours] = await bothSums();
  expect(theirs).toEqual(ours);
  for (const [currency, value] of Object.entries({ DKK: 7, JPY: 1200, KWD: 1234, CLF: 12_345 })) {
    const adjustment = { type: "PAYMENT", direction: "DEBIT", amount: { currency, value } };
    await printed("act", "recordAdjustment", "--data", JSON.stringify(adjustment));
  }
  await printed("world", "populate", "--bookings", "400", "--seed", "3");
  await printed("clock", "advance", "P60D");
  const [later, kept] = await bothSums();
  expect(later).toEqual(kept);
  const currencies = new Set(Object.keys(kept).map((key) => key.split(" ")[1]));
  expect([...currencies].sort()).toEqual(["CLF", "DKK", "JPY", "KWD", "USD"]);
});

describe.runIf(isThere)("Every act once, with its later effects, adds up in hledger too:", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await openSandbox();
  });
  afterAll(() => sandbox.close());

  it.each(actRows)("%s", async (act, input) => {
    const world = await smallWorld(sandbox);
    await done(world, act, await inputFor(world, input));
    await advance(world, "P4Y");
    const [theirs, ours] = await bothSums("--url", sandbox.url, "--world", world.id);
    expect(theirs).toEqual(ours);
    expect(Object.values(ours).reduce((sum, value) => sum + value, 0)).toBe(0);
  });
});
