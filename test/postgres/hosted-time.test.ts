// What happens by itself in worlds of several nodes: messages go out exactly for what has happened, and time passes once, whoever keeps it.
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { furnished, type HostedWorld, newWorld, waitAndListBookings } from "./clients.ts";
import { type ClusterNode, clusterOfTests } from "./cluster.ts";
import { eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";
import { type Receiver, receive } from "./receiver.ts";

const FAKETIME = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
  .map((folder) => `${folder}/faketime/libfaketime.so.1`)
  .find(existsSync);
if (!FAKETIME)
  process.stderr.write(
    "\n*** No libfaketime here: clocks of machines that differ are NOT TESTED. apt-get install libfaketime\n\n",
  );

/** The wall clocks of the nodes are so far off; the monotonic ones are true. */
const OFF = ["-60s", "+0s", "+60s"];
const wrongClocks = (index: number): Record<string, string> =>
  FAKETIME ? { LD_PRELOAD: FAKETIME, FAKETIME: OFF[index] ?? "+0s", FAKETIME_DONT_FAKE_MONOTONIC: "1" } : {};

describe.skipIf(!postgresBin)("In worlds of three nodes whose clocks differ", () => {
  const here = clusterOfTests({ environment: wrongClocks });
  const receivers: Receiver[] = [];
  const receiving = async (...args: Parameters<typeof receive>) => {
    const receiver = await receive(...args);
    receivers.push(receiver);
    return receiver;
  };
  afterEach(() => {
    for (const each of receivers.splice(0)) each.close();
  });
  const node = (index: number) => here.cluster.nodes[index % 3] as ClusterNode;

  it("a message is sent for each stored change, and for no other, also when nodes are killed", async () => {
    const receiver = await receiving();
    const webhook = { url: receiver.url, kinds: ["v1.booking.created"] };
    const world = await furnished(node(0).url, 1_000_000, { clock: "now", webhook });
    for (let round = 0; round < extent(2, 2, 4); round++) {
      let going = true;
      const clients = Array.from({ length: 6 }, async () => {
        while (going) if ((await world.book(here.cluster.any().url)).status !== 201) await pause(50);
      });
      await pause(500);
      await node(round).kill();
      await pause(300);
      going = false;
      await Promise.all(clients);
      await node(round).restart();
      await eventually(async () => expect((await world.book(here.cluster.any().url)).status).toBe(201));
    }
    const retained = (await waitAndListBookings(world, here.cluster.any().url)).map(({ id }) => id).sort();
    const reported = () => new Set(receiver.came.map(({ body }) => body.payload.booking_id));
    await eventually(() => {
      const ids = reported();
      expect(retained.filter((id) => !ids.has(id))).toEqual([]);
    });
    // One message a booking, and none of a booking that is not there.
    expect(new Set(receiver.came.map(({ id }) => id)).size).toBe(retained.length);
  });

  it("two simultaneous advances run one at a time", async () => {
    const world = await newWorld(node(0).url);
    const moved = await Promise.all(
      ["PT1H", "PT2H", "PT4H"].map((by, index) => world.control(node(index).url, "POST", "clock/advance", { by })),
    );
    expect(moved.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await world.control(node(1).url, "GET", "clock")).body.now).toBe("2030-06-01T16:00:00.000Z");
  });

  it("a clock move whose node is killed is completed by the next one, and nothing happens twice", async () => {
    for (let round = 0; round < extent(2, 2, 5); round++) {
      const receiver = await receiving();
      const webhook = { url: receiver.url, kinds: ["v1.event.completed"] };
      const world = await newWorld(node(round).url, { fixture: "harbour-tours", webhook });
      const state = async (at: ClusterNode) => (await world.control(at.url, "GET", "state")).body.collections;
      const moving = world.control(node(round).url, "POST", "clock/advance", { by: "P30D" });
      await pause((round * 83) % 400);
      await node(round).kill();
      await moving;
      const next = node(round + 1);
      const to = "2030-07-15T09:00:00.000Z";
      await eventually(async () => {
        const set = await world.control(next.url, "PUT", "clock", { now: to, mode: "held" });
        expect([set.status, set.body.now]).toEqual([200, to]);
      });
      const { events, messages } = await state(next);
      const ended = events.filter(({ sessions }: { sessions: { end_time: string }[] }) =>
        sessions.every(({ end_time }) => end_time < "2030-07-14"),
      );
      expect(ended.length).toBeGreaterThan(10);
      expect(new Set(ended.map(({ status }: { status: string }) => status))).not.toContain("ACTIVE");
      const completed: string[] = messages.filter(isCompleted).map(({ body }: { body: string }) => body);
      const reported = ended.map(
        ({ id }: { id: string }) => completed.filter((text) => text.includes(`"${id}"`)).length,
      );
      expect(Math.max(...reported)).toBe(1);
      await node(round).restart();
    }
  });

  it("time advances by the database's clock, and due work runs once, also without requests", async () => {
    const receiver = await receiving();
    const webhook = { url: receiver.url, kinds: ["v1.event.completed"] };
    const world = await newWorld(node(0).url, { clock: "now", webhook });
    const clock = async (at: ClusterNode) => Date.parse((await world.control(at.url, "GET", "clock")).body.now);
    expect(Math.abs((await clock(node(0))) - Date.now())).toBeLessThan(10_000);
    const seconds = (from: number) => new Date(Date.now() + from * 1000).toISOString().replace(/\.\d+Z/, "");
    const location = { id: "loc-pier", timezone: "UTC" };
    const experience = { id: "exp-tour", name: "Tour", location_ids: ["loc-pier"], ticket_variants: [VARIANT] };
    const event = (id: string, end: number) => ({
      id,
      experience_id: "exp-tour",
      capacity: 5,
      sessions: [{ start_time: seconds(1), end_time: seconds(end) }],
    });
    await acted(world, node(0), "addLocation", location);
    await acted(world, node(0), "createExperience", experience);
    for (let each = 0; each < 6; each++) await acted(world, node(0), "createEvent", event(`evt-${each}`, 4 + 2 * each));
    const before = await clock(node(1));
    await eventually(() => expect(receiver.came.length).toBeGreaterThan(0));
    // Its owner is gone: another one finds what is due, unasked.
    node(0).signal("SIGTERM");
    await node(0).started.ended;
    await eventually(() => expect(receiver.came.length).toBeGreaterThanOrEqual(6));
    const after = await clock(node(2));
    expect(after - before).toBeGreaterThan(3000);
    expect(Math.abs(after - Date.now())).toBeLessThan(10_000);
    const { messages } = (await world.control(node(2).url, "GET", "state")).body.collections;
    expect(messages.filter(isCompleted)).toHaveLength(6);
    await node(0).restart();
  });
});

const VARIANT = {
  id: "var-adult",
  name: "Adult",
  price: { currency: "DKK", value: 25000, exponent: 2 },
  vat_rate: "0.25",
};

const isCompleted = ({ kind }: { kind: string }) => kind === "v1.event.completed";

async function acted(world: HostedWorld, at: ClusterNode, name: string, input: object): Promise<void> {
  const { status, body } = await world.act(at.url, name, input);
  expect([status, body]).toEqual([200, expect.anything()]);
}
