// `sandbox books`: entries as a table and in other formats, the trial balance, the accounts of an order, and the comparison with a file.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const run = (...words: string[]) => runHere(["books", ...words], at);
const printed = async (...words: string[]) => (await run(...words)).stdout.trimEnd().split("\n");

it("The entries are printed completely with what they were booked for, and as JSON and CSV", async () => {
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

it("hledger computes the account totals of the trial balance from the export", async () => {
  const [byFormat, byFlag] = [await run("entries", "--format", "json"), await run("entries", "--json")];
  expect(byFormat.stdout).toBe(byFlag.stdout);
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

it("An order is a T-account with the reason for its balance, and an unknown order is a sentence", async () => {
  const lines = (await runHere(["show", "1042"], at)).stdout.split("\n");
  expect(lines[0]).toBe("Order 1042");
  expect(lines[lines.indexOf("") - 1]).toMatch(/^(The rest is VAT|Revenue is recognised when)/);
  expect(await printed("entries", "--order-id", "1042", "--format", "csv")).toContainEqual(
    expect.stringContaining(",1042,transaction "),
  );
  const none = await runHere(["show", "none"], at);
  expect([none.code, none.stdout, none.stderr.split(".")[0]]).toEqual([1, "", expect.stringContaining("number none")]);
});

it("The trial balance uses the decimals of each currency, and states that the books balance", async () => {
  const lines = await printed("balance");
  expect(lines.find((line) => line.startsWith("PAYMENT") && line.includes("KWD"))).toMatch(/ \d+\.\d{3}$/);
  expect(lines.find((line) => line.startsWith("PAYMENT") && line.includes("JPY"))).toMatch(/ \d+$/);
  expect(lines.slice(-2).map((line) => line.split("  ")[0])).toEqual(["holds", "holds"]);
});

describe("sandbox books compare", () => {
  let folder: string;
  let own: string[];
  beforeAll(async () => {
    folder = makeTempFolder();
    own = await printed("entries", "--format", "csv");
  });

  const file = (name: string, lines: readonly string[], before = "") => {
    const path = join(folder, name);
    writeFileSync(path, `${before}${lines.join("\n")}\n`);
    return path;
  };
  const against = (path: string, ...words: string[]) => run("compare", path, ...words);
  const cellsOf = (line = "") => line.split(",");
  /** As a spreadsheet of a country with decimal commas writes them. */
  const asSpreadsheet = (lines: readonly string[]) =>
    lines.slice(1).map((line) => {
      const [entry, , day = "", , , , order, , account, , debit, credit] = cellsOf(line);
      const [whole = "", part] = (debit || credit || "").split(".");
      const amount = part === undefined ? whole : `${whole.replace(/\B(?=(\d{3})+$)/g, ".")},${part}`;
      return [entry, day.split("-").reverse().join("."), order, account, `"${amount}"`].join(";");
    });
  const COLUMNS = [
    "--columns",
    "entry=Bilag,date=Dato,order=Ordre",
    "--columns",
    'amount=Beløb "brutto",account=Konto',
  ];
  const HEADER = 'Bilag;Dato;Ordre;Konto;"Beløb ""brutto"""';

  it.each([
    ["an export", () => own, []],
    ["a spreadsheet", () => [HEADER, ...asSpreadsheet(own)], COLUMNS],
    [
      "a spreadsheet with tabs",
      () => [HEADER, ...asSpreadsheet(own)].map((line) => line.replaceAll(";", "\t")),
      COLUMNS,
    ],
  ])("reports agreement for %s", async (_, lines, columns) => {
    const { stdout, stderr, code } = await against(file("own.csv", lines(), "\ufeff"), ...columns);
    expect([stderr, code]).toEqual(["", 0]);
    expect(stdout).toMatch(new RegExp(`^${own.length - 1} rows, \\d+ entries: they agree {7}exit 0\n$`));
  });

  it("reports each difference with its line, both sides and the command for details", async () => {
    const [heading = "", first = "", ...rest] = own;
    const [entry, , date] = cellsOf(first);
    const path = file("off.csv", [heading, first.replace(/,(\d+\.\d\d),,/, ",999.00,,"), ...rest.slice(0, -1)]);
    const { stdout, code } = await against(path);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "different-amount  The amount or its currency differs.",
      `  ${path}:2`,
      expect.stringMatching(new RegExp(`^ {2}journal {2}${date} PAYMENT DEBIT DKK \\d`)),
      `  yours    ${date} PAYMENT DEBIT DKK 999`,
      `  sandbox why ${entry}`,
    ]);
    expect(lines[5]).toBe("missing  The journal has this posting, and your books do not.");
    expect(lines.at(-1)).toMatch(/: 1 different-amount · 1 missing {7}exit 1$/);
    expect(code).toBe(1);
    const json = JSON.parse((await against(path, "--report", "json")).stdout);
    expect(json.findings.map(({ class: name, line }: Record<string, unknown>) => [name, line])).toEqual([
      ["different-amount", 2],
      ["missing", undefined],
    ]);
    const junit = (await against(path, "--report", "junit")).stdout;
    expect(junit).toContain('tests="2" failures="2" errors="0"');
    expect(junit).toContain(`<testcase name="different-amount ${path}:2"`);
  });

  it("lists ten findings of a class, and counts the others", async () => {
    const [heading = "", first = ""] = own;
    const many = [heading, first.replace(/,(\d+\.\d\d),,/, ",999.00,,")];
    const lines = (await against(file("few.csv", many))).stdout.trimEnd().split("\n");
    const missing = Number(/: 1 different-amount · (\d+) missing/.exec(lines.at(-1) ?? "")?.[1]);
    expect(lines.at(-2)).toBe(`  and ${missing - 10} more: --report json lists all`);
    const sold = file("sold.csv", ["entry,amount", 'none,"1.234.567,50"']);
    const [extra] = JSON.parse((await against(sold, "--report", "json")).stdout).findings;
    expect(extra).toMatchObject({ class: "extra", line: 2, found: "1234567.5" });
  });

  it("rejects unreadable cells with line, column and value", async () => {
    const spreadsheet = asSpreadsheet(own);
    spreadsheet[0] = spreadsheet[0]?.replace(/;\d\d\.(\d\d)\./, ";31.02.") as string;
    spreadsheet[1] = spreadsheet[1]?.replace(/;"[^"]*"$/, ";abc") as string;
    spreadsheet[2] = spreadsheet[2]?.replace(/;\d\d\.\d\d\.2030;/, ";01/06/2030;") as string;
    const path = file("bad.csv", [HEADER, ...spreadsheet]);
    const { stdout, stderr, code } = await against(path, ...COLUMNS, "--report", "json");
    expect([stdout, code]).toEqual(["", 2]);
    expect(stderr.split("\n")).toEqual([
      expect.stringMatching(/bad\.csv:2: Dato "31\.02\.2030" is not a date\. Write 2030-06-01 or 01\.06\.2030\.$/),
      expect.stringMatching(/bad\.csv:3: Beløb "brutto" "abc" is not an amount\. Write 1234\.50 or 1234,50\.$/),
      expect.stringMatching(/bad\.csv:4: Dato "01\/06\/2030" is not a date\./),
      "",
    ]);
  });

  it.each([
    ["no file", ["nowhere"], /can't be read/],
    ["a misspelt column", ["COLUMNED", "--columns", "date=Datoo"], /has no column Datoo. Did you mean Dato\?/],
    ["a misspelt member", ["COLUMNED", "--columns", "dat=Dato"], /there is no dat. Did you mean date\?/],
    ["no amount", ["COLUMNED"], /has no column for the amount. Name one/],
    ["nothing to find it by", ["ONLY"], /has no column for entry, order or date/],
    ["a row without an amount", ["BARE"], /BARE\.csv:3: the row "b, .*" has no amount\. Write 0 /],
    ["a heading twice", ["TWICE"], /TWICE\.csv:1: columns 2 "amount" and 3 "Amount" are all for amount\. Keep one\./],
    [
      "a named heading twice",
      ["DOUBLE", "--columns", "date=Day"],
      /DOUBLE\.csv:1: columns 1 "Day" and 3 "Day" are all for/,
    ],
    ["an empty file", ["EMPTY"], /has no row. The first row must name the columns/],
    ["a row with too many cells", ["LONG", ...COLUMNS], /LONG\.csv is not valid CSV: .* on line 2/],
    ["a file that is not UTF-8", ["LATIN"], /LATIN\.csv is not UTF-8, as line 1 shows\. Save it as UTF-8\./],
  ])("rejects with advice: %s", async (_, words, wanted) => {
    const files: Record<string, readonly string[]> = {
      COLUMNED: [HEADER, "a;b;c;d;1"],
      ONLY: ["amount", "1"],
      BARE: ["entry,debit,credit", "a,0,", "b, ,"],
      TWICE: ["entry,amount,Amount", "a,1,2"],
      DOUBLE: ["Day,amount,Day", "2030-06-01,1,2030-06-02"],
      EMPTY: [],
      LONG: [HEADER, "a;2030-06-01;c;d;1;more"],
    };
    writeFileSync(join(folder, "LATIN.csv"), Buffer.from(HEADER, "latin1"));
    const [name = "", ...rest] = words;
    const given = files[name];
    const path = given ? file(`${name}.csv`, given) : join(folder, `${name}.csv`);
    const { stdout, stderr, code } = await against(path, ...rest);
    expect([stdout, code]).toEqual(["", 2]);
    expect(stderr).toMatch(wanted);
  });
});

it("A date range with a missing day is rejected, and one without entries is reported", async () => {
  const backwards = (from: string, to: string) =>
    `--to: ${to} is not after ${from}, the first day. Name the day after the last.\n`;
  for (const command of ["entries", "balance"]) {
    for (const to of ["2030-06-01", "2030-06-02"])
      expect(await run(command, "--from", "2030-06-02", "--to", to)).toEqual({
        code: 2,
        stdout: "",
        stderr: backwards("2030-06-02", to),
      });
  }
  const says = async (...words: string[]) => (await run("entries", ...words)).stderr;
  expect(await says("--to", "2000-01-01", "--order-id", "1042")).toBe("No entry matches.\n");
  expect(await says("--from", "2030-06-01", "--to", "2030-06-02")).toBe("");
});
