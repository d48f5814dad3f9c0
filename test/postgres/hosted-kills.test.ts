// Nodes that end, and a database that ends or hangs, under load: what was acknowledged is there, nobody is answered 500, worlds that live
// elsewhere notice nothing, and those of the dead soon live again. With SANDBOX_KILLS=100 as many are killed, which takes an hour.
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { countTenths } from "../tenths.mjs";
import { furnished, type HostedWorld, waitAndListBookings } from "./clients.ts";
import { ask, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { eventually } from "./node.ts";
import { postgresBin, queryRows } from "./postgres-kit.ts";

const isLong = Boolean(process.env.SANDBOX_LONG);
/** Of nodes; of PostgreSQL a third as many. */
const KILLS = Math.ceil(Number(process.env.SANDBOX_KILLS ?? extent(2, 1, 8)) * 0.75);
const SERVER_KILLS = Math.ceil(KILLS / 3);
const ROUND_MS = 120_000;
const PLENTY = 1_000_000;
/** A heartbeat is valid for 8 seconds. */
const SOON_TENTHS = 120;

describe.skipIf(!postgresBin)("Three nodes under load", () => {
  const here = clusterOfTests();
  beforeEach(() => Promise.all(here.cluster.nodes.map((node) => node.isReady())));

  const ownerOf = async (world: HostedWorld): Promise<ClusterNode | undefined> => {
    const query = "select n.url from worlds w join nodes n on n.id = w.owner where w.id = $1";
    const [owner] = await queryRows<{ url: string }>(here.address, query, [world.id]);
    return here.cluster.nodes.find(({ url }) => url === owner?.url);
  };
  /** When the leases of these nodes began; one whose heartbeat was late, as on a machine that is too busy, has another. */
  const leasesOf = (nodes: readonly ClusterNode[]): Promise<unknown> => {
    const leases = "select id, started_at::text from nodes where url = any($1) order by id";
    return queryRows(here.address, leases, [nodes.map(({ url }) => url)]);
  };
  /** Each lives on the node that was asked for it first. */
  const worldOfEach = async () => {
    const worlds: HostedWorld[] = [];
    for (const node of here.cluster.nodes)
      await eventually(async () => {
        const world = await furnished(node.url, PLENTY);
        expect(await ownerOf(world)).toBe(node);
        worlds.push(world);
      });
    return worlds;
  };

  /** Clients that book in a world through these nodes, while `go`. */
  async function booked(world: HostedWorld, nodes: () => ClusterNode, go: () => boolean, clients = 4) {
    const made: string[] = [];
    const others: number[] = [];
    const client = async () => {
      while (go()) {
        const { status, body } = await world.book(nodes().url);
        if (status === 201) made.push(body.id);
        else {
          others.push(status);
          await pause(50);
        }
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    return { made, others };
  }

  async function allAreRetained(world: HostedWorld, made: readonly string[]): Promise<void> {
    const retained = (await waitAndListBookings(world, here.cluster.any().url)).map(({ id }) => id);
    const known = new Set(retained);
    expect(known.size).toBe(retained.length);
    expect(made.filter((id) => !known.has(id))).toEqual([]);
  }

  /** Each change after the checkpoint of a world names the one before it. */
  async function nothingIsMissing(): Promise<void> {
    const rows = await queryRows(
      here.address,
      `select j.world from journal j join snapshots s on s.world = j.world and s.name = ''
       where j.kind = 'change' and j.seq > s.seq and j.previous <> greatest(s.seq, (select max(p.seq) from journal p
       where p.world = j.world and p.kind = 'change' and p.seq < j.seq))`,
    );
    expect(rows).toEqual([]);
  }

  it(`lose no confirmed change when one is killed, ${KILLS} times`, {
    timeout: KILLS * ROUND_MS,
  }, async () => {
    const [waits, waited, tenths] = [[] as number[], [] as number[], countTenths()];
    let starved = 0;
    const retained: { world: HostedWorld; made: string[] }[] = [];
    for (let round = 0; round < KILLS; round++) {
      const worlds = await worldOfEach();
      const of = round % 3;
      const [victim, alive] = [here.cluster.nodes[of] as ClusterNode, here.cluster.nodes.toSpliced(of, 1)];
      const leases = await leasesOf(alive);
      let going = true;
      const load = worlds.map((world, index) => {
        // Those of the others are asked for where they live: they must notice nothing.
        const through = index === of ? here.cluster.any : () => here.cluster.nodes[index] as ClusterNode;
        return booked(world, through, () => going);
      });
      await pause(200 + ((round * 137) % 400));
      const [killed, before] = [performance.now(), tenths()];
      await victim.kill();
      await eventually(async () => expect((await worlds[of]?.book(alive[round % 2]?.url ?? ""))?.status).toBe(201));
      waits.push(performance.now() - killed);
      waited.push(tenths() - before);
      going = false;
      const found = await Promise.all(load);
      const isStarved = JSON.stringify(leases) !== JSON.stringify(await leasesOf(alive));
      starved += Number(isStarved);
      for (const [index, { made, others }] of found.entries()) {
        retained.push({ world: worlds[index] as HostedWorld, made });
        const expected = index === of ? [0, 503] : isStarved ? [503] : [];
        expect(others.filter((status) => !expected.includes(status))).toEqual([]);
      }
      await victim.restart();
      for (const { world, made } of retained.slice(-worlds.length)) await allAreRetained(world, made);
    }
    for (const { world, made } of retained) await allAreRetained(world, made);
    await nothingIsMissing();
    const acknowledged = retained.reduce((sum, { made }) => sum + made.length, 0);
    console.log(
      `${KILLS} kills, ${acknowledged} acknowledged; worlds of a killed node answered after ${view(waits)}; ${starved} times a node was starved`,
    );
    expect(median(waited)).toBeLessThan(SOON_TENTHS);
  });

  it(`respond 503 while the database is down, and lose nothing, ${SERVER_KILLS} times`, {
    timeout: KILLS * ROUND_MS,
  }, async () => {
    const waits: number[] = [];
    let acknowledged = 0;
    for (let round = 0; round < SERVER_KILLS; round++) {
      const worlds = await worldOfEach();
      let going = true;
      const load = worlds.map((world) => booked(world, here.cluster.any, () => going, 2));
      await pause(300 + ((round * 50) % 400));
      await here.postgres.kill();
      await eventually(async () => expect((await worlds[0]?.book(here.cluster.any().url))?.status).toBe(503));
      const refused = await worlds[0]?.book(here.cluster.any().url);
      expect([refused?.status, refused?.retryAfter]).toEqual([503, "1"]);
      const { url } = here.cluster.any();
      expect((await worlds[0]?.get(url, "/v1/bookings"))?.status).toBe(503);
      expect([(await ask(url, "/readyz")).status, (await ask(url, "/healthz")).status]).toEqual([503, 200]);
      await here.postgres.start();
      const began = performance.now();
      for (const node of here.cluster.nodes) await node.isReady();
      for (const world of worlds)
        await eventually(async () => expect((await world.book(here.cluster.any().url)).status).toBe(201));
      waits.push(performance.now() - began);
      going = false;
      for (const [index, { made, others }] of (await Promise.all(load)).entries()) {
        expect(others.filter((status) => status !== 503)).toEqual([]);
        await allAreRetained(worlds[index] as HostedWorld, made);
        acknowledged += made.length;
      }
    }
    await nothingIsMissing();
    console.log(`${SERVER_KILLS} kills of PostgreSQL, ${acknowledged} acknowledged; all answered after ${view(waits)}`);
  });

  it("respond 503 while the database hangs for ten seconds, without growing, and continue afterwards", async () => {
    const worlds = await worldOfEach();
    let going = true;
    const load = worlds.map((world) => booked(world, here.cluster.any, () => going, 8));
    await pause(500);
    const before = here.cluster.nodes.map(memoryOf);
    here.postgres.pause();
    await pause(10_000);
    const grown = here.cluster.nodes.map((node, index) => memoryOf(node) - (before[index] ?? 0));
    here.postgres.resume();
    const tenths = countTenths();
    for (const world of worlds)
      await eventually(async () => expect((await world.book(here.cluster.any().url)).status).toBe(201));
    const back = tenths();
    going = false;
    console.log(`back after ${back} tenths of a second; grown by ${grown.map((bytes) => (bytes / 1e6).toFixed(0))} MB`);
    expect(back).toBeLessThan(75);
    for (const bytes of grown) expect(bytes).toBeLessThan(100e6);
    for (const [index, { made, others }] of (await Promise.all(load)).entries()) {
      expect([...new Set(others)].filter((status) => status !== 503)).toEqual([]);
      await allAreRetained(worlds[index] as HostedWorld, made);
    }
  });

  it("confirm a stored change once when the connection is cut during the write", async () => {
    for (const node of isLong ? here.cluster.nodes : here.cluster.nodes.slice(0, 1)) {
      const world = await furnished(node.url, PLENTY);
      const cut = node.cable.cutAfter("insert into journal");
      const [answer] = await Promise.all([world.book(node.url, { metadata: { name: "the one" } }), cut]);
      expect(answer.status).toBe(503);
      await eventually(async () => expect((await world.get(here.cluster.any().url, "/v1/me")).status).toBe(200));
      const retained = await waitAndListBookings(world, here.cluster.any().url);
      expect(retained.length).toBeLessThanOrEqual(1);
      node.cable.cut();
      // Its clients are told at once, and the others serve its worlds once its heartbeat is old.
      await eventually(async () => expect((await world.book(node.url)).status).toBe(503));
      const other = here.cluster.nodes.find((each) => each !== node) as ClusterNode;
      await eventually(async () => expect((await world.book(other.url)).status).toBe(201));
      expect((await world.get(node.url, "/v1/bookings")).status).toBe(503);
      node.cable.mend();
      await eventually(async () => expect((await world.get(node.url, "/v1/bookings")).status).toBe(200));
      expect(await waitAndListBookings(world, node.url)).toHaveLength(retained.length + 1);
    }
  });
});

const sorted = (waits: readonly number[]) => [...waits].sort((a, b) => a - b);
const median = (waits: readonly number[]) => sorted(waits)[waits.length >> 1] as number;
const seconds = (ms: number) => (ms / 1000).toFixed(1);
const view = (waits: readonly number[]) => `${seconds(median(waits))} s, at most ${seconds(Math.max(...waits))} s`;

function memoryOf(node: ClusterNode): number {
  const status = readFileSync(`/proc/${node.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
