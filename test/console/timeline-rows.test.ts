// The lines of the console's timeline.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/console/entries.ts";
import { toStories } from "../../src/console/story/stories.ts";
import { formatDuration } from "../../src/console/timeline/format-detail.ts";
import { buildRows, findUndone, type TimelineView } from "../../src/console/timeline/rows.ts";
import { act, attempt, request } from "./entries.ts";

const ALL: TimelineView = { text: "", onlyFailed: false, toggled: new Set() };

function rows(entries: readonly Entry[], view: Partial<TimelineView> = {}) {
  return buildRows(toStories(entries), { ...ALL, ...view });
}

describe("The timeline", () => {
  it("has one line per trace, and one for idle time between two", () => {
    const { rows: lines } = rows([request(1), request(2), request(200)]);
    expect(lines.map(({ type }) => type)).toEqual(["story", "story", "idle", "story"]);
    expect(lines[2]).toEqual({ type: "idle", key: "idle-200", ms: 198_000 });
    // Half a minute is not idle yet.
    expect(rows([request(1), request(31), request(62)]).rows.map(({ type }) => type)).toEqual([
      ...["story", "story", "idle", "story"],
    ]);
  });

  it("finds words in any order: operation, status, id of a fact, kind of a later webhook", () => {
    const entries = [
      request(1, { facts: [{ fact: "booking.created", id: "bkg-7" }], fact_count: 1 }),
      request(2, { operation: "getBooking", method: "GET" }),
      attempt(3, "req-2", 200),
    ];
    const found = (text: string) => rows(entries, { text }).rows.map(({ key }) => key);
    expect(found("BKG-7 createbooking")).toEqual(["1"]);
    expect(found("v1.booking.created")).toEqual(["2"]);
    expect(found("201 nothing")).toEqual([]);
    expect(["req-1", "msg_1", "sub-1", "booking.created"].map(found)).toEqual([["1"], ["2"], ["2"], ["1", "2"]]);
  });

  it("finds a delivery that arrives later, and shows its latest attempt", () => {
    const entries = [request(1), attempt(2, "req-1", 500), attempt(3, "req-1", 200)];
    const find = (count: number) => rows(entries.slice(0, count), { text: "booking.created" }).rows;
    expect([find(1), find(2)].map(({ length }) => length)).toEqual([0, 1]);
    expect(toStories(entries)[0]?.deliveries.map(({ seq }) => seq)).toEqual([3]);
    expect([2, 3].map((count) => rows(entries.slice(0, count), { onlyFailed: true }).matching)).toEqual([1, 0]);
  });

  it("groups by test, in the order of their start, and collapses a group", () => {
    const entries = [request(1, { test: "b" }), request(2, { test: "a" }), request(3, { test: "b", status: 500 })];
    const lines = rows(entries, { by: "test", toggled: new Set(["test-a"]) }).rows;
    expect(lines.map((row) => (row.type === "group" ? `${row.name} ${row.count} ${row.failed}` : row.key))).toEqual([
      "b 2 1",
      "1",
      "3",
      "a 1 0",
    ]);
  });

  it("groups by client, with the host's acts in between", () => {
    const entries = [
      request(1, { client_id: "cli-1" }),
      act(2, "done"),
      request(3),
      request(4, { client_id: "cli-1" }),
    ];
    const lines = rows(entries, { by: "client" }).rows;
    expect(lines.map((row) => (row.type === "group" ? row.name : row.key))).toEqual([
      ...["cli-1", "1", "4", "By the host", "2", "Without a token", "3"],
    ]);
  });

  it("groups failures by code and operation, collapsed, with the first and the last of each, and without successes", () => {
    const full = { status: 409, code: "NOT_ENOUGH_RESOURCES" };
    const entries = [
      ...[request(1), request(2, full), request(3, { status: null }), request(4, full), act(5, "refused"), request(6)],
      attempt(7, "req-6", 500),
    ];
    const groups = rows(entries, { by: "failure" }).rows.map((row) =>
      row.type === "group" ? [row.name, row.count, row.first.slice(17, 19), row.last.slice(17, 19)] : row,
    );
    expect(groups).toEqual([
      ["NOT_ENOUGH_RESOURCES createBooking", 2, "02", "04"],
      ["no answer createBooking", 1, "03", "03"],
      ["refused cancelEvent", 1, "05", "05"],
      ["webhook 500 v1.booking.created", 1, "06", "06"],
    ]);
    const open = new Set(["failure-NOT_ENOUGH_RESOURCES createBooking"]);
    expect(rows(entries, { by: "failure", toggled: open }).rows.map(({ key }) => key)).toEqual([
      ...["failure-NOT_ENOUGH_RESOURCES createBooking", "2", "4", "failure-no answer createBooking"],
      ...["failure-refused cancelEvent", "failure-webhook 500 v1.booking.created"],
    ]);
  });
});

it("Entries that a rewind undid are marked until another rewind goes back past it", () => {
  const rewind = (seq: number, detail: { to: number; was: number; undid: string[] }) =>
    ({ ...request(seq), id: `wld-${seq}`, kind: "world", change: "rewind", detail }) as unknown as Entry;
  const undone = (...entries: Entry[]) => [...findUndone(toStories(entries))];
  const done = [request(2), request(4), request(6)];
  // Each was committed right before its line of the log.
  const back = rewind(8, { to: 1, was: 5, undid: ["req-4", "req-6"] });
  expect(undone(...done)).toEqual([]);
  expect(undone(...done, back)).toEqual(["req-4", "req-6"]);
  expect(undone(...done, back, request(10), rewind(12, { to: 7, was: 9, undid: ["req-10"] }))).toEqual([
    ...["req-4", "req-6", "req-10"],
  ]);
  expect(undone(...done, back, request(10), rewind(12, { to: 5, was: 9, undid: ["req-10"] }))).toEqual(["req-10"]);
});

it.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [61_000, "1 min 1 s"],
  [93_600_000, "1 d 2 h"],
  [3_600_000, "1 h"],
  [-7_200_000, "-2 h"],
])("%d ms is shown as %s", (ms, text) => expect(formatDuration(ms)).toBe(text));
