// The past at the command line: what changed, what differs, and the way back, in words and as JSON, at two widths.
import { describe, expect, it } from "vitest";
import { commitLines, diffLines, versionLines } from "../../src/cli/terminal/history-view.ts";
import { runHere, sandboxOfTests } from "./in-process.ts";

const at = sandboxOfTests();

const run = (...words: string[]) => runHere(words, at);
const json = async (...words: string[]) => JSON.parse((await run(...words, "--json")).stdout);

describe("sandbox history, diff and rewind", () => {
  it("tell a story and take it back", async () => {
    const before = (await json("history")).kept.from.seq;
    expect((await run("act", "cancelBooking", "--set", "booking_id=bkg-evening")).code).toBe(0);

    const listed = await run("history");
    expect([listed.code, listed.stdout.trimEnd().split("\n")]).toEqual([
      0,
      [expect.stringMatching(/^\d+ {2}2030-06-01 09:00:00 {2}act-\w+-1 {2}booking\.cancelled bkg-evening/)],
    ]);
    expect(listed.stderr).toBe(`1 change kept, since ${before} (2030-06-01 09:00:00), when the world was created.\n`);

    const one = await run("history", "bkg-evening");
    expect(one.stdout).toMatch(/^bookings bkg-evening\n~ {2}\d+ {2}2030-06-01 09:00:00 {2}updated {2}by act-\w+-1\n/);
    expect(one.stdout).toMatch(/\n {4}status +ACTIVE → CANCELLED\n/);

    const differ = await run("diff", String(before));
    expect(differ.stdout).toMatch(/^~ bookings bkg-evening: Magnus Dahl · 2030-06-01 19:00 · Canal tour$/m);
    expect(differ.stderr).toMatch(
      /^\d+ records differ between \d+ \(2030-06-01 09:00:00\) and \d+ \(2030-06-01 09:00:00\)\.\n$/,
    );

    const back = await run("rewind", String(before));
    expect(back.stdout).toMatch(
      /^Rewound to \d+ \(2030-06-01 09:00:00\): 1 change undone, \d+ records put back\. It is 2030-06-01T09:00:00\.000Z now\.\n$/,
    );
    const [, records] = /, (\d+ records) put back/.exec(back.stdout) ?? [];
    expect((await run("history")).stdout).toMatch(new RegExp(`rewind +${records} changed\n`));
    const undo = /`sandbox (rewind \d+)` undoes it; the snapshot before-rewind/.exec(back.stderr)?.[1] ?? "";
    expect((await run("diff", String(before))).stderr).toMatch(/^0 records differ/);
    expect((await run(...undo.split(" "))).code).toBe(0);
    expect((await run("history", "bkg-evening")).stdout.match(/^[+~-]/gm)).toEqual(["~", "~", "~"]);
    const forked = await json("world", "fork", "--at", String(before));
    const there = JSON.parse((await runHere(["history", "--json", "--world", forked.items[0].id], at)).stdout);
    expect(there.kept.began.why).toBe("fork");
    // Of what was before, nothing can be said.
    expect((await run("history", "bkg-bikes")).stdout).toBe(
      `bookings bkg-bikes\n  It has not changed since ${before} (2030-06-01 09:00:00).\n`,
    );
  });

  it.each<[string[], RegExp]>([
    [
      ["rewind", "0"],
      /^MOMENT_NOT_KEPT: 0 is not kept: the history of world default begins with \d+, at 2030-06-01T09:00:00.000Z, since the world was created then\./,
    ],
    [
      ["rewind", "soon"],
      /^MOMENT_UNKNOWN: soon is no moment of world default\. A moment is a number of the history, .*or now\./,
    ],
    [
      ["rewind", "2031-01-01T00:00:00Z"],
      /^MOMENT_UNKNOWN: It is 2030-06-01T09:00:00.000Z now, and 2031-01-01T00:00:00Z is still to come\./,
    ],
    [["diff", "now", "req-none-1"], /^MOMENT_UNKNOWN: req-none-1 changed nothing/],
    [["history", "bkg-none"], /^Neither world default nor its kept history has a record bkg-none\./],
    [["history", "req-ab-1"], /`sandbox why req-ab-1` tells of it\./],
    [["world", "fork", "--at", "soon"], /^MOMENT_UNKNOWN: soon is no moment/],
    [["rewind"], /^sandbox rewind lacks its moment/],
  ])("refuse in words of the command: %j", async (words, sentence) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/_sandbox|body\.|query\./);
    const { error } = await json(...words);
    expect(stderr).toContain(error.message);
  });
});

describe("On a terminal", () => {
  const screen = (width: number) => ({ width, paint: (_: unknown, text: string) => text });
  const cause = { kind: "request" as const, id: "req-ab12cd-3" };
  const [seq, instant] = [12, "2030-06-01T09:00:00.000Z"];
  const stamp = { seq, at: instant, wall_at: instant, cause };

  it.each([60, 120])("no line is longer than %i columns", (width) => {
    const facts = Array.from({ length: 9 }, (_, nth) => ({ fact: "booking.created" as const, id: `bkg-${nth}` }));
    const members = [
      { path: "customer.name", before: "Anna", after: "Bo\u001b[31m".repeat(40) },
      { path: "note", after: null },
      { path: "", after: { id: "x", items: Array.from({ length: 60 }, () => "a long word") } },
    ];
    const size = { full: false };
    const retained = { commits: 1, bytes: 1, dropped: 0, from: stamp, began: { ...stamp, why: "start" as const } };
    const lines = [
      ...commitLines([{ ...stamp, facts, changes: [] }], screen(width)),
      ...versionLines(
        { id: "bkg-1", collection: "bookings", items: [{ ...stamp, change: "updated", members }], kept: retained },
        screen(width),
        size,
      ),
      ...diffLines(
        [{ collection: "bookings", id: "bkg-1", change: "created", members, cause: stamp.cause, internal: false }],
        screen(width),
        size,
      ),
    ];
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(lines.join("")).not.toContain("\u001b");
    expect(lines.join("\n")).toMatch(/note +— → null/);
  });
});
