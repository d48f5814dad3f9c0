// Another server takes the place of the database: with a synchronous standby nothing that was acknowledged is lost; with an asynchronous one
// something may be, which the start says, and then nobody is shown what is not there.
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { furnished, waitAndListBookings } from "./clients.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { eventually } from "./node.ts";
import { type Postgres, postgresBin, queryRows, startPostgres } from "./postgres-kit.ts";

type Standby = Awaited<ReturnType<Postgres["standby"]>>;

const PROMOTIONS = Number(process.env.SANDBOX_PROMOTIONS ?? extent(2, 2, 8));

const open: { close(): Promise<void> }[] = [];

describe.skipIf(!postgresBin)("When another server replaces the database", () => {
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });

  async function twoServers(isSynchronous: boolean) {
    const first: Postgres = await startPostgres();
    open.push(first);
    const address = await first.newDatabase();
    const second = await first.standby(isSynchronous);
    open.push(second);
    const isFollowed = async () => ((await first.asked("select 1 from pg_stat_replication")) as unknown[]).length === 1;
    await eventually(async () => expect(await isFollowed()).toBe(true));
    const cluster = await startCluster(address);
    open.push(cluster);
    return { first, second, cluster, address };
  }

  /** The old one is gone at once, and all connections lead to the other. */
  async function failOver(cluster: Cluster, first: Postgres, second: Standby) {
    await first.kill();
    await second.promote();
    for (const { cable } of cluster.nodes) {
      cable.leadTo(second.port);
      cable.cut();
      cable.mend();
    }
  }

  // As behind a load balancer: who is asked for a world is always the same node, and not the one that owns it.
  it(`under load, ${PROMOTIONS} times in a row, every world responds again on each node, and nothing is lost`, {
    timeout: PROMOTIONS * 60_000,
  }, async () => {
    const { first, second, cluster } = await twoServers(true);
    const urls = cluster.nodes.map(({ url }) => url);
    const worlds = await Promise.all(
      Array.from({ length: 12 }, (_, index) => furnished(urls[index % 3] as string, 1_000_000)),
    );
    const requested = (index: number) => urls[(index + 1) % 3] as string;
    let going = true;
    const load = worlds.map(async (world, index) => {
      const made: string[] = [];
      while (going) {
        const { status, body } = await world.book(requested(index));
        if (status === 201) made.push(body.id);
        else expect([503, 0]).toContain(status);
        await pause(status === 201 ? 10 : 50);
      }
      return made;
    });
    let [primary, standby]: [Postgres, Standby] = [first, second];
    const waits: { fromKill: number; fromPromotion: number }[] = [];
    for (let round = 0; round < PROMOTIONS; round++) {
      await eventually(async () => expect(await isFollowedClosely(primary)).toBe(true));
      await pause(500 + ((round * 137) % 500));
      const killed = performance.now();
      await failOver(cluster, primary, standby);
      const promoted = performance.now();
      const back = worlds.map(async (world, index) => {
        await eventually(async () => expect((await world.book(requested(index))).status).toBe(201), 30_000);
      });
      await Promise.all(back);
      waits.push({ fromKill: performance.now() - killed, fromPromotion: performance.now() - promoted });
      for (const [index, world] of worlds.entries())
        for (const url of urls)
          await eventually(async () => {
            expect([index, (await world.get(url, "/v1/bookings?limit=1")).status]).toEqual([index, 200]);
          }, 12_000);
      await primary.close();
      primary = standby;
      if (round + 1 < PROMOTIONS) {
        standby = await primary.standby(true);
        open.push(standby);
      }
    }
    going = false;
    const made = await Promise.all(load);
    for (const [index, world] of worlds.entries()) {
      const retained = new Set((await waitAndListBookings(world, urls[0] as string)).map(({ id }) => id));
      expect((made[index] ?? []).filter((id) => !retained.has(id))).toEqual([]);
    }
    const seconds = (of: "fromKill" | "fromPromotion") => waits.map((wait) => (wait[of] / 1000).toFixed(1)).join(" ");
    process.stderr.write(
      `${made.flat().length} bookings over ${PROMOTIONS} promotions; all worlds again after s, of the kill: ${seconds("fromKill")}; of the promotion: ${seconds("fromPromotion")}\n`,
    );
  });

  it("an asynchronous one causes a warning, and its missing changes are never shown", async () => {
    const { first, second, cluster, address } = await twoServers(false);
    await cluster.nodes[0]?.started.shows("standby that is not synchronous");
    const world = await furnished(cluster.nodes[0]?.url ?? "", 1_000_000);
    const before = await Promise.all([0, 1, 2].map(() => world.book(cluster.any().url)));
    expect(before.map(({ status }) => status)).toEqual([201, 201, 201]);
    await eventually(async () => expect(await replayed(first, second, address)).toBe(true));
    // It hears nothing of what comes now.
    await second.kill();
    expect((await world.book(cluster.any().url, { metadata: { name: "lost" } })).status).toBe(201);
    await first.kill();
    await second.start();
    await failOver(cluster, first, second);
    await eventually(async () => expect((await world.book(cluster.any().url)).status).toBe(201));
    const view = await Promise.all(cluster.nodes.map(({ url }) => waitAndListBookings(world, url)));
    for (const each of view) {
      expect(each).toHaveLength(4);
      expect(each.map(({ id }) => id)).toEqual(view[0]?.map(({ id }) => id));
      expect(each.map(({ metadata }) => metadata?.name)).not.toContain("lost");
    }
  });
});

/** A commit waits for the standby. */
async function isFollowedClosely(primary: Postgres): Promise<boolean> {
  const rows = await primary.asked("select 1 from pg_stat_replication where sync_state = 'sync'");
  return (rows as unknown[]).length === 1;
}

/** Whether the second has what the first has. */
async function replayed(first: Postgres, second: Postgres, address: string): Promise<boolean> {
  const counts = await Promise.all(
    [first, second].map(async ({ port }) => {
      const url = Object.assign(new URL(address), { port: String(port) }).href;
      const [row] = await queryRows<{ count: number }>(url, "select count(*)::int as count from journal");
      return row?.count;
    }),
  );
  return counts[0] === counts[1];
}
