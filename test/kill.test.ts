// An answered write survives: a server takes bookings, is killed without a warning at some moment, and is started again. Every
// booking that was acknowledged is there, with its tickets and its order. Five and twenty times on one data file.
import { join } from "node:path";
import { expect, it } from "vitest";
import { folder, type Started, startSandboxCommand } from "./cli/run-sandbox.ts";
import type { Answered } from "./house.ts";
import { wishFor } from "./operations/kit.ts";

const ROUNDS = 25;
const data = join(folder, "killed.json");

interface Served extends Started {
  ask(path: string, body?: unknown): Promise<Answered["body"]>;
}

async function serve(): Promise<Served> {
  const started = startSandboxCommand([
    "start",
    "--json",
    "--port",
    "0",
    "--data",
    data,
    "--clock",
    "2030-06-01T09:00:00Z",
  ]);
  const ready = JSON.parse((await started.shows("\n")).split("\n")[0] ?? "");
  const credentials = { client_id: ready.client_id, client_secret: ready.client_secret };
  const form = new URLSearchParams({ grant_type: "client_credentials", audience: ready.url, ...credentials });
  const { access_token } = (await (
    await fetch(ready.token_url, { method: "POST", body: form })
  ).json()) as Answered["body"];
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  return {
    ...started,
    async ask(path, body) {
      const control = path.startsWith("/_sandbox");
      const answer = await fetch(ready.url + path, {
        headers: control ? { "content-type": "application/json" } : headers,
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      });
      const came = (await answer.json()) as Answered["body"];
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(came)}`);
      return came;
    },
  };
}

/** A sequence that is the same at every run. */
function* seeded(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

/** Books in eight lanes until the server is gone; what was acknowledged goes on the list. */
async function bookUntilKilled(server: Served, acknowledged: string[], delay: number): Promise<void> {
  const lanes = Array.from({ length: 8 }, async () => {
    for (;;) acknowledged.push((await server.ask("/v1/bookings", wishFor("evt-large"))).id);
  });
  setTimeout(() => server.child.kill("SIGKILL"), delay);
  await Promise.allSettled(lanes);
  await server.ended;
}

/** Every one of these bookings, with its ticket and its order, and each once. */
async function mustBeThere(server: Served, acknowledged: readonly string[], latest: readonly string[]): Promise<void> {
  const orders = new Map<string, Answered["body"]>();
  const listed = new Map<string, Answered["body"]>();
  for (const [path, note] of [
    ["/v1/orders", (order: Answered["body"]) => orders.set(order.origin.id, order)],
    ["/v1/bookings", (booking: Answered["body"]) => listed.set(booking.id, booking)],
  ] as const) {
    let cursor = "";
    do {
      const page = await server.ask(`${path}?cursor=${cursor}`);
      for (const item of page.items) note(item);
      cursor = page.next ?? "";
    } while (cursor !== "");
  }
  expect(acknowledged.filter((id) => !listed.has(id) || orders.get(id)?.payment_status !== "PAID")).toEqual([]);
  await Promise.all(
    latest.map(async (id) => {
      const { items } = await server.ask(`/v1/bookings/${id}/tickets`);
      expect([id, items.length, items[0]?.status]).toEqual([id, 1, "ACTIVE"]);
    }),
  );
  const { capacity } = await server.ask("/v1/events/evt-large");
  expect(capacity.reserved).toBe([...listed.values()].filter(({ event_id }) => event_id === "evt-large").length);
}

it("no acknowledged booking is lost in twenty-five kills", async () => {
  const chance = seeded(7);
  const acknowledged: string[] = [];
  const counts: number[] = [];
  let server = await serve();
  const session = { start_time: "2030-06-20T08:00:00", end_time: "2030-06-20T09:00:00" };
  await server.ask("/_sandbox/acts/createEvent", {
    id: "evt-large",
    experience_id: "exp-canal",
    sessions: [session],
    capacity: 1_000_000,
  });
  for (let round = 0; round < ROUNDS; round++) {
    const before = acknowledged.length;
    await bookUntilKilled(server, acknowledged, 5 + Math.floor(90 * (chance.next().value ?? 0)));
    counts.push(acknowledged.length - before);
    server = await serve();
    await mustBeThere(server, acknowledged, acknowledged.slice(before));
  }
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(ROUNDS / 2);
  server.child.kill("SIGTERM");
  expect((await server.ended).code).toBe(0);
}, 90_000);
