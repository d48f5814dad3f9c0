// What the courier does with receivers of every kind, on a clock that is held in the hand.
import { afterEach, describe, expect, it } from "vitest";
import { deleteSubscription, replaceSubscription } from "../../src/domain/subscription.ts";
import { type Courier, makeCourier } from "../../src/webhooks/courier.ts";
import {
  book,
  eventually,
  isGenuine,
  later,
  makeHouse,
  NOON,
  newEvent,
  type Receiver,
  receive,
  subscribe,
  type TestHouse,
} from "./kit.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const keep = <T extends { close(): Promise<void> }>(each: T): T => {
  open.push(each);
  return each;
};
const receiver = async (...wish: Parameters<typeof receive>) => keep(await receive(...wish));

function start(house: TestHouse, timeoutMs?: number): Courier {
  const courier = keep(makeCourier(house, timeoutMs));
  house.after = () => courier.nudge(house.own);
  return courier;
}

/** One booking told to one receiver, attempted once. */
async function attemptOnce(
  url: string,
  { timeoutMs = 5000, assumed = {} }: { timeoutMs?: number; assumed?: Record<string, string> } = {},
) {
  const house = makeHouse(assumed);
  const courier = start(house, timeoutMs);
  subscribe(house, url, ["v1.booking.created"]);
  house.commit((desk) => book(desk));
  await eventually(() => house.attempts.length > 0);
  return { house, courier, delivery: house.deliveries()[0]!, attempt: house.deliveries()[0]!.attempts[0]! };
}

describe("A message", () => {
  it("reaches its receiver signed, and what was sent and answered is on record", async () => {
    const { url, got } = await receiver((response) => void response.writeHead(201, { "x-seen": "yes" }).end("thanks"));
    const { delivery, attempt, house } = await attemptOnce(url);
    expect(delivery.state).toBe("DELIVERED");
    expect(attempt).toMatchObject({
      at: NOON,
      outcome: "ACCEPTED",
      answer: { status: 201, body: "thanks", headers: { "x-seen": "yes" } },
    });
    expect(got).toHaveLength(1);
    expect(got[0]!.body).toBe(house.messages()[0]!.body);
    expect(got[0]!.headers).toMatchObject(attempt.request.headers);
    expect(isGenuine(got[0]!)).toBe(true);
  });

  it("leaves after those that were told before it", async () => {
    const house = makeHouse();
    const order: string[] = [];
    const { url, until } = await receiver((response, _, { headers }) => {
      order.push(String(headers["webhook-id"]));
      setTimeout(() => response.end(), 1);
    });
    start(house);
    subscribe(house, url.replace("127.0.0.1", "localhost"), ["v1.booking.created"]);
    for (let count = 0; count < 60; count++) house.commit((desk) => book(desk));
    await until(60);
    expect(order).toEqual(house.messages().map(({ id }) => id));
  });

  it("is tried again by the schedule, with the same id and a fresh signature, and then given up", async () => {
    const { url, got } = await receiver((response) => void response.writeHead(500).end("no"));
    const { house, courier } = await attemptOnce(url);
    const waits = ["PT5S", "PT5M", "PT30M", "PT2H", "PT5H", "PT10H", "PT10H"];
    let at = NOON;
    for (const wait of waits) {
      at = later(at, wait);
      expect(courier.nextDue(house.own)).toBe(at);
      house.at(at);
      const receipt = await courier.attemptDue(house.own);
      expect(receipt).toEqual([{ at, what: "deliveryAttempted", id: house.deliveries()[0]!.id, facts: [] }]);
    }
    expect(house.deliveries()[0]).toMatchObject({ state: "GIVEN_UP", tries: 8 });
    expect(courier.nextDue(house.own)).toBeUndefined();
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(got.every((each) => isGenuine(each))).toBe(true);
  });

  it("is tried again by itself on a running clock, a hundred times faster if asked", async () => {
    const house = makeHouse({}, "fast");
    house.run();
    const { url, until, got } = await receiver(
      (response, place) => void response.writeHead(place === 1 ? 503 : 200).end(),
    );
    start(house);
    subscribe(house, url);
    house.commit((desk) => book(desk));
    await until(2);
    expect(got[1]!.at - got[0]!.at).toBeGreaterThanOrEqual(45);
    await eventually(() => house.deliveries()[0]!.state === "DELIVERED");
  });

  it.each([
    ["in seconds", () => "3600", "PT1H"],
    ["as a date", () => new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000).toUTCString(), "PT59M58S"],
    ["less than the schedule", () => "1", "PT5S"],
    ["longer than a year", () => "999999999999", "P365D"],
    ["nonsense", () => "soon", "PT5S"],
  ])("waits as long as Retry-After asks: %s", async (_, value, least) => {
    const { url } = await receiver((response) => void response.writeHead(429, { "retry-after": value() }).end());
    const { delivery } = await attemptOnce(url);
    expect(delivery.next_attempt_at! >= later(NOON, least)).toBe(true);
    expect(delivery.next_attempt_at! <= later(later(NOON, least), "PT5S")).toBe(true);
  });

  it("is not sent again to a receiver that answers 410, which wants nothing more", async () => {
    const { url, got } = await receiver((response) => void response.writeHead(410).end());
    const house = makeHouse();
    const { id } = subscribe(house, url);
    for (let count = 0; count < 30; count++) house.commit((desk) => book(desk));
    const courier = start(house);
    const [first] = await courier.attemptDue(house.own);
    expect(first?.facts).toEqual([{ fact: "webhook_subscription.updated", id }]);
    expect(house.own.collections.subscriptions.get(id)?.state).toBe("DISABLED");
    expect(new Set(house.deliveries().map(({ state }) => state))).toEqual(new Set(["GIVEN_UP"]));
    expect(got).toHaveLength(1);
  });

  it("counts as delivered by exactly 200 only, where that is assumed", async () => {
    const { url } = await receiver();
    const { attempt } = await attemptOnce(url, { assumed: { "delivery-success": "200" } });
    expect(attempt).toMatchObject({ outcome: "REFUSED", answer: { status: 204 } });
  });
});

