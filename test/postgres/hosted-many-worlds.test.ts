// More worlds than a node keeps open: they are opened when they are asked for, soon, take little in the database, and memory does not grow.
// With SANDBOX_WORLDS=10000 as many, through nodes that keep 500.
import { readFileSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { countTenths } from "../tenths.mjs";
import { type HostedWorld, newWorld } from "./clients.ts";
import { ask, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { postgresBin } from "./postgres-kit.ts";

const given = process.env.SANDBOX_WORLDS;
const isLong = Boolean(process.env.SANDBOX_LONG ?? given);
const WORLDS = Number(given ?? extent(200, 200, 1000));
const IN_MEMORY = WORLDS / 20;
const READS = extent(150, 150, 500);

describe.skipIf(!postgresBin)("More worlds than nodes keep open", () => {
  const here = clusterOfTests({ more: ["--worlds-in-memory", String(IN_MEMORY)] });
  let database: Client;
  beforeAll(async () => {
    database = new Client({ connectionString: here.address });
    await database.connect();
  });
  afterAll(() => database?.end());

  it(`are ${WORLDS}, of which each node keeps ${IN_MEMORY}`, { timeout: 3_600_000 }, async () => {
    const worlds: HostedWorld[] = [];
    const memories: number[][] = [];
    const remember = () => memories.push(here.cluster.nodes.map(memoryOf));
    let left = WORLDS;
    const maker = async () => {
      while (left-- > 0) {
        worlds.push(await newWorld(here.cluster.any().url, { fixture: "harbour-tours" }));
        if (worlds.length % (WORLDS / 10) === 0) remember();
      }
    };
    await Promise.all(Array.from({ length: 6 }, maker));
    const [waits, waited, tenths] = [[] as number[], [] as number[], countTenths()];
    left = READS;
    const reader = async () => {
      while (left-- > 0) {
        const world = worlds[Math.floor(Math.random() * worlds.length)] as HostedWorld;
        const began = tenths();
        const { status, body, from, until } = await world.get(here.cluster.any().url, "/v1/me");
        expect([status, body]).toEqual([200, expect.anything()]);
        waits.push(until - from);
        waited.push(tenths() - began);
      }
    };
    // One after another: how long it takes is asked for, not how long one waits for others.
    await reader();
    remember();
    for (const each of [waits, waited]) each.sort((a, b) => a - b);
    const { rows } = await database.query(
      `select (select sum(pg_column_size(s.*)) from snapshots s)::float8 / count(*) as snapshots,
              (select sum(pg_column_size(j.*)) from journal j)::float8 / count(*) as commits,
              count(*)::int as worlds, count(owner)::int as owned from worlds where id <> 'default'`,
    );
    const [{ snapshots, commits, owned }] = rows;
    const at = (share: number) => (waits[Math.floor(waits.length * share)] ?? 0).toFixed(1);
    const view = memories.map((each) => each.map((bytes) => Math.round(bytes / 1e6)).join("/")).join(" ");
    console.log(
      `${WORLDS} worlds: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${Math.round(snapshots)} + ${Math.round(commits)} bytes each; MB ${view}`,
    );
    // A world of harbour-tours has 600 records, each in its own snapshot.
    expect(snapshots + commits).toBeLessThan(130_000);
    expect(owned).toBeLessThanOrEqual(3 * (IN_MEMORY + 20));
    expect(waited[Math.floor(READS * 0.95)]).toBeLessThan(20);
    if (!isLong) return;
    // Half of the worlds later it is as it was.
    const [middle, end] = [memories[4], memories.at(-1)] as [number[], number[]];
    for (const [index, bytes] of end.entries()) expect(bytes).toBeLessThan((middle[index] ?? 0) * 1.3 + 50e6);
    expect((await ask(here.cluster.any().url, "/_sandbox/worlds")).body.items.length).toBeGreaterThanOrEqual(WORLDS);
  });
});

function memoryOf(node: ClusterNode): number {
  const status = readFileSync(`/proc/${node.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
