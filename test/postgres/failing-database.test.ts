// A database that fails at every step that can go wrong for the store: what is acknowledged exists once, what is not known becomes known by
// the next owner, and what one world suffers is nothing to the others.
import fc from "fast-check";
import { describe, expect, it, type TestContext, vi } from "vitest";
import { ActivityLog } from "../../src/engine/log/log.ts";
import { isStoreError } from "../../src/engine/log/store-error.ts";
import type { RowChange } from "../../src/engine/world/state/commit.ts";
import { listRowChanges } from "../../src/engine/world/state/schema.ts";
import { connect } from "../../src/hosted/postgres/connection.ts";
import { SharedStore } from "../../src/hosted/postgres/store.ts";
import { migrate } from "../../src/hosted/postgres/tables.ts";
import { extent } from "../extent.ts";
import { postgresBin, postgresOfTests } from "./postgres-kit.ts";
import { type Scripted, scripted } from "./scripted-database.ts";
import { NAMES, type WrittenStore, writtenStore } from "./written-store.ts";

const COMMIT = "insert into journal";
const HEARTBEAT = "insert into nodes";
const TAKING = "update worlds set owner";
const SOON = { timeout: 20_000, interval: 20 };

const put = (world: string, id: string, more: object = {}) => ({
  commit: world,
  changes: [["bookings", id, { id, ...more }] as RowChange],
});

type Finished = TestContext["onTestFinished"];
type Outcome = "written" | "refused";

async function outcomeOf(settled: Promise<void> | undefined): Promise<Outcome> {
  try {
    await settled;
    return "written";
  } catch (reason) {
    if (!isStoreError(reason)) throw reason;
    return "refused";
  }
}

/** Of the bookings of a world, which this node takes, as often as it is asked to wait. */
async function taken(store: SharedStore, world: string): Promise<string[]> {
  const found = await vi.waitFor(async () => {
    const answered = await store.acquire(world);
    if (answered.is !== "here") throw new Error(`${world} is ${answered.is}`);
    return answered;
  }, SOON);
  const [, collections] = [...found.state].find(([id]) => id === world) ?? [];
  return collections ? listRowChanges(collections).map(([, id]) => id) : [];
}

