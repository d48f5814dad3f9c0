// What the dispatcher does with receivers of every kind, on a clock that is held in the hand.
import { describe, expect, it } from "vitest";
import { deleteSubscription, replaceSubscription } from "../../../src/engine/domain/company/subscription.ts";
import {
  book,
  eventually,
  isGenuine,
  later,
  makeHouse,
  NOON,
  receive,
  sendBookingTo,
  startDispatcher,
  subscribe,
} from "./kit.ts";

/** A second at which the clock on the wall stands, for what is compared with it. */
const WALL = Date.parse("2030-06-01T09:00:00Z");

/** One booking told to one receiver, attempted once. */
async function attemptOnce(url: string, { timeoutMs = 30_000, wall }: { timeoutMs?: number; wall?: number } = {}) {
  const sandbox = makeHouse();
  if (wall !== undefined) sandbox.wall = () => wall;
  const { dispatcher } = sendBookingTo(url, timeoutMs, sandbox);
  await eventually(() => sandbox.attempts.length > 0);
  return { sandbox, dispatcher, delivery: sandbox.deliveries()[0]!, attempt: sandbox.deliveries()[0]!.attempts[0]! };
}

describe("A message", () => {
  it("reaches its receiver signed, and the attempt and its response are recorded", async () => {
    const { url, got } = await receive((response) => void response.writeHead(201, { "x-seen": "yes" }).end("thanks"));
    const { delivery, attempt, sandbox } = await attemptOnce(url);
    expect(delivery.state).toBe("DELIVERED");
    expect(attempt).toMatchObject({
      at: NOON,
      outcome: "ACCEPTED",
      answer: { status: 201, body: "thanks", headers: { "x-seen": "yes" } },
    });
    expect(got).toHaveLength(1);
    expect(got[0]!.body).toBe(sandbox.messages()[0]!.body);
    expect(got[0]!.headers).toMatchObject(attempt.request.headers);
    expect(isGenuine(got[0]!)).toBe(true);
  });

  it("is sent after earlier messages", async () => {
    const sandbox = makeHouse();
    const order: string[] = [];
    const { url, until } = await receive((response, _, { headers }) => {
      order.push(String(headers["webhook-id"]));
      setTimeout(() => response.end(), 1);
    });
    startDispatcher(sandbox);
    subscribe(sandbox, url.replace("127.0.0.1", "localhost"), ["v1.booking.created"]);
    for (let count = 0; count < 60; count++) sandbox.commit((tx) => book(tx));
    await until(60);
    expect(order).toEqual(sandbox.messages().map(({ id }) => id));
  });

  it("is retried by the schedule, with the same id and a fresh signature, and then given up", async () => {
    const { url, got } = await receive((response) => void response.writeHead(500).end("no"));
    const { sandbox, dispatcher } = await attemptOnce(url);
    const waits = ["PT5S", "PT5M", "PT30M", "PT2H", "PT5H", "PT10H", "PT10H"];
    let at = NOON;
    for (const wait of waits) {
      at = later(at, wait);
      expect(dispatcher.findNextDue(sandbox.own)).toBe(at);
      sandbox.at(at);
      const receipt = await dispatcher.attemptDue(sandbox.own);
      expect(receipt).toEqual([{ at, what: "deliveryAttempted", id: sandbox.deliveries()[0]!.id, facts: [] }]);
    }
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "GIVEN_UP", tries: 8 });
    expect(dispatcher.findNextDue(sandbox.own)).toBeUndefined();
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(got.every((each) => isGenuine(each))).toBe(true);
  });

  it("is retried automatically on a running clock, a hundred times faster with --retry fast", async () => {
    const sandbox = makeHouse({}, "fast");
    sandbox.run();
    const { url, until, got } = await receive(
      (response, index) => void response.writeHead(index === 1 ? 503 : 200).end(),
    );
    sendBookingTo(url, undefined, sandbox);
    await until(2);
    expect(got[1]!.at - got[0]!.at).toBeGreaterThanOrEqual(45);
    await eventually(() => sandbox.deliveries()[0]!.state === "DELIVERED");
  });

  it.each([
    ["in seconds", () => "3600", "PT1H"],
    ["as a date", () => new Date(WALL + 3_600_000).toUTCString(), "PT1H"],
    ["less than the schedule", () => "1", "PT5S"],
    ["longer than a year", () => "999999999999", "P365D"],
    ["nonsense", () => "soon", "PT5S"],
  ])("waits for the time in Retry-After: %s", async (_, value, least) => {
    const { url } = await receive((response) => void response.writeHead(429, { "retry-after": value() }).end());
    const { delivery } = await attemptOnce(url, { wall: WALL });
    expect(delivery.next_attempt_at! >= later(NOON, least)).toBe(true);
    expect(delivery.next_attempt_at! <= later(later(NOON, least), "PT5S")).toBe(true);
  });

  it("is not retried after a 410, which disables the subscription", async () => {
    const { url, got } = await receive((response) => void response.writeHead(410).end());
    const sandbox = makeHouse();
    const { id } = subscribe(sandbox, url);
    for (let count = 0; count < 30; count++) sandbox.commit((tx) => book(tx));
    const dispatcher = startDispatcher(sandbox);
    const [first] = await dispatcher.attemptDue(sandbox.own);
    expect(first?.facts).toEqual([{ fact: "webhook_subscription.updated", id }]);
    expect(sandbox.own.copy().subscriptions.get(id)?.state).toBe("DISABLED");
    expect(new Set(sandbox.deliveries().map(({ state }) => state))).toEqual(new Set(["GIVEN_UP"]));
    expect(got).toHaveLength(1);
  });
});

