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
  it("but retains the newest entry, however large", () => {
    const { add, ids } = open(4_000_000);
    for (let id = 0; id < 3; id++) add(`wld-${id}`, 5_000_000);
    expect(ids()).toEqual(["wld-2"]);
  });

  it("across all worlds, and each reports only its own losses", () => {
    const { log, logs, add } = open(100_000);
    for (let id = 0; id < 20; id++) add(`wld-${id}`, 10_000, "world", "other");
    add("wld-new", 10);
    expect(logs.findDropped(["w"])).toEqual({ count: 0, since: 0 });
    expect(logs.findDropped(["other", "w"]).count).toBe(logs.findDropped(["other"]).count);
    expect(logs.findDropped(["other"]).count).toBeGreaterThan(10);
    log.append({ world: "other", kind: "state", id: "", at: "", wall: 0, replaced: { from: null } });
    for (let id = 0; id < 5; id++) add(`wld-${id}`, 10_000);
    expect(logs.findDropped(["other", "w"]).count).toBe(0);
    log.forget("w");
    for (let id = 0; id < 9; id++) add(`wld-${id}`, 10_000, "world", "other");
    expect(logs.findDropped(["other"]).count).toBe(0);
  });
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
  expect(logs.find("other", "act-2")).toBeUndefined();
});
