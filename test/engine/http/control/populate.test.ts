// Bulk data by the control API: all or none, once for a key, and stopped by a client that disconnects.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openSandbox, shareSandbox, type TestWorld } from "../../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "harbour-tours" });
let world: TestWorld;
beforeEach(async () => {
  world = await sandbox.world();
});

interface PopulateCall {
  bookings: number;
  key?: string;
  seed?: string;
}

const populate = ({ key, ...body }: PopulateCall, signal?: AbortSignal, at = world) =>
  fetch(`${sandbox.url}/_sandbox/state/populate?world=${at.id}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
const bookingsIn = async (): Promise<number> => (await world.control("get", `worlds/${world.id}`)).body.counts.bookings;
/** Until all work so far has ended: one request is carried out at a time. */
const untilIdle = async () => {
  const other = await sandbox.world();
  expect((await populate({ bookings: 1 }, undefined, other)).status).toBe(200);
};

describe("Bulk data", () => {
  it("is added, and the response describes it", async () => {
    const were = await bookingsIn();
    const answer = await populate({ bookings: 60, seed: "5" });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { world: world.id, seed: "5", added: { bookings: 60 } },
    ]);
    expect(await bookingsIn()).toBe(were + 60);
  });

  it("is rejected for wrong input, and for a world that changes at the same time", async () => {
    expect((await populate({ bookings: 0 })).status).toBe(400);
    expect((await populate({ bookings: 1, key: "x".repeat(101) })).status).toBe(400);
    const were = await bookingsIn();
    const answer = populate({ bookings: 3000 });
    // The work has begun by then, and takes seconds.
    await pause(200);
    expect(
      (await world.act("submitConsent", { full_name: "A", email: "a@example.com", source: "checkout" })).status,
    ).toBe(200);
    expect(await (await answer).json()).toEqual({
      code: "CONFLICT",
      message: expect.stringMatching(/^World .* was changed while bookings were made for it, so none was added\./),
    });
    expect(await bookingsIn()).toBe(were);
  });

  it("is added during delivery attempts, which are stored", async () => {
    const receiver = createServer((_, response) => response.writeHead(500).end()).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const { port } = receiver.address() as AddressInfo;
    world = await sandbox.world({ webhook_url: `http://127.0.0.1:${port}/hook` });
    await world.act("submitConsent", { full_name: "A", email: "a@example.com", source: "checkout" });
    const firstMessage = async () => (await world.control("get", "messages")).body.items[0];
    await expect.poll(async () => (await firstMessage())?.deliveries[0].attempts.length).toBe(1);
    const [were, { id }] = [await bookingsIn(), await firstMessage()];

    let isAdded = false;
    const adding = populate({ bookings: 2000 }).then((answer) => {
      isAdded = true;
      return answer.status;
    });
    expect((await world.control("post", `messages/${id}/resend`, {})).status).toBe(200);
    await expect.poll(async () => (await firstMessage()).deliveries[0].attempts.length, { interval: 5 }).toBe(2);
    expect(isAdded).toBe(false);

    expect(await adding).toBe(200);
    expect(await bookingsIn()).toBe(were + 2000);
    expect((await firstMessage()).deliveries[0].attempts.length).toBe(2);
    receiver.close();
  });

  it("is rejected if the world would have more than 10,000 bookings", async () => {
    const were = await bookingsIn();
    expect((await populate({ bookings: 10_001 })).status).toBe(400);
    const answer = await populate({ bookings: 10_000 - were + 1 });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining("10,001 bookings, and a world has at most 10,000") }),
    ]);
    expect(await bookingsIn()).toBe(were);
  });

  it("stops and adds nothing when its client disconnects", async () => {
    const were = await bookingsIn();
    const client = new AbortController();
    const requested = populate({ bookings: 10_000 - were, key: "long" }, client.signal);
    requested.catch(() => undefined);
    for (let turns = 0; turns < 10; turns++) await turn();
    client.abort();
    const began = performance.now();
    await untilIdle();
    // All of them take many seconds.
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await bookingsIn()).toBe(were);
    const { items } = (await world.control("get", "log")).body;
    expect(items.filter(({ change }: { change?: string }) => change === "populate")).toEqual([]);
    // Its key is free again, also for another number.
    expect((await populate({ bookings: 3, key: "long" })).status).toBe(200);
  });
});

