// The past of a world as it is read from the activity log: commits, the changes between two points, and what is no longer retained.
import { describe, expect, it } from "vitest";
import { History } from "../../../src/engine/app/history.ts";
import { fromMillis } from "../../../src/engine/domain/kernel/instant.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import { findSnapshot } from "../../../src/engine/log/past.ts";
import type { Cause, CommittedChange } from "../../../src/engine/world/state/commit.ts";
import type { World } from "../../../src/engine/world/state/world.ts";

const START = Date.parse("2030-06-01T09:00:00Z");
const toInstant = (seq: number) => fromMillis(START + seq * 1000);
const change = (before: object | null, after: object | null, collection = "resources"): CommittedChange =>
  ({ collection, id: "r", before, after }) as CommittedChange;
const [one, two] = [
  { id: "r", n: 1 },
  { id: "r", n: 2 },
];

class Writer {
  readonly log: ActivityLog;

  constructor(maxBytes = 1_000_000) {
    this.log = new ActivityLog(maxBytes);
  }

  commit(changes: readonly CommittedChange[], more: Partial<Cause> = {}, world = "w"): number {
    const seq = this.log.lastSeq + 1;
    const { to, ...cause } = { kind: "act", id: `act-${seq}`, ...more };
    const times = { at: toInstant(seq), wall: START + seq * 1000 };
    const rewind = to === undefined ? {} : { rewind: { to } };
    return this.log.append({ world, kind: "commit", id: cause.id, ...times, cause, ...rewind, facts: [], changes }).seq;
  }

  replace(from: string | null = null, world = "w", id = "created"): number {
    const seq = this.log.lastSeq + 1;
    const times = { at: toInstant(seq), wall: START + seq * 1000 };
    return this.log.append({ world, kind: "state", id, ...times, replaced: { from } }).seq;
  }
}

const clock = () => ({ id: "clock", mode: "held", at: toInstant(9) });
const world = { id: "w", clock, find: () => undefined } as unknown as World;

function openHistory({ log }: Writer): History {
  return new History({
    activityLog: log,
    copy: () => ({}) as never,
    clocks: { now: () => toInstant(9), wall: () => START },
    worlds: { listSnapshots: () => [] },
  });
}

describe("A history", () => {
  it("names all causes of a difference, the latest first", async () => {
    const several = new Writer();
    several.replace();
    several.commit([change(null, one)]);
    several.commit([change(one, two)]);
    several.commit([change(two, { id: "r", n: 3 })], { id: "act-2" });
    several.commit([change({ id: "r", n: 3 }, { id: "r", n: 3 })]);
    const past = openHistory(several);
    const [difference] = await past.diff(world, past.findNamedPoint(world, "1"), past.findNamedPoint(world, "now"));
    expect(difference?.causes.map(({ id }) => id)).toEqual(["act-2", "act-3"]);
  });

  it("distinguishes records of one id in two collections", async () => {
    const both = new Writer();
    both.replace();
    both.commit([change(one, two), change(null, two, "keys")]);
    both.commit([change(two, one), change(two, one, "keys")]);
    const past = openHistory(both);
    const differences = await past.diff(world, past.findNamedPoint(world, "1"), past.findNamedPoint(world, "3"));
    expect([...differences]).toMatchObject([change(null, one, "keys")]);
  });
});

describe("The first point", () => {
  it("stays the same while only entries of other worlds are dropped", () => {
    const writer = new Writer(3_000);
    writer.replace();
    const beginning = writer.replace(null, "other");
    for (let count = 0; count < 5; count++) writer.commit([change(one, two)]);
    writer.commit([change(null, one)], {}, "other");
    while (writer.log.firstPoint <= beginning) writer.commit([change(one, two)]);
    expect(writer.log.findFirstPoint("other")).toBe(beginning);
    while (writer.log.findMarks("other").dropped.count === 0) writer.commit([change(one, two)]);
    expect(writer.log.findFirstPoint("other")).toBe(writer.log.findMarks("other").dropped.last);
  });

  it("is not retained during a long read in which entries are dropped", async () => {
    const writer = new Writer(40_000);
    writer.replace();
    for (let count = 0; count < 60; count++) writer.commit([change(one, two)]);
    const history = openHistory(writer);
    const visit = () => {
      const until = performance.now() + 11;
      while (performance.now() < until);
      for (let count = 0; count < 200; count++) writer.commit([change(one, two)]);
    };
    const lost = history.withPast(world, history.findNamedPoint(world, "1"), () => "read", visit);
    await expect(lost).rejects.toThrow("no longer kept");
  });
});

it("A rewind and the point of a snapshot are found in the log", () => {
  const writer = new Writer();
  writer.replace();
  writer.commit([change(null, one)]);
  const saved = writer.replace("w", "w@noon", "snapshot");
  writer.commit([change(one, two)]);
  const rewound = writer.commit([change(two, one)], { kind: "world", id: "rewind", to: 2 });
  expect(openHistory(writer).listRewinds(world)).toEqual([{ seq: rewound, to: 2 }]);
  expect(findSnapshot(writer.log, "w", "noon")).toBe(saved);
  const restored = writer.replace("w@noon", "w", "restore");
  expect(findSnapshot(writer.log, "w", "noon")).toBe(restored);
  writer.replace(null, "w", "reset");
  expect(findSnapshot(writer.log, "w", "noon")).toBeUndefined();
});

it("A commit without the id of a cause is not listed", async () => {
  const writer = new Writer();
  writer.replace();
  writer.commit([change(null, one, "tokens")], { kind: "world", id: "" });
  const history = openHistory(writer);
  const [from, to] = [history.findNamedPoint(world, "1"), history.findNamedPoint(world, "now")];
  expect([[...(await history.diff(world, from, to))], await history.list(world, {})]).toEqual([[], []]);
});