describe("A receiver that", () => {
  it.each<[string, Parameters<typeof receive>[0], object]>([
    ["never answers", () => {}, { outcome: "TIMED_OUT", answer: null, error: expect.stringContaining("within 2 s") }],
    [
      "answers half and hangs",
      (response) => void response.writeHead(200, { "content-length": "10" }).write("half"),
      { outcome: "TIMED_OUT", answer: { status: 200, headers: { "content-length": "10" }, body: "half" } },
    ],
    [
      "answers half and closes",
      (response) => {
        response.writeHead(200, { "content-length": "10" }).write("half");
        setTimeout(() => response.destroy(), 20);
      },
      {
        outcome: "UNREACHABLE",
        answer: { status: 200, body: "half" },
        error: expect.stringContaining("before its response was complete"),
      },
    ],
    [
      "closes at once",
      (response) => void response.destroy(),
      { outcome: "UNREACHABLE", answer: null, error: expect.stringContaining("ECONNRESET") },
    ],
    [
      "redirects",
      (response) => void response.writeHead(302, { location: "/hook" }).end(),
      { outcome: "REFUSED", answer: { status: 302 } },
    ],
    [
      "answers 10 MB",
      (response) => void response.writeHead(200).end(Buffer.alloc(10_000_000, 97)),
      { outcome: "ACCEPTED", answer: { status: 200, body: "a".repeat(4096) } },
    ],
    [
      "answers with endless headers",
      (response) => void response.writeHead(200, { x: "y".repeat(30_000) }).end(),
      { outcome: "UNREACHABLE", answer: null },
    ],
    [
      "switches protocols",
      (response) => void response.socket?.end("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      { outcome: "UNREACHABLE" },
    ],
    ["speaks no HTTP", (response) => void response.socket?.end("hello\r\n\r\n"), { outcome: "UNREACHABLE" }],
  ])("%s is recorded correctly", async (_, answer, expected) => {
    const began = Date.now();
    const { url, got } = await receive(answer);
    const { attempt } = await attemptOnce(
      url,
      "outcome" in expected && expected.outcome === "TIMED_OUT" ? { timeoutMs: 2000 } : {},
    );
    expect(attempt).toMatchObject({ ...expected });
    expect(attempt.duration_ms).toBeLessThanOrEqual(Date.now() - began);
    expect(got).toHaveLength(1);
  });

  it.each([
    [
      "is not there",
      "http://127.0.0.1:1/",
      { outcome: "UNREACHABLE", error: expect.stringContaining("Nothing listens at 127.0.0.1:1") },
    ],
    ["has no name", "http://nowhere.invalid/", { outcome: "UNREACHABLE" }],
  ])("%s is recorded correctly", async (_, url, expected) => {
    const { attempt } = await attemptOnce(url, { timeoutMs: 30_000 });
    expect(attempt).toMatchObject({ ...expected, answer: null });
  });

  it("is link-local is never sent to", async () => {
    const sandbox = makeHouse();
    startDispatcher(sandbox);
    const { id } = subscribe(sandbox, "http://127.0.0.1:1/");
    sandbox.commit((tx) =>
      tx.subscriptions.put({ ...tx.subscriptions.get(id)!, url: "http://169.254.169.254/latest" }),
    );
    sandbox.commit((tx) => book(tx));
    await eventually(() => sandbox.attempts.length > 0);
    expect(sandbox.deliveries()[0]).toMatchObject({
      state: "GIVEN_UP",
      attempts: [{ outcome: "BLOCKED", answer: null }],
    });
  });

  it("never responds does not delay others", async () => {
    const dead = await receive(() => {});
    const alive = await receive();
    const sandbox = makeHouse();
    startDispatcher(sandbox, 60_000);
    subscribe(sandbox, dead.url, ["v1.booking.created"]);
    subscribe(sandbox, alive.url, ["v1.booking.created"]);
    for (let count = 0; count < 50; count++) sandbox.commit((tx) => book(tx));
    await alive.until(50);
    expect(sandbox.attempts.filter(({ delivery }) => delivery.url === dead.url)).toEqual([]);
    expect(dead.got.length).toBeLessThanOrEqual(10);
  });

  it("sends requests in its handler works, also during a clock move", async () => {
    const sandbox = makeHouse();
    const { url } = await receive((response, index) => {
      if (index <= 3) sandbox.commit((tx) => book(tx));
      response.end();
    });
    const dispatcher = startDispatcher(sandbox);
    subscribe(sandbox, url, ["v1.booking.created"]);
    sandbox.after = () => undefined;
    sandbox.commit((tx) => book(tx));
    sandbox.after = () => dispatcher.wake(sandbox.own);
    const receipt = [...(await dispatcher.attemptDue(sandbox.own)), ...(await dispatcher.attemptDue(sandbox.own))];
    await eventually(() => sandbox.attempts.length === 4);
    expect(receipt.length).toBeGreaterThanOrEqual(1);
    expect(sandbox.deliveries().map(({ state }) => state)).toEqual(Array(4).fill("DELIVERED"));
  });
});

describe("A subscription", () => {
  const failOnce = async () => {
    const { url, got } = await receive((response) => void response.writeHead(500).end());
    const { sandbox } = sendBookingTo(url);
    await eventually(() => sandbox.attempts.length === 1);
    return { sandbox, got };
  };

  it("that is deleted drops its deliveries in the same commit", async () => {
    const { sandbox } = await failOnce();
    sandbox.commit((tx) => deleteSubscription(tx, [...tx.subscriptions.walk("created")][0]!));
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "DROPPED", settled_at: NOON });
    expect(sandbox.deliveries()[0]!.next_attempt_at).toBeUndefined();
  });

  it("that is disabled drops them too, and gets nothing new", async () => {
    const { sandbox, got } = await failOnce();
    sandbox.commit((tx) => {
      const known = [...tx.subscriptions.walk("created")][0]!;
      replaceSubscription(tx, known, { url: known.url, event_types: known.event_types, state: "DISABLED" });
    });
    expect(sandbox.deliveries()[0]!.state).toBe("DROPPED");
    sandbox.commit((tx) => book(tx));
    expect(sandbox.messages()).toHaveLength(2);
    expect(sandbox.deliveries()).toHaveLength(1);
    expect(got).toHaveLength(1);
  });

  it("that is created disabled with pending deliveries, as in a copy, drops them when they are due", async () => {
    const sandbox = makeHouse();
    const { id } = subscribe(sandbox, "http://127.0.0.1:1/");
    for (let count = 0; count < 30; count++) sandbox.commit((tx) => book(tx));
    sandbox.commit((tx) => tx.subscriptions.put({ ...tx.subscriptions.get(id)!, state: "DISABLED" }));
    const dispatcher = startDispatcher(sandbox);
    expect(await dispatcher.attemptDue(sandbox.own)).toEqual([]);
    expect(new Set(sandbox.deliveries().map(({ state }) => state))).toEqual(new Set(["DROPPED"]));
  });
});

