// The stream: requests, facts and clock moves of one world, as they happen.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openSandbox, type TestSandbox } from "../sandbox.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
});
afterAll(() => sandbox.close());

type Events = { event: string; data: unknown }[];

/** Reads server-sent events until `enough`; resolves once it is heard. */
async function listen(world: string, enough: (events: Events) => boolean): Promise<{ heard: Promise<Events> }> {
  const stop = new AbortController();
  const answer = await fetch(`${sandbox.url}/_sandbox/stream?world=${world}`, { signal: stop.signal });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: Events = [];
  const heard = (async () => {
    let rest = "";
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/s.exec(part) ?? [];
        if (event) events.push({ event, data: JSON.parse(data ?? "null") });
      }
      if (enough(events)) break;
    }
    stop.abort();
    return events;
  })();
  return { heard };
}

it("tells what happens in its world, each in one event, and nothing of another", async () => {
  const [world, other] = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  const token = await world.token();
  const answer = await fetch(`${sandbox.url}/_sandbox`, { headers: { "sandbox-world": world.id } });
  expect(answer.status).toBe(200);
  const { heard } = await listen(world.id, (events) => events.some(({ event }) => event === "clock"));
  await other.call("getMe");
  const me = await world.call("listBookings", { token, query: "note=a%0Aevent:%20fake" });
  await world.act("submitConsent", { full_name: "Anna\n\nevent: fake", email: "anna@example.com", source: "checkout" });
  await world.control("post", "clock/advance", { by: "PT1H" });
  const events = await heard;
  expect(events.map(({ event }) => event)).toEqual([
    "request",
    ...events.slice(1, -2).map(() => "fact"),
    "act",
    "clock",
  ]);
  expect(events.at(-2)?.data).toMatchObject({ at: expect.stringMatching(/Z$/), act: "submitConsent" });
  expect(events[0]?.data).toMatchObject({
    id: me.headers["sandbox-request-id"],
    world: world.id,
    operation: "listBookings",
    status: 200,
  });
  expect(events.at(-1)?.data).toEqual({ now: "2030-06-01T10:00:00.000Z", happened: 0 });
});

it("lets go of listeners that have gone", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const { activity } = sandbox.running.application;
  const before = activity.listeners;
  const { heard } = await listen(world.id, (events) => events.length > 0);
  expect(activity.listeners).toBe(before + 1);
  await world.call("getMe");
  await heard;
  await vi.waitFor(() => expect(activity.listeners).toBe(before), { timeout: 30_000 });
});

it("lets go of a listener that reads nothing, before it fills the memory", async () => {
  const world = await sandbox.world({ fixture: "empty" });
  const { activity } = sandbox.running.application;
  const before = activity.listeners;
  const { hostname, port } = new URL(sandbox.url);
  const deaf = connect(Number(port), hostname, () => {
    deaf.pause();
    deaf.write(`GET /_sandbox/stream?world=${world.id} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  });
  deaf.on("error", () => undefined);
  await vi.waitFor(() => expect(activity.listeners).toBe(before + 1), { timeout: 30_000 });
  const data = "x".repeat(1_000_000);
  for (let told = 0; told < 40; told++) {
    activity.tell({ type: "request", world: world.id, data });
    await new Promise(setImmediate);
  }
  await vi.waitFor(() => expect(activity.listeners).toBe(before), { timeout: 30_000 });
  deaf.destroy();
});