describe("A request with an Idempotency-Key", () => {
  it("is processed once, both concurrently and later, and other keys and worlds are independent", async () => {
    const were = await bookingsIn();
    const [one, two] = await Promise.all([
      populate({ bookings: 60, key: "load" }),
      populate({ bookings: 60, key: "load" }),
    ]);
    const first = await one.json();
    expect(await two.json()).toEqual(first);
    const again = await populate({ bookings: 60, key: "load" });
    expect([again.status, await again.json()]).toEqual([200, first]);
    expect(await bookingsIn()).toBe(were + 60);
    const { items } = (await world.control("get", "log")).body;
    const entries = items.filter(({ change }: { change?: string }) => change === "populate");
    expect(entries.map(({ detail }: { detail: { added: { bookings: number } } }) => detail.added.bookings)).toEqual([
      60,
    ]);
    await populate({ bookings: 10, key: "more" });
    expect(await (await populate({ bookings: 60, key: "load" })).json()).toEqual(first);
    const other = await sandbox.world();
    expect(await (await populate({ bookings: 60, key: "load" }, undefined, other)).json()).toMatchObject({
      world: other.id,
    });
    expect(await bookingsIn()).toBe(were + 70);
  });

  it("is rejected if it differs from the first request", async () => {
    await populate({ bookings: 5, key: "load" });
    for (const body of [
      { bookings: 6, key: "load" },
      { bookings: 5, key: "load", seed: "2" },
    ]) {
      const answer = await populate(body);
      expect([answer.status, await answer.json()]).toEqual([
        409,
        {
          code: "IDEMPOTENCY_KEY_REUSED",
          message: `The Idempotency-Key load was used in world ${world.id} for 5 bookings and without a seed. Send the same request, or use another key.`,
        },
      ]);
    }
  });

  it("is recognized wherever the bookings are: in a fork, an export, a snapshot, and after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "jobs-"));
    const settings = { fixture: "harbour-tours", data: join(folder, "w.json"), clock: undefined };
    const here = await openSandbox(settings);
    const made = await here.world();
    const ask = async (url: string, world: string, bookings = 5) =>
      (
        await fetch(`${url}/_sandbox/state/populate?world=${world}`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": "load" },
          body: JSON.stringify({ bookings, seed: "3" }),
        })
      ).json();
    const { world: _, ...first } = (await ask(here.url, made.id)) as { world: string; added: { bookings: number } };
    expect(first.added.bookings).toBe(5);
    const [fork] = (await made.control("post", `worlds/${made.id}/fork`, {})).body.items;
    await made.control("put", "snapshots/full");
    await made.control("post", "snapshots/full/restore");
    const exported = (await made.control("get", "state")).body;
    const copy = await here.world();
    expect((await copy.control("put", "state", exported)).status).toBe(200);
    await here.close();
    const again = await openSandbox(settings);
    const count = async (id: string) =>
      ((await (await fetch(`${again.url}/_sandbox/worlds/${id}`)).json()) as { counts: { bookings: number } }).counts
        .bookings;
    const were = await count(made.id);
    for (const id of [made.id, fork.id, copy.id]) {
      expect(await ask(again.url, id)).toEqual({ world: id, ...first });
      expect(await ask(again.url, id, 6)).toEqual({
        code: "IDEMPOTENCY_KEY_REUSED",
        message: `The Idempotency-Key load was used in world ${id} for 5 bookings and with the seed 3. Send the same request, or use another key.`,
      });
      expect(await count(id)).toBe(were);
    }
    await again.close();
    rmSync(folder, { recursive: true });
  });

  it("is forgotten with the state that it created", async () => {
    const { added } = (await (await populate({ bookings: 5, key: "load" })).json()) as { added: { bookings: number } };
    expect(added.bookings).toBe(5);
    const were = await bookingsIn();
    await world.control("post", "state/reset");
    expect(await bookingsIn()).toBe(were - 5);
    await populate({ bookings: 5, key: "load" });
    expect(await bookingsIn()).toBe(were);
  });
});
