// Told to stop under load, the sandbox finishes the answers in flight, ends within two seconds, and leaves one whole file behind.
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { request } from "node:http";
import { dirname } from "node:path";
import { expect, it, vi } from "vitest";
import { receive } from "../engine/webhooks/kit.ts";
import { crowd, openNew, openOn } from "./own-process.ts";

it("SIGTERM under load: within two seconds, all responses complete and stored, two files left", {
  timeout: 120_000,
}, async () => {
  const served = await openNew();
  const slow = { operation: "getMe", delay_ms: 700, times: 3 };
  const headers = { "content-type": "application/json", authorization: `Bearer ${served.token}` };
  const armed = JSON.stringify({ faults: [slow] });
  await fetch(`${served.url}/_sandbox/faults`, { method: "PUT", headers, body: armed });
  let requested = 0;
  const booking = crowd(served, 20, () => ++requested > 0);
  await vi.waitFor(() => expect(requested).toBeGreaterThan(60), { timeout: 60_000 });
  const inFlight = [1, 2, 3].map(async () => (await fetch(`${served.url}/v1/me`, { headers })).status);
  const stream = fetch(`${served.url}/_sandbox/stream`)
    .then((answer) => answer.text())
    .catch(() => "cut");
  const hits = async () => {
    const { faults } = (await (await fetch(`${served.url}/_sandbox/faults`)).json()) as { faults: { hits: number }[] };
    return faults[0]?.hits;
  };
  await vi.waitFor(async () => expect(await hits()).toBe(3), { timeout: 60_000 });

  const { code, stderr, tenths } = await served.stop();
  expect([code, stderr]).toEqual([0, ""]);
  expect(tenths).toBeLessThan(20);
  expect(await Promise.all(inFlight)).toEqual([200, 200, 200]);
  await stream;
  const { made, refused } = await booking;
  // A connection that is closed has no answer; an answer that comes is a whole one.
  expect(refused.every(({ status }) => status === 0)).toBe(true);
  expect(made.length).toBeGreaterThan(20);
  expect(readdirSync(dirname(served.file))).toEqual(["world.json", "world.json.log"]);

  const again = await openOn(served.file);
  const retained = new Set(await again.bookings());
  expect(made.filter((id) => !retained.has(id))).toEqual([]);
  await again.end("SIGKILL");
});

it("SIGTERM during a clock move that waits for a silent receiver: within two seconds, with a response to the move", {
  timeout: 120_000,
}, async () => {
  const receiver = await receive(() => undefined);
  const served = await openNew({ more: ["--webhook-url", receiver.url, "--webhook-events", "v1.booking.created"] });
  expect((await served.book()).status).toBe(201);
  await receiver.until(1);
  const moved = await begun(`${served.url}/_sandbox/clock/advance`, { by: "PT1H" });

  const { code, stderr, tenths } = await served.stop();
  expect([code, stderr]).toEqual([0, ""]);
  expect(tenths).toBeLessThan(20);
  expect(await moved.status).toBe(200);

  const again = await openOn(served.file, { clock: null });
  const deliveries = (await again.state()).deliveries as unknown as { state: string }[];
  expect(deliveries.map(({ state }) => state)).toEqual(["PENDING"]);
  await again.end("SIGKILL");
});

/** A request that the server has begun to read, as its 100 says (RFC 9110 §10.1.1): one that it hasn't may find a closed door. */
async function begun(url: string, body: object): Promise<{ status: Promise<number | undefined> }> {
  const headers = { "content-type": "application/json", expect: "100-continue" };
  const post = request(url, { method: "POST", headers });
  const status = once(post, "response").then(([answer]) => answer.resume().statusCode as number | undefined);
  post.flushHeaders();
  await once(post, "continue");
  post.end(JSON.stringify(body));
  return { status };
}
