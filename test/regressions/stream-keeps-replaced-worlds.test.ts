// The stream cached the texts of entries by the entry itself, which refers to its world: one client with view=full kept every replaced
// world in memory, also after it had disconnected.
import { expect, it } from "vitest";
import type { World } from "../../src/engine/world/state/world.ts";
import { collectGarbage } from "../garbage.ts";
import { shareSandbox, type TestWorld } from "../sandbox.ts";

const ROUNDS = 20;

const sandbox = shareSandbox();

/** Opens the stream; `read: false` is a client that receives the head and then reads nothing. */
async function openStream(world: string, read: boolean) {
  const client = new AbortController();
  const { body } = await fetch(`${sandbox.url}/_sandbox/stream?world=${world}&view=full`, { signal: client.signal });
  const reading = read ? body?.pipeTo(new WritableStream()).catch(() => undefined) : undefined;
  return {
    async close() {
      client.abort();
      await reading;
    },
  };
}

/** References to each world that was replaced or removed. */
async function replaceWorlds({ id, act, call }: TestWorld): Promise<WeakRef<World>[]> {
  const { worlds } = sandbox.running.application;
  const gone: WeakRef<World>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const url = `${sandbox.url}/_sandbox`;
    const send = (path: string, body?: object, method = "POST") =>
      fetch(`${url}${path}`, {
        method,
        ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
      });
    gone.push(new WeakRef(worlds.get(id) as World));
    // Entries of requests and acts refer to their world.
    expect((await call("listBookings", { query: { limit: 1 } })).status).toBe(200);
    expect((await act("submitConsent", { full_name: "A", email: "a@example.com", source: "checkout" })).status).toBe(
      200,
    );
    expect((await send(`/state/populate?world=${id}`, { bookings: 5 })).status).toBe(200);
    gone.push(new WeakRef(worlds.get(id) as World));
    expect((await send(`/state/reset?world=${id}`)).status).toBe(200);
    const forked = await send(`/worlds/${id}/fork`, {});
    const [fork] = ((await forked.json()) as { items: { id: string }[] }).items;
    gone.push(new WeakRef(worlds.get(fork?.id ?? "") as World));
    expect((await send(`/worlds/${fork?.id}`, undefined, "DELETE")).status).toBe(204);
  }
  return gone;
}

it.each([
  ["a client that stays", true, false],
  ["a client that reads nothing", false, false],
  ["a client that has gone", true, true],
])("%s keeps no replaced world in memory", async (_, read, closesFirst) => {
  const world = await sandbox.world();
  const stream = await openStream(world.id, read);
  const gone = await replaceWorlds(world);
  expect(gone).toHaveLength(3 * ROUNDS);
  if (closesFirst) await stream.close();
  await expect
    .poll(() => {
      collectGarbage();
      // The latest may still be referred to by work that is about to end.
      return gone.slice(0, -3).filter((world) => world.deref() !== undefined).length;
    })
    .toBe(0);
  await stream.close();
});
