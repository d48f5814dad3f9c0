// A node that is killed and started again at once, with nobody else to take over: what was answered before is there from its first answer.
import { afterEach, describe, expect, it } from "vitest";
import { furnished, type HostedWorld } from "./clients.ts";
import { type Answer, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";
import { type Receiver, receive } from "./receiver.ts";

/** Each waits until the node that was killed counts as gone, for eight seconds and more. */
const isLong = Boolean(process.env.SANDBOX_LONG);

describe.skipIf(!postgresBin)("A node that is killed and started again", () => {
  const here = clusterOfTests({ nodes: 1 });
  const receivers: Receiver[] = [];
  afterEach(() => {
    for (const each of receivers.splice(0)) each.close();
  });

  const node = () => here.cluster.nodes[0] as ClusterNode;
  /** The next answer that is not "not yet": until the heartbeat of the killed process has passed, nobody may have its worlds. */
  const first = async (send: () => Promise<Answer>): Promise<Answer> => {
    let last = await send();
    await eventually(async () => {
      if (last.status === 503) last = await send();
      expect(last.status).not.toBe(503);
    });
    return last;
  };
  const killed = async () => {
    await node().kill();
    await node().restart();
  };
  const books = async (world: HostedWorld, times = 1) => {
    for (let time = 0; time < times; time++) expect((await world.book(node().url)).status).toBe(201);
  };
  const exported = (world: HostedWorld) => world.control(node().url, "GET", "state");

  it("exports the same document as before, and accepts the tokens that it had issued", async () => {
    const world = await furnished(node().url, 100);
    await books(world, 3);
    const before = await exported(world);
    expect(before.status).toBe(200);
    await killed();
    expect((await first(() => exported(world))).body).toEqual(before.body);
    expect((await world.get(node().url, "/v1/bookings")).status).toBe(200);
    // And takes it back.
    await books(world);
    expect((await world.control(node().url, "PUT", "state", before.body)).status).toBe(200);
    const taken = await exported(world);
    // The ids of its messages went back.
    expect(taken.body.collections.counters).toEqual([{ ...before.body.collections.counters[0], went_back: 1 }]);
    const rest = ({ body: { checksum: _, collections } }: typeof taken) => ({ ...collections, counters: undefined });
    expect(rest(taken)).toEqual(rest(before));
    await killed();
    expect((await first(() => exported(world))).body).toEqual(taken.body);
  });

  it.runIf(isLong)(
    "is reset after a confirmed reset, and an unconfirmed reset is complete or had no effect",
    async () => {
      const world = await furnished(node().url, 100);
      await books(world, 2);
      expect((await world.control(node().url, "POST", "state/reset")).status).toBe(200);
      await killed();
      expect((await first(() => world.get(node().url, "/v1/bookings"))).body.items).toEqual([]);
      expect((await world.control(node().url, "GET", "records/events")).body.items ?? []).toEqual([]);

      const other = await furnished(node().url, 100);
      await books(other, 2);
      const full = (await exported(other)).body;
      const reset = other.control(node().url, "POST", "state/reset");
      await node().kill();
      const { status } = await reset;
      await node().restart();
      const after = (await first(() => exported(other))).body;
      const isReset = (after.collections.bookings ?? []).length === 0;
      if (isReset) expect(after.collections.events ?? []).toEqual([]);
      else expect(after).toEqual(full);
      expect(status === 200 ? isReset : true).toBe(true);
    },
  );

  it("continues to send messages to a subscription, each under one id", async () => {
    const receiver = await receive();
    receivers.push(receiver);
    const webhook = { url: receiver.url, kinds: ["v1.booking.created"] };
    const world = await furnished(node().url, 100, { clock: "now", webhook });
    const subscriptions = () => world.get(node().url, "/v1/webhook-subscriptions");
    const before = (await subscriptions()).body;
    // Each end comes right after the answer, so that some deliveries have been sent and some have not.
    const made: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { status, body } = await first(() => world.book(node().url));
      expect(status).toBe(201);
      made.push(body.id);
      await killed();
    }
    expect((await first(subscriptions)).body).toEqual(before);
    const arrived = () => receiver.came.map(({ body }) => body.payload.booking_id);
    await eventually(() => expect([...new Set(arrived())].sort()).toEqual([...made].sort()));
    const { body } = await world.control(node().url, "GET", "messages?kind=v1.booking.created");
    const ids = body.items.map(({ id }: { id: string }) => id).sort();
    expect([...new Set(receiver.came.map(({ id }) => id))].sort()).toEqual(ids);
    await eventually(async () => {
      const { body: now } = await world.control(node().url, "GET", "messages?kind=v1.booking.created");
      const states = now.items.flatMap((each: { deliveries: { state: string }[] }) => each.deliveries);
      expect(states.map(({ state }: { state: string }) => state)).toEqual(made.map(() => "DELIVERED"));
    });
  });
});