describe.skipIf(!postgresBin).concurrent("When the database fails", () => {
  const postgres = postgresOfTests();

  async function nodeOn(
    url: string,
    finished: Finished,
  ): Promise<{ store: WrittenStore; database: Scripted; lost: string[] }> {
    const database = scripted(await connect(url, 5), await connect(url, 5));
    await migrate(database);
    const log = new ActivityLog(64 << 20);
    const connections = { database, others: database, address: "the database" };
    const store = new SharedStore(connections, { ...NAMES, log, warn: () => undefined });
    await store.registration.start();
    const lost: string[] = [];
    store.queue.onLost = (worlds) => lost.push(...worlds);
    finished(() => store.close());
    return { store: writtenStore(store, log), database, lost };
  }

  /** A node with two worlds, and another. */
  async function twoNodes(finished: Finished) {
    const url = await postgres.newDatabase();
    const [a, b] = [await nodeOn(url, finished), await nodeOn(url, finished)];
    for (const world of ["w", "x"]) a.store.put({ load: world, rows: [] });
    await a.store.waitUntilDurable();
    return { ...a, other: b.store };
  }

  it("a commit in flight with a cut connection is awaited by the next owner if it is stored later", async ({
    onTestFinished,
  }) => {
    const { store, database, lost, other } = await twoNodes(onTestFinished);
    database.next(COMMIT, { is: "cut, done later", ms: 1500 });
    store.put(put("w", "one"));
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("refused");
    expect(lost).toEqual(["w"]);
    expect(await taken(store, "w")).toEqual(["one"]);
    store.put(put("w", "two"));
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("written");
    await database.aside();
    await store.release("w");
    expect(await taken(other, "w")).toEqual(["one", "two"]);
  });

  it("a commit that arrives after the next owner has taken the world is rejected", async ({ onTestFinished }) => {
    const { store, database, other } = await twoNodes(onTestFinished);
    let send: () => void = () => undefined;
    database.next(COMMIT, { is: "cut, sent later", when: new Promise<void>((resolve) => (send = resolve)) });
    store.put(put("w", "one"));
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("refused");
    expect(await taken(store, "w")).toEqual([]);
    send();
    await database.aside();
    store.put(put("w", "two"));
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("written");
    await store.release("w");
    expect(await taken(other, "w")).toEqual(["two"]);
  });

  it.for<[string, string]>([
    ["a deadlock", "40P01"],
    ["a time-out of the statement", "57014"],
    ["a full disk", "53100"],
    ["a standby that can't be written", "25006"],
  ])("with %s, the worlds of the batch are lost, and others are not", async ([, code], { onTestFinished }) => {
    const { store, database, lost, other } = await twoNodes(onTestFinished);
    database.next(COMMIT, { is: "refused", code });
    store.put(put("w", "one"));
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("refused");
    expect(lost).toEqual(["w"]);
    await vi.waitFor(() => expect(store.registration.isUsable).toBe(true), SOON);
    store.put(put("x", "good"));
    expect(await outcomeOf(store.waitUntilDurable("x"))).toBe("written");
    expect(await taken(store, "w")).toEqual([]);
    await store.releaseAllWorlds();
    expect(await taken(other, "x")).toEqual(["good"]);
  });

  it("changes that were added while a batch failed are lost with it, so that nothing has a gap", async ({
    onTestFinished,
  }) => {
    const { store, database } = await twoNodes(onTestFinished);
    let fail: () => void = () => undefined;
    database.next(COMMIT, { is: "held", until: new Promise((_, reject) => (fail = () => reject(new Error("cut")))) });
    store.put(put("w", "one"));
    const first = outcomeOf(store.waitUntilDurable("w"));
    await vi.waitFor(() => expect(store.readFigures().queued).toBeGreaterThan(0), SOON);
    await new Promise((resolve) => setTimeout(resolve, 50));
    store.put(put("w", "two"));
    store.put(put("x", "good"));
    const [second, good] = [outcomeOf(store.waitUntilDurable("w")), outcomeOf(store.waitUntilDurable("x"))];
    fail();
    expect([await first, await second]).toEqual(["refused", "refused"]);
    const wasGood = await good;
    expect(await taken(store, "w")).toEqual([]);
    if (wasGood === "refused") expect(await taken(store, "x")).toEqual([]);
    else {
      await store.release("x");
      expect(await taken(store, "x")).toEqual(["good"]);
    }
  });

  it("a late heartbeat stops responses from memory, and the node takes its worlds and their due work again", async ({
    onTestFinished,
  }) => {
    const { store, database, lost } = await twoNodes(onTestFinished);
    store.queue.findDue = (world) => (world === "w" ? 1000 : undefined);
    store.put(put("w", "due"));
    await store.waitUntilDurable("w");
    expect(await store.claimOverdue(9)).toEqual([]);
    database.next(HEARTBEAT, { is: "answered late", ms: 7500 });
    // As requests do before they are answered.
    const requested = () => expect([store.registration.isUsable, lost.sort()]).toEqual([expect.anything(), ["w", "x"]]);
    await vi.waitFor(requested, SOON);
    expect(() => store.put(put("w", "late"))).toThrow();
    expect(await outcomeOf(store.waitUntilDurable("w"))).toBe("refused");
    await vi.waitFor(() => expect(store.registration.isUsable).toBe(true), SOON);
    expect(await store.claimOverdue(9)).toEqual(["w"]);
    expect(await taken(store, "w")).toEqual(["due"]);
  });

  it("a stalled database does not make memory grow", async ({ onTestFinished }) => {
    const { store, database } = await twoNodes(onTestFinished);
    let go: () => void = () => undefined;
    database.next(COMMIT, { is: "held", until: new Promise<void>((resolve) => (go = resolve)) });
    const text = "x".repeat(1 << 20);
    store.put(put("w", "first"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    let count = 0;
    expect(() => {
      for (; count < 200; count++) store.put(put("w", `b-${count}`, { text }));
    }).toThrow();
    expect(count).toBeLessThan(100);
    go();
    const outcome = await outcomeOf(store.waitUntilDurable("w"));
    if (outcome === "written") await store.release("w");
    expect(await taken(store, "w")).toHaveLength(outcome === "written" ? count + 1 : 1);
  });

  it("in any way and at any time, confirmed changes are stored, and data that a node shows remains", async ({
    onTestFinished,
  }) => {
    const plan = fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      fc.constant({ is: "refused", code: "40P01" } as const),
      fc.constant({ is: "cut, done later", ms: 60 } as const),
      fc.constant({ is: "cut, sent later", when: 60 } as const),
      fc.constant({ is: "done, answer lost" } as const),
    );
    const world = fc.constantFrom("w", "x");
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant("add" as const), world, times: fc.integer({ min: 1, max: 3 }), plan }),
      },
      fc.record({ do: fc.constant("move" as const), world, times: fc.constant(1), plan }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const url = await postgres.newDatabase();
        const nodes = [await nodeOn(url, onTestFinished), await nodeOn(url, onTestFinished)];
        const view = new Map<string, string[]>([
          ["w", []],
          ["x", []],
        ]);
        const owners = new Map([
          ["w", 0],
          ["x", 0],
        ]);
        for (const id of ["w", "x"]) nodes[0]?.store.put({ load: id, rows: [] });
        await nodes[0]?.store.waitUntilDurable();
        let names = 0;
        for (const { do: what, world: id, times, plan: failing } of steps) {
          const at = owners.get(id) as number;
          const { store, database } = nodes[at] as (typeof nodes)[number];
          const known = view.get(id) as string[];
          if (failing)
            (what === "add" ? database : nodes[1 - at]?.database)?.next(what === "add" ? COMMIT : TAKING, failing);
          if (what === "move") {
            await store.release(id);
            owners.set(id, 1 - at);
            const now = await taken(nodes[1 - at]?.store as SharedStore, id);
            expect(now).toEqual(known);
            continue;
          }
          const added = Array.from({ length: times }, () => `b-${String(++names).padStart(4, "0")}`);
          await vi.waitFor(() => expect(store.registration.isUsable).toBe(true), SOON);
          for (const each of added) store.put(put(id, each));
          if ((await outcomeOf(store.waitUntilDurable(id))) === "written") known.push(...added);
          else {
            const now = await taken(store, id);
            // All of them, or none: they were one batch.
            expect([known, [...known, ...added]]).toContainEqual(now);
            view.set(id, now);
          }
        }
        for (const { database } of nodes) await database.aside();
        for (const [id, known] of view) {
          await nodes[owners.get(id) as number]?.store.release(id);
          expect(await taken(nodes[0]?.store as SharedStore, id)).toEqual(known);
        }
        await Promise.all(nodes.map(({ store }) => store.close()));
      }),
      { numRuns: extent(6, 10, 60) },
    );
  });
});
