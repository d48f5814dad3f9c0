// The output of `check` and its subcommands: on terminals of 60 and 120 columns, with colours only where they are supported, and with a line that
// is redrawn on a terminal and printed in CI.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters, styleText } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { showCheckProgress } from "../../src/cli/terminal/progress.ts";
import { makeTerminal, measureWidth } from "../../src/cli/terminal/terminal.ts";
import { checks } from "../../src/verdict/index.ts";
import type { Look } from "../../src/verdict/report/check-report.ts";
import { reporters, reportVerdict } from "../../src/verdict/report/index.ts";
import { reportSweep, type Sweep } from "../../src/verdict/sweep/index.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { RESULTS, verdictOf } from "../verdict/report/verdict-for-tests.ts";
import { runCommand } from "./in-process.ts";

const styled: Look["paint"] = (style, text) => styleText(style, text, { validateStream: false });

const folder = makeTempFolder();
const log = join(folder, "log.json");
writeFileSync(log, JSON.stringify({ items: [] }));

const har = join(folder, "tour.har");
const answered = (path: string, status: number, body: object) => ({
  request: { method: "POST", url: `https://preview.example/v1/${path}`, headers: [] },
  response: { status, headers: [], content: { text: JSON.stringify(body) } },
});
const booking = { id: "7f3c0a9b-e2d1-4c5f-8a6b-1d2e3f405162", status: "ACTIVE", a_member_that_nobody_has_described: 1 };
const entries = [answered("bookings", 200, booking), answered("bookings", 201, booking)];
writeFileSync(har, JSON.stringify({ log: { entries } }));

const flip = (id: string, byDefault: string, value: string, meaning: string) => ({
  id,
  default: byDefault,
  value,
  meaning,
  operations: undefined,
});
const [status, ids] = [
  flip(
    "booking-create-status",
    "201",
    "200",
    "A booking that was made is answered with 200, as all other answers of the service are.",
  ),
  flip("ids", "hex", "uuid", "An id is a UUID with dashes."),
];
const SWEEP: Sweep = {
  depends_on: [
    {
      flips: [status],
      ended: "it ended with exit code 1",
      output: [
        "not ok 1 - the shop > bookings > creates one, and shows its number on the page",
        "AssertionError: expected 200 to be 201",
      ],
    },
    { flips: [status, ids], ended: "it ended with exit code 1", output: [] },
  ],
  indifferent: [ids],
  untouched: [ids, ids],
  runs: 23,
  no_verdict: null,
};

function screen(columns: number, isTTY = true, environment: Record<string, string> = {}) {
  let text = "";
  const stream = {
    write(piece: string | Uint8Array) {
      text += piece;
      return true;
    },
    isTTY,
    columns,
  };
  return { terminal: makeTerminal(stream, stream, environment), text: () => text };
}

async function printed(words: readonly string[], columns: number, environment = {}): Promise<string> {
  const { terminal, text } = screen(columns, true, environment);
  expect(await runCommand(words, { terminal, environment })).toBeLessThan(2);
  return text();
}

const plain = (text: string): string[] => stripVTControlCharacters(text).split("\n");
const commandsOut = (lines: readonly string[]) => lines.filter((line) => !/^ *again: sandbox exec /.test(line));
const tooWide = (text: string, columns: number) => plain(text).filter((line) => measureWidth(line) > columns);

