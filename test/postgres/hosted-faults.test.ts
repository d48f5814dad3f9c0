// What clients behind HAProxy see under load of a node that is paused, cut off from the database, killed or stopped: none waits longer than
// fifteen seconds for an answer, every world soon answers again, and nothing that was acknowledged is lost. With SANDBOX_FAULTS=50 there are
// so many of each, and what is printed then is what docs/hosted says; `-t "is paused"` runs one kind.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { extent } from "../extent.ts";
import { freePort } from "../free-port.ts";
import { countTenths } from "../tenths.mjs";
import { furnished, type HostedWorld, waitAndListBookings } from "./clients.ts";
import { ask, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";

const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
const FAULTS = Number(process.env.SANDBOX_FAULTS ?? extent(1, 1, 3));
const WORLDS = 12;
/** From what a client was answered to what it sends next. */
const BETWEEN_MS = extent(100, 100, 50);
const LONGEST_TENTHS = 150;
/** HAProxy has looked at a node that is back, and sends it requests. */
const NOTICED_MS = 1500;

/** How a node fails, and how it is as before. */
const KINDS: Record<string, { strike(node: ClusterNode): unknown; heal(node: ClusterNode): unknown }> = {
  "is paused": { strike: (node) => node.pause(), heal: (node) => node.resume() },
  "is cut off": { strike: ({ cable }) => cable.cut(), heal: ({ cable }) => cable.mend() },
  "is killed": { strike: (node) => node.kill(), heal: (node) => node.restart() },
  "is stopped": {
    strike: (node) => node.signal("SIGTERM"),
    async heal(node) {
      expect((await node.started.ended).code).toBe(0);
      await node.restart();
    },
  },
};

describe.skipIf(!postgresBin || !HAPROXY)(`Under load, ${FAULTS} times, when a node`, () => {
  const here = clusterOfTests();
  const tenths = countTenths();
  let proxy: ChildProcess;
  let front: string;
  beforeAll(async () => {
    const LISTEN = `127.0.0.1:${await freePort()}`;
    front = `http://${LISTEN}`;
    const [NODE_A, NODE_B, NODE_C] = here.cluster.nodes.map(({ url }) => new URL(url).host);
    const env = { LISTEN, NODE_A, NODE_B, NODE_C };
    proxy = spawn(HAPROXY as string, ["-f", "docs/hosted/haproxy.cfg", "-db"], { env, stdio: "ignore" });
    await eventually(async () => expect((await ask(front, "/readyz")).status).toBe(200));
  });
  afterAll(() => void proxy?.kill());

  /** A client books one after another, and remembers how long it waited for each answer. */
  async function load(world: HostedWorld, go: () => boolean) {
    const [made, waits, waited, statuses] = [[] as string[], [] as number[], [] as number[], new Set<number>()];
    while (go()) {
      const began = tenths();
      const { status, body, from, until } = await world.book(front);
      waits.push(until - from);
      waited.push(tenths() - began);
      statuses.add(status);
      if (status === 201) made.push(body.id);
      await pause(status === 201 ? BETWEEN_MS : 100);
    }
    return { made, waits, waited, statuses };
  }

  /** Until a request of each world that was sent after the fault is answered as before. */
  async function untilAllAnswer(worlds: readonly HostedWorld[]): Promise<number> {
    const since = performance.now();
    const each = worlds.map((world) =>
      eventually(async () => expect((await world.book(front)).status).toBe(201), 120_000),
    );
    await Promise.all(each);
    return performance.now() - since;
  }

  it.each(Object.entries(KINDS))("%s", { timeout: FAULTS * 120_000 }, async (kind, { strike, heal }) => {
    const [back, longest, statuses] = [[] as number[], [] as number[], new Set<number>()];
    let [bookings, longestTenths] = [0, 0];
    for (let round = 0; round < FAULTS; round++) {
      // Anew: a world that has grown takes longer to open.
      const worlds = await Promise.all(Array.from({ length: WORLDS }, () => furnished(front, 1_000_000)));
      let going = true;
      const loads = worlds.map((world) => load(world, () => going));
      const victim = here.cluster.nodes[round % 3] as ClusterNode;
      await pause(500 + ((round * 137) % 400));
      await strike(victim);
      back.push(await untilAllAnswer(worlds));
      await heal(victim);
      await victim.isReady();
      await pause(NOTICED_MS);
      going = false;
      for (const [index, { made, waits, waited, ...each }] of (await Promise.all(loads)).entries()) {
        longest.push(Math.max(...waits));
        longestTenths = Math.max(longestTenths, ...waited);
        for (const status of each.statuses) statuses.add(status);
        bookings += made.length;
        const retained = new Set((await waitAndListBookings(worlds[index] as HostedWorld, front)).map(({ id }) => id));
        expect(made.filter((id) => !retained.has(id))).toEqual([]);
      }
    }
    const view = (ms: readonly number[]) => {
      const sorted = ms.map((each) => (each / 1000).toFixed(1)).sort((a, b) => Number(a) - Number(b));
      return `${sorted[sorted.length >> 1]} s, at most ${sorted.at(-1)} s`;
    };
    process.stderr.write(
      `${FAULTS} times a node ${kind}: ${bookings} bookings; all worlds again after ${view(back)}; longest wait of a world's client ${view(longest)}; statuses ${[...statuses].sort().join(" ")}\n`,
    );
    expect(longestTenths).toBeLessThan(LONGEST_TENTHS);
    // 0 and 502 to 504: HAProxy has cut what waited, or has no answer yet.
    expect([...statuses].filter((status) => ![0, 201, 502, 503, 504].includes(status))).toEqual([]);
  });
});