describe("A receiver that", () => {
  it.each<[string, Parameters<typeof receive>[0], object]>([
    ["never answers", () => {}, { outcome: "TIMED_OUT", answer: null, error: expect.stringContaining("within 0.5 s") }],
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
        error: expect.stringContaining("before its answer was complete"),
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
  ])("%s is recorded as what it is", async (_, answer, expected) => {
    const began = Date.now();
    const { url, got } = await receiver(answer);
    const { attempt } = await attemptOnce(
      url,
      "outcome" in expected && expected.outcome === "TIMED_OUT" ? { timeoutMs: 500 } : {},
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
  ])("%s is recorded as what it is", async (_, url, expected) => {
    const { attempt } = await attemptOnce(url, { timeoutMs: 2000 });
    expect(attempt).toMatchObject({ ...expected, answer: null });
  });

  it("is link-local is never sent to", async () => {
    const house = makeHouse();
    start(house);
    const { id } = subscribe(house, "http://127.0.0.1:1/");
    house.commit((desk) =>
      desk.subscriptions.put({ ...desk.subscriptions.get(id)!, url: "http://169.254.169.254/latest" }),
    );
    house.commit((desk) => book(desk));
    await eventually(() => house.attempts.length > 0);
    expect(house.deliveries()[0]).toMatchObject({
      state: "GIVEN_UP",
      attempts: [{ outcome: "BLOCKED", answer: null }],
    });
  });

  it("never answers slows nobody else", async () => {
    const dead = await receiver(() => {});
    const alive = await receiver();
    const house = makeHouse();
    start(house, 60_000);
    subscribe(house, dead.url, ["v1.booking.created"]);
    subscribe(house, alive.url, ["v1.booking.created"]);
    for (let count = 0; count < 50; count++) house.commit((desk) => book(desk));
    await alive.until(50);
    expect(house.attempts.filter(({ delivery }) => delivery.url === dead.url)).toEqual([]);
    expect(dead.got.length).toBeLessThanOrEqual(10);
  });

  it("has failed before gets what is new at once", async () => {
    const { url, got, until } = await receiver((response, place) => {
      if (place <= 20) response.writeHead(500).end();
      else if (place > 25) response.end();
    });
    const house = makeHouse();
    const courier = start(house, 1000);
    subscribe(house, url, ["v1.booking.created"]);
    for (let count = 0; count < 20; count++) house.commit((desk) => book(desk));
    await eventually(() => house.attempts.length === 20);
    house.at(later(NOON, "PT5S"));
    courier.nudge(house.own);
    await until(25);
    house.commit((desk) => book(desk));
    await until(26);
    expect(JSON.parse(got[25]!.body).id).toBe(JSON.parse(house.messages().at(-1)!.body).id);
  });

  it("calls back inside its handler works, also while the clock is moved", async () => {
    const house = makeHouse();
    const { url } = await receiver((response, place) => {
      if (place <= 3) house.commit((desk) => book(desk));
      response.end();
    });
    const courier = start(house);
    subscribe(house, url, ["v1.booking.created"]);
    house.after = () => undefined;
    house.commit((desk) => book(desk));
    house.after = () => courier.nudge(house.own);
    const receipt = [...(await courier.attemptDue(house.own)), ...(await courier.attemptDue(house.own))];
    await eventually(() => house.attempts.length === 4);
    expect(receipt.length).toBeGreaterThanOrEqual(1);
    expect(house.deliveries().map(({ state }) => state)).toEqual(Array(4).fill("DELIVERED"));
  });
});

describe("A subscription", () => {
  const pending = async (house: TestHouse): Promise<Receiver> => {
    const answering = await receiver((response) => void response.writeHead(500).end());
    subscribe(house, answering.url, ["v1.booking.created"]);
    house.commit((desk) => book(desk));
    await eventually(() => house.attempts.length === 1);
    return answering;
  };

  it("that is deleted drops its deliveries in the same commit", async () => {
    const house = makeHouse();
    start(house);
    await pending(house);
    house.commit((desk) => deleteSubscription(desk, [...desk.subscriptions.walk("created")][0]!));
    expect(house.deliveries()[0]).toMatchObject({ state: "DROPPED", settled_at: NOON });
    expect(house.deliveries()[0]!.next_attempt_at).toBeUndefined();
  });

  it("that is disabled drops them too, and gets nothing new", async () => {
    const house = makeHouse();
    start(house);
    const { got } = await pending(house);
    house.commit((desk) => {
      const known = [...desk.subscriptions.walk("created")][0]!;
      replaceSubscription(desk, known, { url: known.url, event_types: known.event_types, state: "DISABLED" });
    });
    expect(house.deliveries()[0]!.state).toBe("DROPPED");
    house.commit((desk) => book(desk));
    expect(house.messages()).toHaveLength(2);
    expect(house.deliveries()).toHaveLength(1);
    expect(got).toHaveLength(1);
  });

  it("that came disabled with pending deliveries, as in a copy, has them dropped when they are due", async () => {
    const house = makeHouse();
    const { id } = subscribe(house, "http://127.0.0.1:1/");
    for (let count = 0; count < 30; count++) house.commit((desk) => book(desk));
    house.commit((desk) => desk.subscriptions.put({ ...desk.subscriptions.get(id)!, state: "DISABLED" }));
    const courier = start(house);
    expect(await courier.attemptDue(house.own)).toEqual([]);
    expect(new Set(house.deliveries().map(({ state }) => state))).toEqual(new Set(["DROPPED"]));
  });

  it("that is only for some kinds gets those", async () => {
    const house = makeHouse();
    const { url, got, until } = await receiver();
    start(house);
    subscribe(house, url, ["v1.event.created"]);
    house.commit((desk) => book(desk));
    house.commit((desk) => newEvent(desk, "other"));
    await until(1);
    expect(got.map(({ body }) => JSON.parse(body).type)).toEqual(["v1.event.created"]);
  });
});

describe("The courier", () => {
  it("goes on after a restart with what was pending", async () => {
    const house = makeHouse();
    const { url, got, until } = await receiver();
    subscribe(house, url);
    for (let count = 0; count < 5; count++) house.commit((desk) => book(desk));
    house.reopen();
    start(house).nudge(house.own);
    await until(5);
    await eventually(() => house.attempts.length === 5);
    expect(got.map(({ headers }) => headers["webhook-id"])).toEqual(house.messages().map(({ id }) => id));
  });

  it("leaves pending what did not end within a second of closing", async () => {
    const { url, until } = await receiver(() => {});
    const house = makeHouse();
    const courier = start(house, 60_000);
    subscribe(house, url);
    house.commit((desk) => book(desk));
    await until(1);
    const receipt = courier.attemptDue(house.own);
    await courier.close();
    expect(await receipt).toEqual([]);
    expect(house.deliveries()[0]).toMatchObject({ state: "PENDING", attempts: [] });
    expect(courier.nextDue(house.own)).toBeUndefined();
    expect(await courier.attemptDue(house.own)).toEqual([]);
  });

  it("records nothing of a world that was put back meanwhile", async () => {
    const house = makeHouse();
    let answer = () => {};
    const { url, until } = await receiver((response) => {
      answer = () => void response.end();
    });
    const courier = start(house);
    subscribe(house, url);
    const old = house.own;
    house.commit((desk) => book(desk));
    await until(1);
    house.reopen();
    courier.forget("default");
    answer();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(house.attempts).toEqual([]);
    expect(courier.nextDue(old)).toBeUndefined();
    expect(await courier.attemptDue(old)).toEqual([]);
  });

  it("says so when an attempt could not be recorded, and does not send it again and again", async () => {
    const { url, got } = await receiver();
    const house = makeHouse();
    const courier = start(house);
    subscribe(house, url);
    house.after = () => undefined;
    house.commit((desk) => book(desk));
    const change = house.change;
    house.change = () => {
      throw new Error("the disk is full");
    };
    await expect(courier.attemptDue(house.own)).rejects.toThrow("the disk is full");
    expect(got).toHaveLength(1);
    house.change = change;
    expect(await courier.attemptDue(house.own)).toHaveLength(1);
    expect(house.deliveries()[0]!.state).toBe("DELIVERED");
  });
});