describe.each([60, 120])("A terminal of %i columns", (columns) => {
  it.each([
    ["check", "explain"],
    ["check", "coverage", "--file", log],
    ["check", "coverage", "operations", "--file", log],
  ])("fits the output of sandbox %s", async (...words) =>
    expect(tooWide(await printed(words, columns), columns)).toEqual([]),
  );

  it("fits check traffic and sweep, except for commands and files, which are not wrapped", async () => {
    const compared = await printed(["check", "traffic", har], columns);
    expect(compared).toContain("unknown");
    expect(tooWide(compared, columns).filter((line) => !line.includes(har))).toEqual([]);
    const text = reporters.spec?.(reportSweep(SWEEP, ["npm", "test"]), { paint: styled, width: columns }) ?? "";
    expect(commandsOut(tooWide(text, columns))).toEqual([]);
    expect(text).toContain("sandbox exec --assume booking-create-status=200 --assume ids=uuid -- npm test");
  });

  it("fits every lesson except lines of code", async () => {
    for (const { id } of checks) {
      const text = await printed(["check", "explain", id], columns);
      expect(tooWide(text, columns).filter((line) => !line.startsWith("    "))).toEqual([]);
    }
  });

  it("fits a verdict except commands and ids, which are not wrapped", () => {
    const text = reporters.spec?.(reportVerdict(verdictOf(RESULTS)), { paint: styled, width: columns }) ?? "";
    expect(tooWide(text, columns).filter((line) => !line.includes("again: "))).toEqual([]);
  });
});

it("A program that depends on no assumption is reported as such", () => {
  const found = reportSweep({ ...SWEEP, depends_on: [] }, ["npm", "test"]);
  expect(reporters.spec?.(found, { paint: styled, width: 120 })).toMatch(
    /\n The program depends on no assumption\. .*23 runs\.\n exit 0\n$/,
  );
});

it("Colours are used on terminals that support them, and not with NO_COLOR", async () => {
  const words = ["check", "coverage", "--file", log];
  expect(await printed(words, 120)).toContain("\u001b[2m");
  expect(await printed(words, 120, { NO_COLOR: "1" })).not.toContain("\u001b");
  const screen = { write: vi.fn(), isTTY: true, columns: 80 };
  const terminal = makeTerminal(screen, screen, {});
  terminal.write(reporters.spec?.(reportVerdict(verdictOf(RESULTS)), { paint: terminal.paint, width: 80 }) ?? "");
  expect(screen.write.mock.calls.join("")).toContain("\n \u001b[31mFAIL\u001b[39m RETRY-01");
});

describe("Progress", () => {
  const [result] = RESULTS;
  const viewOn = ({ terminal, text }: ReturnType<typeof screen>) => {
    const { report: reported, end } = showCheckProgress(terminal);
    reported({ what: "control", number: 1 });
    reported({ what: "begun", checks: 2, jobs: 2 });
    if (result) reported({ what: "decided", result });
    end();
    return text();
  };

  it("is one updated line on a terminal, and is cleared at the end", () => {
    const text = viewOn(screen(60));
    expect(text).not.toContain("\n");
    expect(text).toContain("  1/2  RETRY-01  fail: after a lost response");
    expect(text.endsWith("\r\u001b[K")).toBe(true);
    for (const state of text.split("\r\u001b[K")) expect(measureWidth(state)).toBeLessThanOrEqual(60);
  });

  it("shows the number of runs, and whether they can't run in parallel", () => {
    const { terminal, text } = screen(60, false);
    const { report: reported } = showCheckProgress(terminal);
    reported({ what: "planned", says: "35 runs of about 20.0 s, 2 at a time: about 6 m 0 s." });
    reported({ what: "alone", haveStrayed: false });
    reported({ what: "alone", haveStrayed: true });
    expect(text().split("\n")).toEqual([
      "35 runs of about 20.0 s, 2 at a time: about 6 m 0 s.",
      "The command can't run twice at a time, for example because of a fixed port. The next runs run one at a time.",
      "A run called the sandbox of another run, for example because of a shared .env. All runs repeat, one at a time.",
      "",
    ]);
  });

  it("is one line per check elsewhere", () => {
    const text = viewOn(screen(60, false));
    expect(stripVTControlCharacters(text)).toBe(text);
    expect(text.trim().split("\n").at(-1)).toMatch(/^ *1\/2 {2}RETRY-01 {2}fail: after a lost response/);
  });
});