describe("The dispatcher", () => {
  it("continues after a restart with the pending deliveries", async () => {
    const sandbox = makeHouse();
    const { url, got, until } = await receive();
    subscribe(sandbox, url);
    for (let count = 0; count < 5; count++) sandbox.commit((tx) => book(tx));
    sandbox.reopen();
    startDispatcher(sandbox).wake(sandbox.own);
    await until(5);
    await eventually(() => sandbox.attempts.length === 5);
    expect(got.map(({ headers }) => headers["webhook-id"])).toEqual(sandbox.messages().map(({ id }) => id));
  });

  it("keeps deliveries pending that did not end within a second after closing", async () => {
    const { url, until } = await receive(() => {});
    const { sandbox, dispatcher } = sendBookingTo(url, 60_000);
    await until(1);
    const receipt = dispatcher.attemptDue(sandbox.own);
    await dispatcher.close();
    expect(await receipt).toEqual([]);
    expect(sandbox.deliveries()[0]).toMatchObject({ state: "PENDING", attempts: [] });
    expect(dispatcher.findNextDue(sandbox.own)).toBeUndefined();
    expect(await dispatcher.attemptDue(sandbox.own)).toEqual([]);
  });

  it("reports when an attempt could not be recorded, and does not send it repeatedly", async () => {
    const { url, got } = await receive();
    const sandbox = makeHouse();
    const dispatcher = startDispatcher(sandbox);
    subscribe(sandbox, url);
    sandbox.after = () => undefined;
    sandbox.commit((tx) => book(tx));
    const change = sandbox.change;
    sandbox.change = () => {
      throw new Error("the disk is full");
    };
    await expect(dispatcher.attemptDue(sandbox.own)).rejects.toThrow("the disk is full");
    expect(got).toHaveLength(1);
    sandbox.change = change;
    expect(await dispatcher.attemptDue(sandbox.own)).toHaveLength(1);
    expect(sandbox.deliveries()[0]!.state).toBe("DELIVERED");
  });
});
