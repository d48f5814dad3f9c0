// A client id and a token name their world, and lead to it in one step, however many worlds there are, and whatever happens to a world.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { Collection } from "../../../src/engine/world/state/collection.ts";
import { openSandbox, type TestSandbox, type TestWorld, worldOf } from "../../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
});
afterAll(() => sandbox.close());
afterEach(() => vi.restoreAllMocks());

const isKnown = async (world: TestWorld, token: string) => (await world.call("getMe", { token })).status === 200;
/** Whether its credentials still give a token. */
const gives = (world: TestWorld) =>
  world.token().then(
    () => true,
    () => false,
  );

it("Looking up what nobody has looks at as many records with four hundred worlds as with one", async () => {
  const own = await openSandbox({ fixture: "empty" });
  const world = await own.world();
  const { keyOf, tokenOf, worlds, states } = own.running.application;
  const token = await world.token();
  const cost = async () => {
    const reads = vi.spyOn(Collection.prototype, "get");
    const lists = vi.spyOn(worlds, "all");
    expect([keyOf("nobody"), tokenOf("nothing")]).toEqual([undefined, undefined]);
    const misses = reads.mock.calls.length + lists.mock.calls.length;
    expect(keyOf(world.clientId)?.world.id).toBe(world.id);
    const all = reads.mock.calls.length + lists.mock.calls.length;
    vi.restoreAllMocks();
    return { misses, all };
  };
  const alone = await cost();
  states.fork(worlds.get(world.id)!, 400);
  expect(worlds.all().length).toBeGreaterThan(400);
  expect(await cost()).toEqual(alone);
  expect(alone).toEqual({ misses: 2, all: 3 });
  expect(await isKnown(world, token)).toBe(true);
  await own.close();
});

describe("A world is still found by its token and its client id after", () => {
  const cases: [string, (world: TestWorld) => Promise<unknown>][] = [
    ["a reset", (world) => world.control("post", "state/reset")],
    [
      "an import",
      async (world) => {
        const { body } = await world.control("get", "state");
        expect((await world.control("put", "state", body)).status).toBe(200);
      },
    ],
    [
      "a snapshot that is put back",
      async (world) => {
        expect((await world.control("put", "snapshots/before")).status).toBeLessThan(300);
        await world.control("post", "snapshots/before/restore");
      },
    ],
    ["being forked", (world) => world.control("post", `worlds/${world.id}/fork`, { count: 2 })],
    [
      "being forked, and its fork removed",
      async (world) => {
        const { body } = await world.control("post", `worlds/${world.id}/fork`, { count: 1 });
        expect((await world.control("delete", `worlds/${body.items[0].id}`)).status).toBe(204);
      },
    ],
  ];
  it.each(cases)("%s", async (_, change) => {
    const world = await sandbox.world();
    const token = await world.token();
    await change(world);
    expect([await isKnown(world, token), await gives(world)]).toEqual([true, true]);
  });
});

it("A fork is found by credentials of its own, and the original's lead to the original", async () => {
  const world = await sandbox.world();
  const token = await world.token();
  const [made] = (await world.control("post", `worlds/${world.id}/fork`, { count: 1 })).body.items;
  const fork = worldOf(sandbox.url, made.id, made.client_id, made.client_secret);
  const { keyOf, tokenOf } = sandbox.running.application;
  expect(keyOf(world.clientId)?.world.id).toBe(world.id);
  expect(keyOf(fork.clientId)?.world.id).toBe(fork.id);
  expect(await isKnown(fork, await fork.token())).toBe(true);
  await world.control("delete", `worlds/${world.id}`);
  expect([await isKnown(world, token), await gives(world), await gives(fork)]).toEqual([false, false, true]);
  expect(keyOf(world.clientId) ?? tokenOf(token)).toBeUndefined();
});

