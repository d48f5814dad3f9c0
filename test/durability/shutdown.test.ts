// Told to stop under load, the sandbox finishes the answers in flight, ends within two seconds, and leaves one whole file behind.
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { crowd, openNew, openOn } from "./own-process.ts";

it("SIGTERM under load: within two seconds, every answer whole and kept, one file left", {
  timeout: 30_000,
}, async () => {
  const served = await openNew();
  const slow = { operation: "getMe", delay_ms: 700, times: 3 };
  const headers = { "content-type": "application/json", authorization: `Bearer ${served.token}` };
  const armed = JSON.stringify({ faults: [slow] });
  await fetch(`${served.url}/_sandbox/faults`, { method: "PUT", headers, body: armed });
  const booking = crowd(served, 20, () => true);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const inFlight = [1, 2, 3].map(async () => (await fetch(`${served.url}/v1/me`, { headers })).status);
  const stream = fetch(`${served.url}/_sandbox/stream`).then((answer) => answer.text().catch(() => "cut"));
  await new Promise((resolve) => setTimeout(resolve, 100));

  const { code, stderr, seconds } = await served.end("SIGTERM");
  expect([code, stderr]).toEqual([0, ""]);
  expect(seconds).toBeLessThan(2);
  expect(await Promise.all(inFlight)).toEqual([200, 200, 200]);
  await stream;
  const { made, refused } = await booking;
  // A connection that is closed has no answer; an answer that comes is a whole one.
  expect(refused.every(({ status }) => status === 0)).toBe(true);
  expect(made.length).toBeGreaterThan(20);
  expect(readdirSync(dirname(served.file))).toEqual(["world.json"]);

  const again = await openOn(served.file);
  const kept = new Set(await again.bookings());
  expect(made.filter((id) => !kept.has(id))).toEqual([]);
  await again.end("SIGKILL");
});
