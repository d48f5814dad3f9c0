// The log of a world: one order, bounded in bytes over all worlds, and honest about what it had to drop.
import { describe, expect, it } from "vitest";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import type { EntryHead, ListedKind } from "../../../src/engine/log/view.ts";
import { WorldLogs } from "../../../src/engine/log/world-logs.ts";

const head = (id: string, kind: ListedKind = "world", world = "w"): EntryHead => ({
  kind,
  id,
  world,
  at: "",
  failed: false,
  facts: [],
});

function open(maxBytes: number) {
  const log = new ActivityLog(maxBytes);
  const none = () => undefined;
  const logs = new WorldLogs({ log, wall: () => 0, findHead: none, read: none, notes: () => [] });
  const add = (id: string, bytes = 0, kind?: ListedKind, world?: string) =>
    logs.add(head(id, kind, world), JSON.stringify({ change: "x".repeat(bytes), detail: {} }));
  return { log, logs, add, ids: () => logs.list("w", {}).map(({ id }) => id) };
}

describe("The log is limited", () => {
  it("in bytes, and reports how many entries it has dropped", () => {
    const { logs, add, ids } = open(1_000_000);
    for (let id = 0; id < 300; id++) add(`wld-${id}`, 10_000);
    expect(ids().length).toBeGreaterThan(80);
    expect(ids().length).toBeLessThan(100);
    expect(logs.find("w", "wld-299")).toBeDefined();
    expect(logs.find("w", "wld-0")).toBeUndefined();
    const { count, since } = logs.findDropped(["w"]);
    expect(count + ids().length).toBe(300);
    expect(logs.list("w", {})[0]?.seq).toBe(since + 1);
  });

  it("but retains the newest entry, however large", () => {
    const { add, ids } = open(4_000_000);
    for (let id = 0; id < 3; id++) add(`wld-${id}`, 5_000_000);
    expect(ids()).toEqual(["wld-2"]);
  });

  it("across all worlds, and each reports only its own losses", () => {
    const { logs, add } = open(100_000);
    for (let id = 0; id < 20; id++) add(`wld-${id}`, 10_000, "world", "other");
    add("wld-new", 10);
    expect(logs.findDropped(["w"])).toEqual({ count: 0, since: 0 });
    expect(logs.findDropped(["other", "w"]).count).toBe(logs.findDropped(["other"]).count);
    expect(logs.findDropped(["other"]).count).toBeGreaterThan(10);
  });

  it("and starts again with the world without losses", () => {
    const { log, logs, add, ids } = open(100_000);
    for (let id = 0; id < 100; id++) add(`wld-${id}`, 10_000);
    log.append({ world: "w", kind: "state", id: "", at: "", wall: 0, replaced: { from: null } });
    expect([ids(), logs.findDropped(["w"]).count]).toEqual([[], 0]);
    expect(logs.find("w", "wld-99")).toBeUndefined();
    add("wld-new");
    expect(ids()).toEqual(["wld-new"]);
  });
});

it("Pages lead from the newest to the oldest entries of all kinds", () => {
  const { logs, add } = open(1_000_000);
  for (let id = 0; id < 30; id++) add(String(id), 1, id % 3 === 0 ? "act" : "request");
  const seen: string[] = [];
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const page = logs.list("w", { before }, 7);
    if (page.length === 0) break;
    seen.unshift(...page.map(({ id }) => id));
    before = page[0]?.seq ?? 0;
  }
  expect(seen).toEqual(Array.from({ length: 30 }, (_, id) => String(id)));
});

it("finds an entry by its id: the newest of that id, and no commit", () => {
  const { log, logs, add } = open(1_000_000);
  add("again");
  add("1");
  add("again");
  log.append({ world: "w", kind: "commit", id: "again", at: "", wall: 0, facts: [], changes: [] });
  expect(logs.find("w", "again")?.seq).toBe(3);
  expect(logs.find("other", "again")).toBeUndefined();
});

it("An effect belongs to the test of its cause, even if another test has started", () => {
  const { logs } = open(1_000_000);
  logs.mark("w", "first");
  logs.add(head("act-1", "act"), "{}");
  logs.mark("w", "second");
  logs.add({ ...head("dlv_1", "delivery"), caused_by: "act-1" }, "{}");
  logs.add(head("act-2", "act"), "{}");
  expect(logs.list("w", { test: "first" }).map(({ id }) => id)).toEqual(["act-1", "dlv_1"]);
  expect(logs.find("w", "act-2")?.test).toBe("second");
});
