// A client id and a token name their world, and lead to it in one step, however many worlds there are, and whatever happens to a world.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { openSandbox, shareSandbox, type TestWorld, worldOf } from "../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty" });
afterEach(() => vi.restoreAllMocks());

const isKnown = async (world: TestWorld, token: string) => (await world.call("getMe", { token })).status === 200;
/** Whether its credentials still give a token. */
const gives = (world: TestWorld) =>
  world.token().then(
    () => true,
    () => false,
  );

it("A fork is found by credentials of its own, and the original by its own", async () => {
  const world = await sandbox.world();
  const token = await world.token();
  const [made] = (await world.control("post", `worlds/${world.id}/fork`, { count: 1 })).body.items;
  const fork = worldOf(sandbox.url, made.id, made.client_id, made.client_secret);
  const { findKey, findToken } = sandbox.running.application;
  expect(findKey(world.clientId)?.world.id).toBe(world.id);
  expect(findKey(fork.clientId)?.world.id).toBe(fork.id);
  expect([await isKnown(fork, await fork.token()), await isKnown(world, token)]).toEqual([true, true]);
  await world.control("delete", `worlds/${world.id}`);
  expect([await isKnown(world, token), await gives(world), await gives(fork)]).toEqual([false, false, true]);
  expect(findKey(world.clientId) ?? findToken(token)).toBeUndefined();
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

it("A client id without a world, from a data file of an earlier version, belongs to the world default", async () => {
  const { change, worlds } = sandbox.running.application;
  const key = { id: "0cb75c7419901fa5d1749c3c", secret: "s", name: "n", scopes: ["booking.read"], position: 2 };
  const created_at = "2030-06-01T09:00:00.000Z";
  change(worlds.get("default")!, { kind: "request", id: "test" }, (tx) => tx.keys.put({ ...key, created_at }));
  const old = worldOf(sandbox.url, "default", key.id, key.secret);
  expect(await old.token()).toMatch(/^default\./);
});

it("The id of a world can have dots", async () => {
  const { id, client_id, client_secret } = (
    await (await sandbox.world()).control("post", "worlds", { id: "build-1.2.3" })
  ).body;
  const world = worldOf(sandbox.url, id, client_id, client_secret);
  expect(client_id).toMatch(/^build-1\.2\.3\.[0-9a-f]{24}$/);
  expect(await isKnown(world, await world.token())).toBe(true);
});

it("the first key of a world stays the first, however many are created at the same instant", async () => {
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
