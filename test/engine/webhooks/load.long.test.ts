// Many messages: none is lost, order and signatures hold, and a large queue costs no more than a small one. With SANDBOX_LONG there are
// more of them.
import { expect, it } from "vitest";
import { extent } from "../../extent.ts";
import {
  book,
  eventually,
  isGenuine,
  makeHouse,
  receive,
  startDispatcher,
  subscribe,
  type TestSandbox,
} from "./kit.ts";

/** Bookings that a receiver is told of. */
const BOOKINGS = extent(500, 500, 1000);

const reported = (sandbox: TestSandbox, count: number) =>
  sandbox.commit((tx) => {
    tx.consents.put({ id: "con", email: "a@example.com" } as never);
    for (let index = 0; index < count; index++) tx.emit("marketing_consent.created", "con");
  });

/** Numbers between 0 and 1 that are the same every time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

it("many bookings reach a receiver that fails 30 % of the time, each at least once and genuine", async () => {
  const chance = seeded(7);
  const taken = new Set<string>();
  const receiver = await receive((response, _, { headers }) => {
    const luck = chance();
    if (luck < 0.2) response.writeHead(500).end();
    else if (luck < 0.3) response.destroy();
    else {
      taken.add(String(headers["webhook-id"]));
      response.end();
    }
  });
  const sandbox = makeHouse();
  const dispatcher = startDispatcher(sandbox, 60_000);
  subscribe(sandbox, receiver.url, ["v1.booking.created"]);
  for (let count = 0; count < BOOKINGS; count++) sandbox.commit((tx) => book(tx));
  let rounds = 0;
  for (
    let due = dispatcher.findNextDue(sandbox.own);
    due && rounds < 20;
    due = dispatcher.findNextDue(sandbox.own), rounds++
  ) {
    sandbox.at(due > sandbox.now(sandbox.own) ? due : sandbox.now(sandbox.own));
    await dispatcher.attemptDue(sandbox.own);
  }
  expect(sandbox.deliveries().every(({ state }) => state === "DELIVERED")).toBe(true);
  expect([...taken].sort()).toEqual(
    sandbox
      .messages()
      .map(({ id }) => id)
      .sort(),
  );
  expect(receiver.got.length).toBeGreaterThan(BOOKINGS * 1.2);
  expect(receiver.got.every((each) => isGenuine(each))).toBe(true);
});

it("10,000 pending deliveries to unreachable receivers delay neither a commit nor another receiver", async () => {
  const dead = await receive(() => {});
  const alive = await receive();
  const sandbox = makeHouse();
  startDispatcher(sandbox, 600_000);
  subscribe(sandbox, dead.url, ["v1.marketing_consent.created"]);
  reported(sandbox, 10_000);
  await dead.until(1);
  subscribe(sandbox, alive.url, ["v1.booking.created"]);
  for (let count = 0; count < 200; count++) {
    sandbox.commit((tx) => book(tx));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await alive.until(200);
  expect(sandbox.deliveries().filter(({ state }) => state === "PENDING").length).toBeGreaterThanOrEqual(10_000);
  expect(dead.got.length).toBeLessThanOrEqual(10);
});

it("3,000 deliveries to an unreachable receiver are each tried once, and requests are processed in between", async () => {
  const sandbox = makeHouse();
  const dispatcher = startDispatcher(sandbox);
  subscribe(sandbox, "http://127.0.0.1:1/", ["v1.marketing_consent.created"]);
  reported(sandbox, 3000);
  let [turns, over] = [0, false];
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const receipt = await dispatcher.attemptDue(sandbox.own);
  over = true;
  expect(receipt.map(({ id }) => id)).toEqual(sandbox.deliveries().map(({ id }) => id));
  expect(sandbox.deliveries().every(({ attempts }) => attempts.length === 1)).toBe(true);
  expect(turns).toBeGreaterThan(20);
});

it("many unreachable receivers do not block a reachable one", async () => {
  const sandbox = makeHouse();
  startDispatcher(sandbox, 600_000);
  const dead = await Promise.all(Array.from({ length: 30 }, () => receive(() => {})));
  const alive = await receive();
  for (const { url } of dead) subscribe(sandbox, url, ["v1.marketing_consent.created"]);
  reported(sandbox, 20);
  await eventually(() => dead.every(({ got }) => got.length > 0));
  subscribe(sandbox, alive.url, ["v1.booking.created"]);
  for (let count = 0; count < 50; count++) sandbox.commit((tx) => book(tx));
  await alive.until(50);
});
