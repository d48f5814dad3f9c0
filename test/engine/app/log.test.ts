// The log of a world: one order, bounded by kind in number and bytes, and honest about what it had to drop.
import { describe, expect, it } from "vitest";
import { makeActivity } from "../../../src/engine/app/activity.ts";
import type { EntryKind, LogDraft } from "../../../src/engine/app/application.ts";
import { makeLog } from "../../../src/engine/app/log.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";

const draft = (id: string, bytes = 100, kind: EntryKind = "request"): LogDraft => ({
  ...{ kind, id, world: "w", at: "", bytes, failed: false, facts: [] },
  touches: () => false,
  says: () => false,
  show: () => ({}),
});

function open(limits: { entries: number; bytes: number }) {
  const activity = makeActivity(() => undefined, new ActivityLog(1_000_000));
  return makeLog({ activity, wall: () => 0, limits, headOf: () => undefined, read: () => undefined });
}

describe("The log is bounded", () => {
  it.each([
    ["in number", 100, 1, 2500],
    ["in bytes", 100_000, 1, 84],
  ])("%s", (_, bytes, least, most) => {
    const log = open({ entries: 2000, bytes: 8_400_000 });
    for (let id = 0; id < 6000; id++) {
      log.add(draft(`req-${id}`, bytes));
      expect(log.count("w")).toBeLessThanOrEqual(most);
    }
    expect(log.count("w")).toBeGreaterThan(least);
    expect(log.find("w", "req-5999")).toBeDefined();
    expect(log.find("w", "req-0")).toBeUndefined();
    const { count, since } = log.dropped("w");
    expect(count + log.count("w")).toBe(6000);
    expect(log.list("w", {})[0]?.seq).toBe(since + 1);
  });

  it("but keeps the newest, however large", () => {
    const log = open({ entries: 2000, bytes: 4_000_000 });
    for (let id = 0; id < 3; id++) log.add(draft(`req-${id}`, 50_000_000));
    expect(log.list("w", {}).map(({ id }) => id)).toEqual(["req-2"]);
  });

  it("by kind, so that many deliveries push no request out", () => {
    const log = open({ entries: 10, bytes: 1_000_000 });
    log.add(draft("req-1"));
    for (let id = 0; id < 100; id++) log.add(draft(`dlv_${id}`, 100, "delivery"));
    expect(log.find("w", "req-1")).toBeDefined();
    expect(log.dropped("w", ["request"])).toEqual({ count: 0, since: 0 });
    expect(log.dropped("w").count).toBeGreaterThan(80);
  });

  it("and begins anew without having lost anything", () => {
    const log = open({ entries: 10, bytes: 1_000_000 });
    for (let id = 0; id < 100; id++) log.add(draft(`req-${id}`));
    log.beginAnew("w");
    expect([log.list("w", {}), log.dropped("w").count]).toEqual([[], 0]);
    log.add(draft("req-new"));
    expect(log.list("w", {}).map(({ id }) => id)).toEqual(["req-new"]);
  });
});

it("The requests about a record are found without a look at the others, also where the oldest had to go", () => {
  const log = open({ entries: 50, bytes: 1_000_000 });
  let looks = 0;
  const add = (id: number) => {
    const about = (record: number) => ({ fact: "booking.updated" as const, id: `bkg-${record}` });
    const facts = [about(id % 7), about(id % 7), about(id % 11)];
    const kind = id % 5 === 0 ? "act" : "request";
    const looked = () => {
      looks++;
      return facts;
    };
    log.add(Object.defineProperty(draft(`${id}`, 1, kind), "facts", { get: looked }));
  };
  const scanned = (record: string) =>
    log.list("w", { kinds: ["request"] }).filter(({ facts }) => facts.some(({ id }) => id === record));
  for (let id = 0; id < 400; id++) {
    add(id);
    const record = `bkg-${id % 13}`;
    if (id % 3 === 0) expect(log.requestsAbout("w", record)).toEqual(scanned(record));
  }
  expect(log.dropped("w").count).toBeGreaterThan(100);
  looks = 0;
  expect(log.requestsAbout("w", "bkg-3").length).toBeGreaterThan(3);
  expect([log.requestsAbout("w", "bkg-12"), log.requestsAbout("elsewhere", "bkg-3"), looks]).toEqual([[], [], 0]);
  log.beginAnew("w");
  expect(log.requestsAbout("w", "bkg-3")).toEqual([]);
});

it("Pages lead from the newest to the oldest, whatever the kinds", () => {
  const log = open({ entries: 100, bytes: 1_000_000 });
  for (let id = 0; id < 30; id++) log.add(draft(String(id), 1, id % 3 === 0 ? "act" : "request"));
  const seen: string[] = [];
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const page = log.list("w", { before }, 7);
    if (page.length === 0) break;
    seen.unshift(...page.map(({ id }) => id));
    before = page[0]?.seq ?? 0;
  }
  expect(seen).toEqual(Array.from({ length: 30 }, (_, id) => String(id)));
});

it("A reader that comes back knows what it has missed, at most", () => {
  const log = open({ entries: 100, bytes: 1_000_000 });
  for (let id = 1; id <= 1000; id++) log.add(draft(String(id)));
  const [ring] = log.rings("w");
  expect(ring?.positionAfter(1000)).toBe(1000);
  expect(ring?.positionAfter(950)).toBe(950);
  const missed = (seq: number) => (ring?.first ?? 0) - (ring?.positionAfter(seq) ?? 0);
  for (const seq of [0, 3, 130, 500]) {
    expect(missed(seq)).toBeGreaterThanOrEqual((ring?.first ?? 0) - seq);
    expect(missed(seq)).toBeLessThanOrEqual((ring?.first ?? 0) - seq + 125);
  }
});

it("finds an entry by its id: the newest of that id, until it is dropped", () => {
  const log = open({ entries: 10, bytes: 1_000_000 });
  log.add(draft("again"));
  for (let id = 1; id <= 5; id++) log.add(draft(String(id)));
  log.add(draft("again"));
  expect(log.find("w", "again")?.seq).toBe(7);
  for (let id = 6; id <= 15; id++) log.add(draft(String(id)));
  expect(log.find("w", "1")).toBeUndefined();
  expect(log.find("w", "again")?.seq).toBe(7);
  expect(log.find("w", "15")?.seq).toBe(17);
});