it("A new key, and the removal of its tokens, are seen at once", async () => {
  const world = await sandbox.world();
  const { client_id, client_secret } = (await world.act("createKey", { name: "Second", scopes: ["booking.read"] })).body
    .result;
  const second = worldOf(sandbox.url, world.id, client_id, client_secret);
  const token = await second.token();
  expect(await isKnown(world, token)).toBe(true);
  await world.act("revokeKey", { client_id });
  expect(await isKnown(world, token)).toBe(false);
});

it("A refused change leaves no trace: what was written and undone is not found", async () => {
  const world = await sandbox.world();
  const { change, keyOf, worlds } = sandbox.running.application;
  const key = {
    id: "client-undone",
    secret: "s",
    name: "n",
    scopes: [],
    created_at: "2030-06-01T09:00:00.000Z",
    position: 2,
  };
  const work = () =>
    change(worlds.get(world.id)!, { kind: "request", id: "test" }, (tx) => {
      tx.keys.put(key);
      tx.keys.remove(world.clientId);
      throw new Error("no");
    });
  expect(work).toThrow("no");
  expect([keyOf(key.id), keyOf(world.clientId)?.world.id]).toEqual([undefined, world.id]);
});

it("A restart finds every world again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "directory-"));
  const data = join(folder, "w.json");
  const first = await openSandbox({ fixture: "empty", data });
  const [one, other] = [await first.world(), await first.world()];
  const tokens = [await one.token(), await other.token()];
  await first.close();
  const second = await openSandbox({ data });
  for (const [at, { id, clientId, clientSecret }] of [one, other].entries()) {
    const again = worldOf(second.url, id, clientId, clientSecret);
    expect([await isKnown(again, tokens[at] as string), await gives(again)]).toEqual([true, true]);
  }
  await second.close();
  rmSync(folder, { recursive: true });
});

it("A client id without a world, from a data file of an earlier version, is of the world default", async () => {
  const { change, worlds } = sandbox.running.application;
  const key = { id: "0cb75c7419901fa5d1749c3c", secret: "s", name: "n", scopes: ["booking.read"], position: 2 };
  const created_at = "2030-06-01T09:00:00.000Z";
  change(worlds.get("default")!, { kind: "request", id: "test" }, (tx) => tx.keys.put({ ...key, created_at }));
  const old = worldOf(sandbox.url, "default", key.id, key.secret);
  expect(await old.token()).toMatch(/^default\./);
});

it("The id of a world may have dots", async () => {
  const { id, client_id, client_secret } = (
    await (await sandbox.world()).control("post", "worlds", { id: "build-1.2.3" })
  ).body;
  const world = worldOf(sandbox.url, id, client_id, client_secret);
  expect(client_id).toMatch(/^build-1\.2\.3\.[0-9a-f]{24}$/);
  expect(await isKnown(world, await world.token())).toBe(true);
});

it("A world that is closed is forgotten here with its snapshots, and is as it was when it is opened again", async () => {
  const world = await sandbox.world();
  const { states, worlds, log } = sandbox.running.application;
  await world.control("put", "snapshots/before");
  const token = await world.token();
  const state = [...worlds.copyState(new Set([world.id, `${world.id}@before`]))];
  states.close(worlds.get(world.id)!);
  expect([worlds.get(world.id), worlds.snapshots(world.id), log.list(world.id, {})]).toEqual([undefined, [], []]);
  expect(await isKnown(world, token)).toBe(false);
  states.open(world.id, state);
  expect([await isKnown(world, token), worlds.snapshots(world.id)]).toEqual([true, ["before"]]);
});

it("the first key of a world stays its own, however many are created at the same instant", async () => {
  const world = await sandbox.world();
  for (let count = 0; count < 8; count++)
    expect((await world.act("createKey", { name: `Key ${count}`, scopes: ["openid"] })).status).toBe(200);
  const names = (await world.control("get", `worlds/${world.id}/credentials`)).body.items.map(
    ({ name }: { name: string }) => name,
  );
  expect(names.slice(1)).toEqual(Array.from({ length: 8 }, (_, count) => `Key ${count}`));
  const { client_id } = (await world.control("post", "token", {})).body;
  expect(client_id).toBe(world.clientId);
});
