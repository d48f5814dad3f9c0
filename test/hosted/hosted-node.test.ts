// When a node gives up worlds and takes them again, with a store made by hand and a clock that is moved by hand.
import { afterEach, expect, it } from "vitest";
import type { World } from "../../src/engine/world/state/world.ts";
import { HostedNode } from "../../src/hosted/ownership/hosted-node.ts";
import type { SharedStore } from "../../src/hosted/postgres/store.ts";

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

function makeNode() {
  const clock = { now: 0 };
  const open = new Map<string, World>();
  const bound = new Set<string>();
  const message: string[] = [];
  const requested: string[] = [];
  const queue = {} as SharedStore["queue"];
  const store: Partial<SharedStore> = {
    registration: { isAlone: true, isUsable: true, node: "node-1" } as SharedStore["registration"],
    queue,
    waitUntilDurable: () => undefined,
    async acquire(world) {
      requested.push(`take ${world}`);
      return { is: "here", state: new Map() as never };
    },
    async release(world) {
      requested.push(`release ${world}`);
    },
  };
  const hosted = new HostedNode({
    most: 10,
    store: store as SharedStore,
    monotonic: () => clock.now,
    credentialKey: "key",
    worlds: () => [...open.values()],
    world: (id) => open.get(id),
    open: (id) => void open.set(id, { id } as World),
    close: ({ id }) => void open.delete(id),
    dueAt: () => undefined,
    isBound: (id) => bound.has(id),
    warn: (sentence) => void message.push(sentence),
    count: () => undefined,
  });
  ended.push(() => hosted.end());
  return { clock, bound, said: message, asked: requested, queue, hosted, opened: () => [...open.keys()] };
}

it("A node gives up a world to the node that forwards many requests in a row, and not back and forth", async () => {
  const { hosted, clock, bound, asked, opened } = makeNode();
  const sentOn = (from: string, times: number) => {
    for (let sent = 0; sent < times; sent++) hosted.acquireLease("w", from)?.release();
  };
  await hosted.visit("w");
  sentOn("node-2", 40);
  // It has been here for too short a time.
  expect(opened()).toEqual(["w"]);
  clock.now = 10_000;
  sentOn("node-3", 19);
  sentOn("node-2", 19);
  await hosted.visit("w");
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

it("A node notifies the lease holders of a lost world, and opens the world again on request", async () => {
  const { hosted, queue, opened, said } = makeNode();
  const location = await hosted.locate("w");
  let gone = 0;
  if (location.is === "here") location.lease.onGone(() => gone++);
  queue.onLost(["w", "not-here"], "It was taken.");
  expect(location).toMatchObject({ lease: { isLost: true } });
  expect([gone, opened(), said]).toEqual([1, [], ["It was taken. World w is opened again on the next request."]]);
  expect(await hosted.locate("w")).toMatchObject({ is: "here", lease: { isLost: false } });
});
