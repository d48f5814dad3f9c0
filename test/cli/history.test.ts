// The history at the command line: changes, differences between two points in time, and rewind, as text and as JSON.
import { describe, expect, it } from "vitest";
import { formatDiff } from "../../src/cli/terminal/facts.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const run = (...words: string[]) => runHere(words, at);
const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);

describe("sandbox logs --changes, show, diff and rewind", () => {
  it("show a change and undo it", async () => {
    const before = (await json("logs", "--changes")).kept.from.seq;
    expect((await run("act", "cancelBooking", "--set", "booking_id=bkg-evening")).code).toBe(0);

    const listed = await run("logs", "--changes");
    expect([listed.code, listed.stdout.trimEnd().split("\n")]).toEqual([
      0,
      [
        expect.stringMatching(
          /^\d+ {2}2030-06-01 09:00:00 {2}booking\.cancelled Magnus Dahl · 2030-06-01 19:00 · Canal tour, \d+ more records {2}act-\w+-1/,
        ),
      ],
    ]);
    expect(listed.stderr).toBe(`1 change kept, since ${before} (2030-06-01 09:00:00), when the world was created.\n`);

    const one = await run("show", "bkg-evening");
    expect(one.stdout).toMatch(/^bookings bkg-evening: Magnus Dahl · 2030-06-01 19:00 · Canal tour\n/);
    expect(one.stdout).toMatch(/ updated by cancelBooking done act-\w+-1\n {5}status: "ACTIVE" → "CANCELLED"\n/);

    const differ = await run("diff", String(before));
    expect(differ.stdout).toMatch(/^~ bookings bkg-evening: Magnus Dahl · 2030-06-01 19:00 · Canal tour$/m);
    expect(differ.stdout).toMatch(
      /^\d+ records differ between \d+ \(2030-06-01 09:00:00\) and \d+ \(2030-06-01 09:00:00\): .*1 bookings updated.*\.\n/,
    );

    const back = await run("rewind", String(before));
    expect(back.stdout).toMatch(
      /^Rewound to \d+ \(2030-06-01 09:00:00\): 1 change undone, \d+ records restored\. It is 2030-06-01T09:00:00\.000Z now\.\n$/,
    );
    expect((await run("logs", "--changes")).stdout).toMatch(/ {2}rewind\n$/);
    const undo = /`sandbox (rewind \d+)` undoes it\. The snapshot before-rewind/.exec(back.stderr)?.[1] ?? "";
    expect((await run("diff", String(before))).stdout).toMatch(/^0 records differ/);
    expect((await run(...undo.split(" "))).code).toBe(0);
    expect((await run("show", "bkg-evening")).stdout.match(/ updated by (cancelBooking|rewind)/g)).toHaveLength(3);
    const forked = await json("world", "fork", "--at", String(before));
    const there = JSON.parse(
      (await runHere(["logs", "--changes", "--json", "--world", forked.items[0].id], at)).stdout,
    );
    expect(there.kept.began.why).toBe("fork");
  });

  it.each<[string[], RegExp]>([
    [
      ["rewind", "0"],
      /^MOMENT_NOT_KEPT: 0 is not kept: the history of world default begins with \d+, at 2030-06-01T09:00:00.000Z, since the world was created then\./,
    ],
    [
      ["rewind", "soon"],
      /^MOMENT_UNKNOWN: soon is not a point in time of world default\. Use a number of the history, .*or now\./,
    ],
    [["diff", "now", "req-none-1"], /^MOMENT_UNKNOWN: req-none-1 is not a point in time/],
    [["show", "bkg-none"], /has no request, message, record, payment or number bkg-none\./],
    [["rewind"], /^Missing argument <moment>\. Usage: sandbox rewind /],
  ])("reject input in the words of the command: %j", async (words, sentence) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/_sandbox|body\.|query\./);
    const { error } = await json(...words);
    expect(stderr).toContain(error.message);
  });
});

it("control characters of a value are escaped", () => {
  const members = [
    { path: "customer.name", before: "Anna", after: "Bo\u001b[31m" },
    { path: "note", after: null },
  ];
  const change = { collection: "bookings", id: "bkg-1", change: "updated", members, internal: false } as const;
  const look = { paint: (_: unknown, text: string) => text };
  expect(formatDiff([{ ...change, cause: { kind: "request", id: "req-1" } }], look, { full: false })).toEqual([
    "~ bookings bkg-1",
    "  customer.name  Anna → Bo\\u001b[31m",
    "  note           — → null",
  ]);
});
