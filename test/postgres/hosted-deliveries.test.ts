// One world with very much to deliver keeps no other waiting: not one that lives on the same node, and not those of a node that takes it over.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { countTenths } from "../tenths.mjs";
import { furnished, type HostedWorld, newWorld } from "./clients.ts";
import { ask, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";
import { type Receiver, receive } from "./receiver.ts";

const PENDING = 10_000;
const BOOKINGS = 20;
const MOST_TENTHS = 10;

describe.skipIf(!postgresBin)("With 10,000 pending deliveries in one world", () => {
  const here = clusterOfTests();
  const receivers: Receiver[] = [];
  afterEach(() => {
    for (const each of receivers.splice(0)) each.close();
  });
  const receiving = async (...args: Parameters<typeof receive>) => {
    const receiver = await receive(...args);
    receivers.push(receiver);
    return receiver;
  };
  const crowded = async ({ url }: ClusterNode, status: number) => {
    const receiver = await receiving(() => status);
    const webhook = { url: receiver.url, kinds: ["v1.marketing_consent.created"] };
    return { world: await newWorld(url, { clock: "now", webhook }), receiver };
  };
  const booked = async ({ url }: ClusterNode) => {
    const receiver = await receiving();
    const webhook = { url: receiver.url, kinds: ["v1.booking.created"] };
    return { world: await furnished(url, 10_000, { clock: "now", webhook }), receiver };
  };

  it.each([
    ["takes", 204],
    ["refuses", 500],
    ["never answers", 0],
  ])("to a receiver that %s them, another world of the node sends as soon as ever", async (_, status) => {
    const node = here.cluster.nodes[0] as ClusterNode;
    const [crowd, other] = [await crowded(node, status), await booked(node)];
    const alone = await firstAttempts(other, node, BOOKINGS);
    await fill(crowd.world, node);
    await eventually(() => expect(crowd.receiver.came.length).toBeGreaterThan(9));
    const beside = await firstAttempts(other, node, BOOKINGS);
    console.log(`first attempts after ${view(beside)}; alone after ${view(alone)}`);
    // By order and not by time: behind the crowd, the first of them would be sent after all of it, and behind time-outs never.
    expect(crowd.receiver.came.length).toBeLessThan(PENDING / 2);
    // What is left of it would keep the node busy in the tests that follow.
    expect((await ask(node.url, `/_sandbox/worlds/${crowd.world.id}`, { method: "DELETE" })).status).toBe(204);
  });

  it.runIf(process.env.SANDBOX_LONG)(
    "a node that takes them over goes on sending those of its own worlds",
    async () => {
      const [victim, ...nodes] = here.cluster.nodes as [ClusterNode, ...ClusterNode[]];
      const crowd = await crowded(victim, 500);
      const others = await Promise.all(nodes.map(async (node) => ({ node, ...(await booked(node)) })));
      await fill(crowd.world, victim);
      await eventually(() => expect(crowd.receiver.came.length).toBeGreaterThan(9));
      await victim.kill();
      const before = crowd.receiver.came.length;
      let going = true;
      const tenths = countTenths();
      const sending = others.map(async (other) => {
        const waits: number[] = [];
        while (going) {
          const began = tenths();
          await firstAttempts(other, other.node, 1);
          waits.push(tenths() - began);
        }
        return waits;
      });
      // One of the two has found what is due, and sends it.
      await eventually(() => expect(crowd.receiver.came.length).toBeGreaterThan(before + 50));
      going = false;
      for (const waits of await Promise.all(sending)) {
        console.log(`first attempts after tenths of a second: ${waits.join(" ")}`);
        expect(median(waits)).toBeLessThan(MOST_TENTHS);
        expect(Math.max(...waits)).toBeLessThan(5 * MOST_TENTHS);
      }
      await victim.restart();
    },
  );
});

/** From the sending of the request for each of so many bookings, one after another. */
async function firstAttempts(
  { world, receiver }: { world: HostedWorld; receiver: Receiver },
  { url }: ClusterNode,
  count: number,
): Promise<number[]> {
  const waits: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    const before = receiver.came.length;
    const { status, from } = await world.book(url);
    expect(status).toBe(201);
    while (receiver.came.length === before) await pause(1);
    waits.push((receiver.came[before]?.at ?? 0) - from);
  }
  return waits;
}

/** One pending delivery, so many times. */
async function fill(world: HostedWorld, { url }: ClusterNode): Promise<void> {
  await world.act(url, "submitConsent", { email: "guest@example.com", full_name: "A Guest" });
  const { checksum: _, ...document } = (await world.control(url, "GET", "state")).body;
  const [message] = document.collections.messages;
  const [{ id, subscription_id, url: to, created_at }] = document.collections.deliveries;
  const positions = Array.from({ length: PENDING }, (_, index) => index + 1);
  document.collections.messages = positions.map((position) => ({
    ...message,
    id: `${message.id}-${position}`,
    place: position,
  }));
  document.collections.deliveries = positions.map((position) => ({
    ...{
      id: `${id}-${position}`,
      message_id: `${message.id}-${position}`,
      subscription_id,
      url: to,
      created_at,
      place: position,
    },
    ...{ state: "PENDING", next_attempt_at: created_at, tries: 0, attempts: [] },
  }));
  const sent = { method: "PUT", world: world.id, body: document, patience: 240_000 };
  const { status, body } = await ask(url, "/_sandbox/state", sent);
  expect([status, body]).toEqual([200, expect.anything()]);
}

const sorted = (values: readonly number[]) => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]) => sorted(values)[values.length >> 1] as number;
const view = (waits: readonly number[]) =>
  `${median(waits).toFixed(0)} ms, at most ${Math.max(...waits).toFixed(0)} ms`;
