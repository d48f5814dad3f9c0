// What a history keeps when it has to make room, and what it says of what it no longer has: exactly, however much was dropped.
import { describe, expect, it } from "vitest";
import { Remembered } from "../../../src/engine/app/commit-record.ts";
import { CommitRing } from "../../../src/engine/app/commit-ring.ts";
import { makeHistory } from "../../../src/engine/app/history.ts";
import { fromMillis } from "../../../src/engine/domain/kernel/instant.ts";
import type { Changed } from "../../../src/engine/world/state/commit.ts";
import type { World } from "../../../src/engine/world/state/world.ts";

const START = Date.parse("2030-06-01T09:00:00Z");
const instantOf = (seq: number) => fromMillis(START + seq * 1000);
const pointOf = (seq: number) => ({ seq, at: instantOf(seq), wall_at: instantOf(seq) });
const commit = (seq: number, changes: readonly Changed[] = []) =>
  new Remembered({ seq, at: instantOf(seq), wall: START + seq * 1000 }, { kind: "act", id: `act-${seq}` }, [], changes);
const began = { ...pointOf(1), why: "created" as const };

describe("A ring of at most three commits", () => {
  it.each([0, 1, 3, 4, 499, 502, 503, 504, 1700])("after %i of them tells of the latest, and from when on", (count) => {
    const ring = new CommitRing(began, { commits: 3, bytes: 1_000_000 });
    for (let nth = 0; nth < count; nth++) ring.add(commit(2 + nth));
    const retained = Array.from({ length: Math.min(count, 3) }, (_, nth) => 2 + count - Math.min(count, 3) + nth);
    const from = pointOf(count <= 3 ? 1 : count - 2);
    expect(ring.commits.map(({ seq }) => seq)).toEqual(retained);
    expect(ring.last.seq).toBe(1 + count);
    const bytes = retained.length * commit(2).bytes;
    expect(ring.retained).toEqual({ commits: retained.length, bytes, from, began, dropped: Math.max(0, count - 3) });
  });

  it("drops by bytes as well, and may keep none: then the last moment is the earliest", () => {
    const ring = new CommitRing(began, { commits: 3, bytes: 2 * commit(2).bytes });
    for (const seq of [2, 3, 4]) ring.add(commit(seq));
    expect(ring.commits.map(({ seq }) => seq)).toEqual([3, 4]);
    const none = new CommitRing(began, { commits: 0, bytes: 0 });
    none.add(commit(2));
    expect([none.commits, none.last, none.retained]).toEqual([
      [],
      pointOf(2),
      { commits: 0, bytes: 0, from: pointOf(2), began, dropped: 1 },
    ]);
  });
});

describe("A history", () => {
  const [one, two, again] = [
    { id: "r", n: 1 },
    { id: "r", n: 2 },
    { n: 1, id: "r" },
  ];
  const changed = (before: object | null, after: object | null): Changed =>
    ({ collection: "resources", id: "r", before, after }) as Changed;
  const clock = () => ({ id: "clock", mode: "held", at: instantOf(9) });
  const world = { id: "w", clock, find: () => undefined } as unknown as World;
  const ring = new CommitRing(began, { commits: 100, bytes: 1_000_000 });
  ring.add(commit(2, [changed(one, two)]));
  ring.add(commit(3, [changed(two, two)]));
  ring.add(commit(4, [changed(two, again)]));
  const needs = {
    hooksOf: () => ({}) as never,
    now: () => instantOf(9),
    wall: () => START,
    log: { lastSeq: 4 } as never,
    numbers: { isOwn: () => true, shared: false },
    snapshots: () => [],
  };
  const memory = { of: () => ring.commits, retained: () => ring.retained, last: () => ring.last } as never;
  const history = makeHistory({ ...needs, memory });
  const at = (seq: number) => history.moment(world, String(seq));

  it("lists a version where a record changed, and none where it was only written", () => {
    expect(history.of(world, "r").map(({ seq, before, after }) => [seq, before, after])).toEqual([
      [2, one, two],
      [4, two, again],
    ]);
    expect(history.of(world, "s")).toEqual([]);
  });

  it("finds no difference in a record that is again as it was", () => {
    expect([...history.diff(world, at(1), at(4))]).toEqual([]);
    expect([...history.diff(world, at(1), at(2))]).toMatchObject([
      { ...changed(one, two), cause: { id: expect.any(String) } },
    ]);
    expect([...history.diff(world, at(4), at(2))]).toMatchObject([changed(again, two)]);
    expect([...history.diff(world, at(2), at(3))]).toEqual([]);
  });

  it("tells records of one id in two collections apart, and leaves out those of each that are as they were", () => {
    const [none, other] = [null, { id: "r", name: ["a"] }];
    const both = new CommitRing(began, { commits: 100, bytes: 1_000_000 });
    const of = (collection: string, before: object | null, after: object | null) =>
      ({ ...changed(before, after), collection }) as Changed;
    both.add(commit(2, [of("resources", one, two), of("keys", none, other)]));
    both.add(commit(3, [of("resources", two, one), of("keys", other, { id: "r", name: { 0: "a" } })]));
    const memory = { of: () => both.commits, retained: () => both.retained, last: () => both.last } as never;
    const past = makeHistory({ ...needs, memory });
    const changes = past.changedSince(world, { seq: 1 });
    expect(changes).toMatchObject([of("keys", none, { id: "r", name: { 0: "a" } })]);
    expect(Array.from(past.diff(world, past.moment(world, "2"), past.moment(world, "3")), past.membersOf)).toEqual([
      [{ path: "n", before: 2, after: 1 }],
      // A list is no object, whatever their members are called.
      [{ path: "name", before: ["a"], after: { 0: "a" } }],
    ]);
  });

  it("counts the bytes of the records that it replaced, and not of those that it wrote", () => {
    const bytes = (changes: readonly Changed[]) => commit(2, changes).bytes;
    const long = { id: "r", text: "x".repeat(1000) };
    expect(bytes([changed(null, long)])).toBe(bytes([changed(null, one)]));
    expect(bytes([changed(one, long)])).toBeGreaterThan(bytes([changed(null, long)]));
  });

  it("names a record by what it was, where it has gone", () => {
    expect(commit(2, [changed(one, null), changed(null, two)]).changes.map(({ id }) => id)).toEqual(["r", "r"]);
  });

  it("gives a moment by its instant the time of its change where the clock was held, and the instant where it ran", () => {
    const requested = fromMillis(START + 3500);
    expect(history.moment(world, requested)).toEqual({ ...pointOf(3), named: requested });
    const running = { ...world, clock: () => ({ id: "clock", mode: "running", offset_ms: 0 }) } as unknown as World;
    expect(history.moment(running, requested)).toEqual({ ...pointOf(3), at: requested, named: requested });
    expect(history.moment(world, "now")).toEqual({
      seq: 4,
      at: instantOf(9),
      wall_at: fromMillis(START),
      named: "now",
    });
  });
});
