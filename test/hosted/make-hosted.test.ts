// What a node does with worlds, with a store made by hand and a clock that is moved by hand: when it opens them, believes where others are,
// closes them, and lets go.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isStoreError } from "../../src/engine/log/store-error.ts";
import type { World } from "../../src/engine/world/state/world.ts";
import { HostedNode } from "../../src/hosted/ownership/hosted-node.ts";
import type { SharedStore } from "../../src/hosted/postgres/store.ts";

const SWEEP_MS = 2000;

const ended: (() => void)[] = [];
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => {
  for (const end of ended.splice(0)) end();
  vi.useRealTimers();
});

function makeNode({ most = 10 } = {}) {
  const clock = { now: 0 };
  const open = new Map<string, World>();
  const elsewhere = new Map<string, string>();
  const due = new Map<string, number>();
  const bound = new Set<string>();
  const message: string[] = [];
  const requested: string[] = [];
  const whereIs = (world: string): Awaited<ReturnType<SharedStore["locate"]>> => {
    const url = elsewhere.get(world);
    if (url) return { is: "elsewhere", url };
    return world.startsWith("no-") ? { is: "unknown" } : { is: "free", found: {} as never };
  };
  const store: Partial<SharedStore> & { usable: boolean } = {
    usable: true,
    registration: {
      isAlone: true,
      get isUsable() {
        return store.usable;
      },
      node: "node-1",
      /** Finds another node, which has started since the last heartbeat. */
      async announce() {
        this.isAlone = false;
      },
    } as SharedStore["registration"],
    queue: {} as SharedStore["queue"],
    waitUntilDurable: () => undefined,
    async acquire(world) {
      requested.push(`take ${world}`);
      const found = whereIs(world);
      return found.is === "elsewhere" || found.is === "unknown"
        ? found
        : { is: "here", epoch: 1, state: new Map() as never, team: null };
    },
    async locate(world) {
      requested.push(`where ${world}`);
      return whereIs(world);
    },
    async release(world) {
      requested.push(`release ${world}`);
    },
    async claimOverdue(most) {
      return [...due].flatMap(([world, at]) => (at <= clock.now && !open.has(world) ? [world] : [])).slice(0, most);
    },
    async releaseAllWorlds() {
      requested.push("release all");
      return true;
    },
    readDatabaseTime: () => clock.now,
  };
  const hosted = new HostedNode({
    most,
    store: store as unknown as SharedStore,
    monotonic: () => clock.now,
    credentialKey: "key",
    worlds: () => [...open.values()],
    world: (id) => open.get(id),
    open: (id) => void open.set(id, { id } as World),
    close: ({ id }) => void open.delete(id),
    dueAt: ({ id }) => due.get(id),
    isBound: (id) => bound.has(id),
    warn: (sentence) => void message.push(sentence),
    count: () => undefined,
  });
  ended.push(() => hosted.end());
  return {
    clock,
    open,
    elsewhere,
    due,
    bound,
    said: message,
    asked: requested,
    store,
    hosted,
    lose: (...worlds: string[]) => store.queue?.onLost(worlds, "It was taken."),
    async pass(ms: number) {
      for (let left = ms; left > 0; left -= 500) {
        clock.now += Math.min(left, 500);
        await vi.advanceTimersByTimeAsync(Math.min(left, 500));
      }
    },
    /** Opened, used and left. */
    async visit(world: string) {
      const location = await hosted.locate(world);
      if (location.is !== "here") throw new Error(`${world} is ${location.is}`);
      location.lease.release();
    },
    opened: () => [...open.keys()].sort(),
  };
}

describe("A node", () => {
  it("gives up a world to the node that forwards many requests in a row, and not back and forth", async () => {
    const { hosted, clock, bound, asked, opened, visit } = makeNode();
    const sentOn = (from: string, times: number) => {
      for (let sent = 0; sent < times; sent++) hosted.acquireLease("w", from)?.release();
    };
    await visit("w");
    sentOn("node-2", 40);
    // It has been here for too short a time.
    expect(opened()).toEqual(["w"]);
    clock.now = 10_000;
    sentOn("node-3", 19);
    sentOn("node-2", 19);
    await visit("w");
    sentOn("node-2", 19);
    expect(opened()).toEqual(["w"]);
    bound.add("w");
    sentOn("node-2", 1);
    expect(opened()).toEqual(["w"]);
    bound.clear();
    const stream = hosted.acquireLease("w", "node-2");
    sentOn("node-2", 1);
    expect(opened()).toEqual(["w"]);
    stream?.release();
    expect([opened(), asked]).toEqual([[], ["take w", "release w"]]);
  });

  it("opens worlds with due work while the database can be used", async () => {
    const { due, visit, pass, opened, store } = makeNode();
    await visit("used");
    due.set("overdue", 0);
    store.usable = false;
    await pass(SWEEP_MS);
    expect(opened()).toEqual(["used"]);
    store.usable = true;
    await pass(SWEEP_MS);
    expect(opened()).toEqual(["overdue", "used"]);
  });

  it("notifies the lease holders of a lost world, and opens the world again on request", async () => {
    const { hosted, lose, opened, said } = makeNode();
    const location = await hosted.locate("w");
    let gone = 0;
    if (location.is === "here") location.lease.onGone(() => gone++);
    lose("w", "not-here");
    expect(location).toMatchObject({ lease: { isLost: true } });
    expect([gone, opened(), said]).toEqual([1, [], ["It was taken. World w is opened again on the next request."]]);
    expect(await hosted.locate("w")).toMatchObject({ is: "here", lease: { isLost: false } });
  });

  it("takes no worlds while it stops, serves for three seconds, and waits for its requests", async () => {
    const { hosted, elsewhere, due, opened, asked } = makeNode();
    const location = await hosted.locate("w");
    let hasLeft = false;
    const leaving = hosted.leave().then(() => {
      hasLeft = true;
    });
    due.set("overdue", 0);
    const guest = hosted.acquireLease("w");
    expect([hosted.isLeaving, hasLeft, opened(), guest === undefined]).toEqual([true, false, ["w"], false]);
    guest?.release();
    elsewhere.set("x", "http://b");
    expect(await hosted.locate("x")).toEqual({ is: "elsewhere", url: "http://b" });
    expect(await hosted.locate("no-world")).toEqual({ is: "unknown" });
    expect(isStoreError(await hosted.locate("free").catch((reason) => reason))).toBe(true);
    await vi.waitFor(() => {
      const late = hosted.acquireLease("w");
      late?.release();
      expect(late).toBeUndefined();
    }, 30_000);
    expect(asked).not.toContain("release all");
    if (location.is === "here") location.lease.release();
    await leaving;
    expect([asked.at(-1), opened()]).toEqual(["release all", []]);
  });
});
