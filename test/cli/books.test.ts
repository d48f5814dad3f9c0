// The books at the command line: as a table, for other programs, the trial balance, and an order as a T-account.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";
import { makeTerminal } from "../../src/cli/terminal/terminal.ts";
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
    folder = mkdtempSync(join(tmpdir(), "own-books-"));
    own = await printed("entries", "--format", "csv");
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      const amount = whole.replace(/\B(?=(\d{3})+$)/g, ".") + (part === undefined ? "" : `,${part}`);
      return [entry, day.split("-").reverse().join("."), order, account, `"${amount}"`].join(";");
    });
  const COLUMNS = [
    "--columns",
    "entry=Bilag,date=Dato,order=Ordre",
    "--columns",
    'amount=Beløb "brutto",account=Konto',
  ];
  const HEADER = 'Bilag;Dato;Ordre;Konto;"Beløb ""brutto"""';

  it("reports agreement for an export, a spreadsheet and JSON lines", async () => {
    const rows = own.length - 1;
    const wanted = new RegExp(`^${rows} rows, \\d+ entries: they agree {7}exit 0\n$`);
    const spreadsheet = file("eu.csv", [HEADER, ...asSpreadsheet(own)], "\ufeff");
    const objects = own.slice(1).map((line) => {
      const [entry, , date, , , , order, , account, , debit, credit, currency] = cellsOf(line);
      return JSON.stringify({ entry, date, order, account, debit, credit, currency });
    });
    const text = [HEADER, ...asSpreadsheet(own)].join("\r\n");
    const encoded = [
      ["windows-1252.csv", Buffer.from(text, "latin1")],
      ["unicode.txt", Buffer.from(`\ufeff${text}`, "utf16le")],
      ["big-endian.txt", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
      ["sep.csv", Buffer.from(`\ufeffsep=;\r\n${text}`)],
    ].map(([name, bytes]) => {
      writeFileSync(join(folder, name as string), bytes as Buffer);
      return [join(folder, name as string), ...COLUMNS];
    });
    for (const words of [[file("own.csv", own)], [spreadsheet, ...COLUMNS], [file("own.jsonl", objects)], ...encoded]) {
      const { stdout, stderr, code } = await against(words[0] as string, ...words.slice(1));
      expect([stderr, code]).toEqual(["", 0]);
      expect(stdout).toMatch(wanted);
    }
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

  it("reports an unreadable row with line, column and value, and compares the others", async () => {
    const spreadsheet = asSpreadsheet(own);
    spreadsheet[0] = spreadsheet[0]?.replace(/;\d\d\.(\d\d)\./, ";31.02.") as string;
    spreadsheet[1] = spreadsheet[1]?.replace(/;"[^"]*"$/, ";abc") as string;
    spreadsheet[2] = `${spreadsheet[2]};more`;
    const path = file("bad.csv", [HEADER, ...spreadsheet]);
    const { stdout, code } = await against(path, ...COLUMNS, "--report", "json");
    const { unread, rows, findings } = JSON.parse(stdout);
    expect(unread).toEqual([
      {
        ...{ line: 4, column: "", value: expect.any(String) },
        what: 'the row has 6 cells, and the header 5; quote a cell that has a ";"',
      },
      { line: 2, column: "Dato", value: expect.stringMatching(/^31\.02/), what: "it is not a date; write 2030-06-01" },
      { line: 3, column: 'Beløb "brutto"', value: "abc", what: "it is not an amount; write 1234,50" },
    ]);
    expect(rows).toBe(own.length - 4);
    expect(new Set(findings.map(({ class: name }: Record<string, unknown>) => name))).toEqual(new Set(["missing"]));
    expect(code).toBe(2);
  });

  it("reads dates with slashes if the year is first, and otherwise explains the format", async () => {
    const day = (of: string) => (line: string) => line.replace(/,(\d{4})-(\d\d)-(\d\d),/, of);
    const [heading = "", ...rows] = own;
    const yearFirst = file("year-first.csv", [heading, ...rows.map(day(",$1/$2/$3,"))]);
    expect((await against(yearFirst)).code).toBe(0);
    const { stdout, code } = await against(file("slashes.csv", [heading, ...rows.map(day(",$3/$2/$1,"))]));
    expect(stdout.split("\n")[0]).toMatch(
      /slashes\.csv:2: booked_on "\d\d\/\d\d\/2030": a date with slashes is ambiguous: the day or the month may come first; write the column as 2030-06-01, or with the day first as 01\.06\.2030\.$/,
    );
    expect(code).toBe(2);
  });

  it.each([
    ["no file", ["nowhere.csv"], /can't be read/],
    ["a misspelt column", ["COLUMNED", "--columns", "date=Datoo"], /has no column Datoo. Did you mean Dato\?/],
    ["a misspelt member", ["COLUMNED", "--columns", "dat=Dato"], /there is no dat. Did you mean date\?/],
    ["no amount", ["COLUMNED"], /has no column for the amount. Name one/],
    ["nothing to find it by", ["ONLY"], /has no column for entry, order or date/],
    ["an empty file", ["EMPTY"], /has no row. The first row must name the columns/],
  ])("rejects with advice: %s", async (_, words, wanted) => {
    const files: Record<string, readonly string[]> = {
      COLUMNED: [HEADER, "a;b;c;d;1"],
      ONLY: ["amount", "1"],
      EMPTY: [],
    };
    const [name = "", ...rest] = words;
    const given = files[name];
    const { stdout, stderr, code } = await against(given ? file(`${name}.csv`, given) : join(folder, name), ...rest);
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
        code: 1,
        stdout: "",
        stderr: backwards("2030-06-02", to),
      });
  }
  const says = async (...words: string[]) => (await run("entries", ...words)).stderr;
  expect(await says("--from", "2040-01-01", "--to", "2040-01-02")).toBe(
    "Nothing has been booked on or after 2040-01-01 and before 2040-01-02.\n",
  );
  expect(await says("--to", "2000-01-01", "--order-id", "1042")).toBe(
    "Nothing has been booked before 2000-01-01 for order 1042.\n",
  );
  expect(await says("--from", "2030-06-01", "--to", "2030-06-02")).toBe("");
});

it("On a narrow terminal, an entry of an order is above its postings", async () => {
  let text = "";
  const screen = {
    write(piece: string | Uint8Array) {
      text += piece;
      return true;
    },
    isTTY: true,
    columns: 60,
  };
  const terminal = makeTerminal(screen, screen, { NO_COLOR: "1" });
  expect(await runCommandLine(["show", "1042"], { terminal, environment: at })).toBe(0);
  const whole = (await runHere(["show", "1042"], at)).stdout.split("\n");
  const [sale = ""] = whole.filter((line) => /^\d+ {2}/.test(line));
  const [number, occurred, , , , , cause, id] = sale.split(/ +/);
  expect(text.split("\n").slice(7, 11)).toEqual([
    `${number}  ${occurred}  SALE  ${cause}`,
    `    ${id}`,
    "    PAYMENT             DKK 640.00",
    "    BOOKING_PREPAYMENT              DKK 640.00",
  ]);
});
