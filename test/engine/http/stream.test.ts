// The stream: what is added to the log of a world, or of all, as it happens and from where a reader was before.
import { connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { renewWorld, shareSandbox, type TestWorld } from "../../sandbox.ts";

const sandbox = shareSandbox({ fixture: "empty", logBytes: 4 * 1024 * 1024 });
const world = renewWorld(() => sandbox.world({ fixture: "empty" }));

interface Event {
  event: string;
  id?: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  data: any;
}

function eventOf(block: string): Event[] {
  const [, event, , id, data] = /^event: (\w+)\n(id: (\d+)\n)?data: (.*)$/.exec(block) ?? [];
  return event ? [{ event, ...(id ? { id: Number(id) } : {}), data: JSON.parse(data ?? "null") }] : [];
}

/** Reads server-sent events until `enough`; resolves once it is heard. */
async function listen(query: string, enough: (events: Event[]) => boolean, headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const answer = await fetch(`${sandbox.url}/_sandbox/stream?${query}`, { signal: stop.signal, headers });
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const events: Event[] = [];
  const heard = (async () => {
    let rest = "";
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + Buffer.from(chunk).toString()).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) events.push(...eventOf(part));
      if (enough(events)) break;
    }
    stop.abort();
    return events;
  })();
  return { heard };
}

const consent = (world: TestWorld, name = "Anna") =>
  world.act("submitConsent", { full_name: name, email: "anna@example.com", source: "checkout" });
const names = (events: readonly Event[]) => events.map(({ event }) => event);
const seqOf = async (world: TestWorld): Promise<number> => (await world.control("get", "log")).body.seq;
const last = (event: string) => (events: Event[]) => events.at(-1)?.event === event;

it("continues from before a populate, which restarts the history of a world but not its log", async () => {
  const harbour = await sandbox.world({ fixture: "harbour-tours" });
  const since = await seqOf(harbour);
  await consent(harbour);
  expect((await harbour.control("post", "state/populate", { bookings: 1 })).status).toBe(200);
  const { heard } = await listen(`world=${harbour.id}&since=${since}`, last("world"));
  expect(names(await heard)).toEqual(["hello", "fact", "act", "world"]);
});

it("sends each event of its world once, and none of another world", async () => {
  const other = await sandbox.world({ fixture: "empty" });
  const token = await world.token();
  const { heard } = await listen(`world=${world.id}`, last("clock"));
  await other.call("getMe");
  const me = await world.call("listBookings", { token, query: "note=a%0Aevent:%20fake" });
  await consent(world, "Anna\n\nevent: fake");
  await world.control("post", "clock/advance", { by: "PT1H" });
  const events = await heard;
  const facts = events.filter(({ event }) => event === "fact");
  expect(names(events)).toEqual(["hello", "request", ...facts.map(() => "fact"), "act", "clock"]);
  expect(events[0]?.data).toEqual({ instance: sandbox.running.application.instance, seq: expect.any(Number) });
  expect(events[1]).toMatchObject({
    id: events[1]?.data.seq,
    data: { id: me.headers["sandbox-request-id"], world: world.id, operation: "listBookings", status: 200 },
  });
  const act = events.at(-2)?.data;
  expect(act).toMatchObject({ act: "submitConsent", status: "done", id: expect.stringMatching(/^act-/) });
  for (const { data } of facts) {
    expect(data.cause).toEqual({ kind: "act", id: act.id });
    expect([data.at, data.wall_at]).toEqual([act.at, expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)]);
    expect(data.seq).toBeLessThan(act.seq);
  }
  expect(events.at(-1)?.data).toMatchObject({
    id: expect.stringMatching(/^clk-/),
    to: "2030-06-01T10:00:00.000Z",
    from: "2030-06-01T09:00:00.000Z",
    counts: { due: 0, deliveries: 0 },
    by: { kind: "request", id: expect.stringMatching(/^req-/) },
  });
});

it.each([
  ["since", (seq: number) => [`&since=${seq}`, {}] as const],
  ["Last-Event-ID", (seq: number) => ["&since=1", { "last-event-id": String(seq) }] as const],
])("continues where %s points, and then with live events", async (_, from) => {
  const token = await world.token();
  await world.call("getMe", { token });
  const seq = await seqOf(world);
  const missed = await consent(world);
  const [query, headers] = from(seq);
  const { heard } = await listen(`world=${world.id}&view=summary${query}`, last("request"), headers);
  await world.call("getMe", { token });
  const events = await heard;
  const facts = missed.body.facts.map(() => "fact");
  expect(names(events)).toEqual(["hello", ...facts, "act", "request"]);
  expect(events.at(-1)?.data).not.toHaveProperty("answer");
  const ids = events.flatMap(({ id }) => id ?? []);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
});

it.each([
  ["a number that is still to come", () => "since=999999999"],
  ["another instance", (seq: number) => `since=${seq}&instance=another`],
])("of another run, which %s shows, starts with everything", async (_, query) => {
  await consent(world);
  const { heard } = await listen(`world=${world.id}&${query(await seqOf(world))}`, last("act"));
  expect(names(await heard).slice(0, 2)).toEqual(["hello", "world"]);
});

it("of all worlds is in one order, and includes the creation and deletion of worlds", async () => {
  const since = await seqOf(world);
  const { heard } = await listen(`world=*&since=${since}`, (events) => events.at(-1)?.data.change === "removed");
  const worlds = [await sandbox.world({ fixture: "empty" }), await sandbox.world({ fixture: "empty" })];
  for (const world of worlds) await consent(world);
  await worlds[0]?.control("delete", `worlds/${worlds[0].id}`);
  const events = (await heard).filter(({ event }) => event === "act" || event === "world");
  expect(events.map(({ event, data }) => [event, data.world, data.change ?? data.act])).toEqual([
    ...worlds.map(({ id }) => ["world", id, "created"]),
    ...worlds.map(({ id }) => ["act", id, "submitConsent"]),
    ["world", worlds[0]?.id, "removed"],
  ]);
});

