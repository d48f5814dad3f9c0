// Bulk data by the control API: with progress, once a job, and stopped by a client that goes away.
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { extent } from "../../../extent.ts";
import { openSandbox, type TestSandbox, type TestWorld } from "../../../sandbox.ts";

let sandbox: TestSandbox;
let world: TestWorld;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "harbour-tours" });
});
afterAll(() => sandbox.close());
beforeEach(async () => {
  world = await sandbox.world();
});

interface Asked {
  bookings: number;
  job?: string;
  seed?: string;
}

const populate = (body: Asked, accept = "application/json", signal?: AbortSignal, at = world) =>
  fetch(`${sandbox.url}/_sandbox/state/populate?world=${at.id}`, {
    method: "POST",
    headers: { "content-type": "application/json", accept },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
const inLines = (body: Asked, signal?: AbortSignal) => populate(body, "text/plain, application/x-ndjson;q=0.9", signal);
// biome-ignore lint/suspicious/noExplicitAny: tests read lines of every shape
const linesOf = (text: string): any[] => {
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
};
const bookingsIn = async (): Promise<number> => (await world.control("get", `worlds/${world.id}`)).body.counts.bookings;
/** Until the work of all jobs so far has ended: they are done one after the other. */
const untilIdle = async () => {
  const other = await sandbox.world();
  expect((await populate({ bookings: 1 }, undefined, undefined, other)).status).toBe(200);
};

describe("Bulk data", () => {
  it("is told of in lines with what was made so far, the last of which is the answer", async () => {
    const were = await bookingsIn();
    const answer = await inLines({ bookings: 60, seed: "5" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson; charset=utf-8"]);
    const reported = linesOf(await answer.text());
    const last = reported.pop();
    expect(reported[0]).toEqual({ bookings: 0, of: 60 });
    expect(reported.at(-1)).toEqual({ bookings: 60, of: 60 });
    const made = reported.map(({ bookings }) => bookings);
    expect(made).toEqual([...made].sort((a, b) => a - b));
    expect(Math.max(...made)).toBe(60);
    expect(last).toMatchObject({ world: world.id, seed: "5", added: { bookings: 60 } });
    expect(await bookingsIn()).toBe(were + 60);
  });

  it("is refused before the first line where that can be known, and in the last where the world is changed", async () => {
    expect((await inLines({ bookings: 0 })).status).toBe(400);
    expect((await fetch(`${sandbox.url}/_sandbox/state/populate?world=none`, { method: "POST" })).status).not.toBe(200);
    const were = await bookingsIn();
    const answer = await inLines({ bookings: 600 });
    expect(
      (await world.act("submitConsent", { full_name: "A", email: "a@example.com", source: "checkout" })).status,
    ).toBe(200);
    expect(linesOf(await answer.text()).at(-1)).toEqual({
      status: 409,
      code: "CONFLICT",
      message: expect.stringMatching(/^World .* was changed while bookings were made for it, so none was added\./),
    });
    expect(await bookingsIn()).toBe(were);
  });

  it("is added although deliveries are attempted meanwhile, whose attempts stay", async () => {
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

  it("is rejected where the world would have more than 10,000 bookings", async () => {
    const were = await bookingsIn();
    expect((await populate({ bookings: 10_001 })).status).toBe(400);
    const answer = await populate({ bookings: 10_000 - were + 1 });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining("10,001 bookings, and a world has at most 10,000") }),
    ]);
    expect(await bookingsIn()).toBe(were);
  });

  it.each([
    ["lines", inLines],
    ["one answer", (body: Asked, signal: AbortSignal) => populate(body, undefined, signal)],
  ])("stops and adds nothing when its client goes away: %s", async (_, ask) => {
    const were = await bookingsIn();
    const client = new AbortController();
    const requested = ask({ bookings: 10_000 - (await bookingsIn()), job: "long" }, client.signal);
    requested.then((answer) => answer.text()).catch(() => undefined);
    for (let turns = 0; turns < 10; turns++) await turn();
    client.abort();
    const began = performance.now();
    await untilIdle();
    // All of them take many seconds.
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await bookingsIn()).toBe(were);
    const { items } = (await world.control("get", "log")).body;
    expect(items.filter(({ change }: { change?: string }) => change === "populate")).toEqual([]);
    // Its id is free again, also for another number.
    expect((await populate({ bookings: 3, job: "long" })).status).toBe(200);
  });
});

describe("A job", () => {
  it("is done once: at the same time, and afterwards; other jobs and worlds have their own", async () => {
    const were = await bookingsIn();
    const [one, two, lines] = await Promise.all([
      populate({ bookings: 60, job: "load" }),
      populate({ bookings: 60, job: "load" }),
      inLines({ bookings: 60, job: "load" }),
    ]);
    const first = await one.json();
    expect([await two.json(), linesOf(await lines.text()).at(-1)]).toEqual([first, first]);
    const again = await populate({ bookings: 60, job: "load" });
    expect([again.status, await again.json()]).toEqual([200, first]);
    expect(await bookingsIn()).toBe(were + 60);
    await populate({ bookings: 10, job: "more" });
    expect(await (await populate({ bookings: 60, job: "load" })).json()).toEqual(first);
    const other = await sandbox.world();
    expect(await (await populate({ bookings: 60, job: "load" }, undefined, undefined, other)).json()).toMatchObject({
      world: other.id,
    });
    expect(await bookingsIn()).toBe(were + 70);
    const { items } = (await world.control("get", "log")).body;
    const entries = items.filter(({ change }: { change?: string }) => change === "populate");
    expect(entries.map(({ detail }: { detail: { added: { bookings: number } } }) => detail.added.bookings)).toEqual([
      60, 10,
    ]);
  });

  it("is refused for anything else than at first, before any line", async () => {
    await populate({ bookings: 5, job: "load" });
    for (const body of [
      { bookings: 6, job: "load" },
      { bookings: 5, job: "load", seed: "2" },
    ])
      for (const ask of [populate, inLines]) {
        const answer = await ask(body);
        expect([answer.status, await answer.json()]).toEqual([
          409,
          {
            code: "JOB_IS_ANOTHER",
            message: `The job load of world ${world.id} was asked for with 5 bookings and without a seed. Ask for the same, or give the other job another id.`,
          },
        ]);
      }
  });

  it("goes on as long as one of its clients waits", async () => {
    const were = await bookingsIn();
    const client = new AbortController();
    const gone = inLines({ bookings: 300, job: "shared" }, client.signal).then((answer) => answer.text());
    const stays = inLines({ bookings: 300, job: "shared" });
    expect((await stays).status).toBe(200);
    client.abort();
    await expect(gone).rejects.toThrow();
    expect(linesOf(await (await stays).text()).at(-1)).toMatchObject({ added: { bookings: 300 } });
    expect(await bookingsIn()).toBe(were + 300);
  });

  it("is known wherever the bookings are: in a fork, an export, a snapshot, and after a restart", async () => {
    const folder = mkdtempSync(join(tmpdir(), "jobs-"));
    const settings = { fixture: "harbour-tours", data: join(folder, "w.json"), clock: undefined };
    const here = await openSandbox(settings);
    const made = await here.world();
    const ask = async (url: string, world: string, bookings = 5) =>
      (
        await fetch(`${url}/_sandbox/state/populate?world=${world}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ bookings, job: "load", seed: "3" }),
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
        code: "JOB_IS_ANOTHER",
        message: `The job load of world ${id} was asked for with 5 bookings and with the seed 3. Ask for the same, or give the other job another id.`,
      });
      expect(await count(id)).toBe(were);
    }
    await again.close();
    rmSync(folder, { recursive: true });
  });

  it("is forgotten with the state that it made", async () => {
    const { added } = (await (await populate({ bookings: 5, job: "load" })).json()) as { added: { bookings: number } };
    expect(added.bookings).toBe(5);
    const were = await bookingsIn();
    await world.control("post", "state/reset");
    expect(await bookingsIn()).toBe(were - 5);
    await populate({ bookings: 5, job: "load" });
    expect(await bookingsIn()).toBe(were);
  });
});

/** Nothing for `npm test`. */
const MANY = extent(0, 5000, 9_000);
it.skipIf(MANY === 0)(
  `${MANY} bookings are told of to the end, while others are answered`,
  async () => {
    const were = await bookingsIn();
    const lines = inLines({ bookings: MANY, job: "large" });
    const reported = linesOf(await (await lines).text());
    expect(reported.at(-1)).toMatchObject({ added: { bookings: MANY } });
    // How many lines there are is the machine's business.
    expect(reported.length).toBeGreaterThan(2);
    expect(await (await populate({ bookings: MANY, job: "large" })).json()).toEqual(reported.at(-1));
    expect(await bookingsIn()).toBe(were + MANY);
  },
  600_000,
);
