// The set-up of docs/hosted: three nodes on one database behind HAProxy, with the configuration file that the guide gives; used as people
// use it, by a team's token, with the scenarios that the package has.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../cli/run-sandbox.ts";
import { extent } from "../extent.ts";
import { freePort } from "../free-port.ts";
import { type HostedWorld, newWorld } from "./clients.ts";
import { ask, type Cluster, type ClusterNode, startCluster } from "./cluster.ts";
import { eventually } from "./node.ts";
import { type Postgres, postgresBin, startPostgres } from "./postgres-kit.ts";

const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
if (!HAPROXY)
  process.stderr.write("\n*** No HAProxy here: the test of docs/hosted is SKIPPED. apt-get install haproxy\n\n");

/** Its fault breaks the connection, which a client behind a load balancer sees as 502. */
const NOT_BEHIND_PROXY = "an-answer-gets-lost.yaml";
const scenarios = readdirSync("scenarios").filter((file) => file.endsWith(".yaml") && file !== NOT_BEHIND_PROXY);
const EACH = extent(8, 4, 1);
const played = scenarios.filter((_, index) => index % EACH === 0).map((file) => resolve(join("scenarios", file)));

describe.skipIf(!postgresBin || !HAPROXY)("Three nodes behind HAProxy", () => {
  let postgres: Postgres;
  let cluster: Cluster;
  let proxy: ChildProcess;
  let front: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    const port = await freePort();
    front = `http://127.0.0.1:${port}`;
    cluster = await startCluster(await postgres.newDatabase(), { more: ["--public-url", front] });
    const [a, b, c] = cluster.nodes.map(({ url }) => new URL(url).host);
    proxy = spawn(HAPROXY as string, ["-f", "docs/hosted/haproxy.cfg", "-db"], {
      env: { LISTEN: `127.0.0.1:${port}`, NODE_A: a, NODE_B: b, NODE_C: c },
      stdio: "ignore",
    });
    await eventually(async () => expect((await ask(front, "/readyz")).status).toBe(200));
  });
  afterAll(async () => {
    proxy?.kill();
    await cluster?.close();
    await postgres?.close();
  });

  /** Of all nodes: how many requests were answered, and how many of them sent on to another node. */
  const figures = async () => {
    const texts = await Promise.all(cluster.nodes.map(async ({ url }) => (await ask(url, "/_sandbox/metrics")).body));
    const sum = (name: string) =>
      [...texts.join("\n").matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"))]
        .map(([, count]) => Number(count))
        .reduce((all, count) => all + count, 0);
    const worlds = texts.map((text) => Number(/^sandbox_owned_worlds (\d+)$/m.exec(text)?.[1]));
    return { worlds, requests: sum("sandbox_requests_total"), sentOn: sum("sandbox_forwarded_requests_total") };
  };
  /** While this is done. */
  const during = async (work: () => Promise<unknown>) => {
    const before = await figures();
    await work();
    const { worlds, requests, sentOn } = await figures();
    return { worlds, share: (sentOn - before.sentOn) / (requests - before.requests) };
  };
  const inTurns = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>) => {
    const left = [...items];
    const turn = async () => {
      for (let item = left.shift(); item; item = left.shift()) await work(item);
    };
    await Promise.all(Array.from({ length: 8 }, turn));
  };

  // First: a world that moves to a node which comes back leaves its log behind, and stories look at it.
  it(`play ${played.length} scenarios`, async () => {
    const token = await teamToken();
    const { code, stdout, stderr } = await run([
      "play",
      ...played,
      "--url",
      front,
      "--control-token",
      token,
      "--reporter",
      "tap",
    ]);
    const failed = stdout.split("\n").filter((line) => line.startsWith("not ok"));
    expect([failed, code, stderr]).toEqual([[], 0, ""]);
  });

  it("share worlds evenly, and have nearly all where they are requested, also when a node leaves and returns", async () => {
    await eventually(async () => {
      const [pages] = [await Promise.all(cluster.nodes.map(({ url }) => ask(url, "/_sandbox/metrics")))];
      for (const { body } of pages) expect(body).toMatch(/^sandbox_owned_worlds \d+$/m);
    });
    const worlds: HostedWorld[] = [];
    const made = await during(async () => {
      await inTurns(
        Array.from({ length: 300 }, (_, index) => index + 1),
        async () => worlds.push(await newWorld(front)),
      );
      await inTurns(worlds, async (world) => {
        for (let times = 0; times < 4; times++) expect((await world.get(front, "/v1/events")).status).toBe(200);
      });
    });
    expect(made.share).toBeLessThanOrEqual(0.05);
    for (const each of made.worlds) expect(each).toBeLessThanOrEqual(150);

    const leaving = cluster.nodes[2] as ClusterNode;
    leaving.signal("SIGTERM");
    await leaving.started.ended;
    const few = worlds.slice(0, 60);
    const read = (world: HostedWorld) => world.get(front, "/v1/events");
    await inTurns(worlds, (world) => eventually(async () => expect((await read(world)).status).toBe(200)));
    const two = (await Promise.all(cluster.nodes.slice(0, 2).map(({ url }) => ask(url, "/_sandbox/metrics")))).map(
      ({ body }) => Number(/^sandbox_owned_worlds (\d+)$/m.exec(body)?.[1]),
    );
    for (const each of two) expect(each).toBeLessThanOrEqual(225);

    await leaving.restart();
    // Those that are asked for come back to it.
    await eventually(async () => {
      const { share, worlds: owned } = await during(() =>
        inTurns(few, async (world) => {
          for (let times = 0; times < 5; times++) await read(world);
        }),
      );
      expect(share).toBeLessThanOrEqual(0.05);
      expect(owned[2]).toBeGreaterThan(0);
    });
  });

  /** Of a team that may have webhooks sent to this machine. */
  async function teamToken(): Promise<string> {
    const made = await ask(front, "/_sandbox/teams", { body: { id: "shop" } });
    expect(made.status).toBe(201);
    const targets = await ask(front, "/_sandbox/teams/shop/webhook-targets", {
      method: "PUT",
      body: { items: ["127.0.0.1"] },
    });
    expect(targets.status).toBe(200);
    const { status, body } = await ask(front, "/_sandbox/teams/shop/tokens", {
      body: { role: "developer", subject: "ci" },
    });
    expect(status).toBe(201);
    return body.token;
  }
});