it("contains only matching events", async () => {
  const token = await world.token();
  const { heard } = await listen(`world=${world.id}&kinds=request,act&failed=true`, last("act"));
  await world.call("getMe", { token });
  await world.call("getBooking", { path: { bookingId: "nope" }, token });
  await consent(world);
  await world.act("cancelBooking", { booking_id: "nope" });
  expect((await heard).map(({ event, data }) => `${event} ${data.code ?? ""}`)).toEqual([
    "hello ",
    "request NOT_FOUND",
    "act NOT_FOUND",
  ]);
});

it("is filtered by cause, by client and by text, as the log is", async () => {
  await world.call("getMe");
  await consent(world, "Anna");
  for (const by of ["PT1H", "PT2H"]) await world.control("post", "clock/advance", { by });
  await consent(world, "Bertha");
  const { items } = (await world.control("get", "log?kinds=clock")).body;
  const eventsOf = async (filter: string, final: string) =>
    names(await (await listen(`world=${world.id}&since=0&${filter}`, last(final))).heard);
  expect(await eventsOf(`caused_by=${items.at(-1).by.id}`, "clock")).toEqual(["hello", "clock"]);
  expect(await eventsOf(`client_id=${world.clientId}&operation=getMe`, "request")).toEqual(["hello", "request"]);
  expect(await eventsOf("q=bertha", "act")).toEqual(["hello", "act"]);
});

it("rejects a filter that can match nothing", async () => {
  const answer = await fetch(`${sandbox.url}/_sandbox/stream?operation=getBokking`);
  expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
    400,
    expect.stringContaining("Did you mean getBooking?"),
  ]);
});

it("is the same for every reader of a view", async () => {
  const views = ["full", "summary"].flatMap((view) => Array.from({ length: 20 }, () => view));
  const readers = await Promise.all(views.map((view) => listen(`world=${world.id}&view=${view}`, last("clock"))));
  await world.control("post", "clock/advance", { by: "PT1H" });
  const heard = await Promise.all(readers.map((reader) => reader.heard));
  expect(new Set(heard.map((events) => JSON.stringify(events.slice(1)))).size).toBe(2);
});

it("releases disconnected listeners", async () => {
  const { followers } = sandbox.running.application;
  const before = followers.size;
  const { heard } = await listen(`world=${world.id}`, (events) => events.length > 1);
  expect(followers.size).toBe(before + 1);
  await world.call("getMe");
  await heard;
  await vi.waitFor(() => expect(followers.size).toBe(before), { timeout: 30_000 });
});

describe("A paused reader", () => {
  /** Reads only when it is told to. */
  async function pausing(world: TestWorld): Promise<{ socket: Socket; events: () => Event[] }> {
    const { followers } = sandbox.running.application;
    const before = followers.size;
    const { hostname, port } = new URL(sandbox.url);
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET /_sandbox/stream?world=${world.id} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    });
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk;
    });
    await vi.waitFor(() => expect(followers.size).toBe(before + 1), { timeout: 30_000 });
    socket.pause();
    // Its pieces are framed by lines with their lengths.
    const events = () =>
      text
        .replace(/\r\n[0-9a-f]+\r\n/g, "")
        .split("\n\n")
        .flatMap(eventOf);
    return { socket, events };
  }

  const add = (world: TestWorld, count: number, bytes: number) => {
    const { log, newId } = sandbox.running.application;
    const details = JSON.stringify({ change: "snapshot", detail: { text: "x".repeat(bytes) } });
    for (let reported = 0; reported < count; reported++)
      log.add(
        { kind: "world", id: newId("wld"), world: world.id, at: "2030-06-01T09:00:00.000Z", failed: false, facts: [] },
        details,
      );
  };

  it("gets all entries from the log when it reads again", async () => {
    const { socket, events } = await pausing(world);
    add(world, 40, 90_000);
    socket.resume();
    await vi.waitFor(() => expect(events().filter(({ event }) => event === "world")).toHaveLength(40), {
      timeout: 30_000,
    });
    expect(names(events())).not.toContain("gap");
    socket.destroy();
  });

  it("is told how many entries the log has dropped, and uses no memory of its own", async () => {
    const { socket, events } = await pausing(world);
    const { log } = sandbox.running.application;
    const earlier = log.list(world.id, {}).length;
    for (let round = 0; round < 40; round++) {
      add(world, 20, 100_000);
      await turn();
    }
    const { count, since } = log.findDropped([world.id]);
    const added = { before: earlier, kept: log.list(world.id, {}).length };
    expect(count + added.kept).toBeGreaterThanOrEqual(800 + earlier);
    socket.resume();
    await vi.waitFor(
      () => {
        const got = events();
        const missed = got.filter(({ event }) => event === "gap").map(({ data }) => data.dropped.count as number);
        const sum = missed.reduce((all, each) => all + each, 0);
        const received = got.filter(({ event }) => event === "world").length;
        // The count of a gap may include entries that the log has dropped too, though the reader began after them.
        expect(received + sum).toBeGreaterThanOrEqual(800);
        expect(received).toBeLessThan(100);
      },
      { timeout: 30_000 },
    );
    const gap = events().findLast(({ event }) => event === "gap");
    expect(gap?.data.dropped.since).toBe(since);
    add(world, 1, 10);
    await expect.poll(() => events().at(-1)?.id).toBe(sandbox.running.application.activityLog.lastSeq);
    socket.destroy();
  });
});
