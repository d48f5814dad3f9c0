// The configuration of docs/hosted for HAProxy: requests of one world go to one node, whichever way they name it; a node that is not ready
// gets none, and only its worlds move.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../free-port.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";

const HAPROXY = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find(existsSync);
const FILE = "docs/hosted/haproxy.cfg";

const WORLDS = Array.from({ length: 40 }, (_, at) => `w-${(at * 7919).toString(16)}`);
const basic = (id: string) => `Basic ${Buffer.from(`${id}:secret`).toString("base64")}`;

/** The ways in which a request names its world. */
const WAYS: Record<string, (world: string) => { path: string; init?: RequestInit }> = {
  "a bearer token": (world) => ({
    path: "/v1/bookings",
    init: { headers: { authorization: `Bearer ${world}.s3cr3t` } },
  }),
  "the client id of a form": (world) => ({
    path: "/oauth2/token",
    init: {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: `${world}.1234`, client_secret: "x" }),
    },
  }),
  "a client id with Basic": (world) => ({
    path: "/oauth2/token",
    init: {
      method: "POST",
      headers: { authorization: basic(`${world}.1234`) },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    },
  }),
  "the header sandbox-world": (world) => ({
    path: "/_sandbox/state",
    init: { headers: { "sandbox-world": world, authorization: "Bearer sbx_of-a-team" } },
  }),
  "?world=": (world) => ({
    path: `/_sandbox/state?a=b&world=${world}`,
    init: { headers: { authorization: "Bearer sbx_other" } },
  }),
  "the path of the world": (world) => ({ path: `/_sandbox/worlds/${world}/fork`, init: { method: "POST" } }),
  "the path of a file": (world) => ({ path: `/files/${world}/tickets/1.pdf` }),
  "the id of an MCP session": (world) => ({
    path: "/_sandbox/mcp",
    init: { method: "POST", headers: { "mcp-session-id": `${world}.0a1b`, authorization: "Bearer sbx_other" } },
  }),
};

describe.skipIf(!HAPROXY)("HAProxy", () => {
  const ready = [true, true, true];
  const paused = [false, false, false];
  const servers: LocalServer[] = [];
  let proxy: ReturnType<typeof spawn>;
  let front: string;

  beforeAll(async () => {
    for (const [at] of ready.entries()) {
      const server = await startLocalServer((request, response) => {
        request.resume();
        if (paused[at]) return;
        response.statusCode = request.url === "/readyz" && !ready[at] ? 503 : 200;
        response.end(request.url === "/hop" ? String(request.headers["sandbox-hop"]) : String(at));
      });
      servers.push(server);
    }
    const addresses = servers.map(({ url }) => new URL(url).host);
    const [NODE_A, NODE_B, NODE_C] = addresses as [string, string, string];
    const LISTEN = `127.0.0.1:${await freePort()}`;
    front = `http://${LISTEN}`;
    const env = { LISTEN, NODE_A, NODE_B, NODE_C };
    const checked = spawnSync(HAPROXY as string, ["-c", "-f", FILE], { env, encoding: "utf8" });
    expect([checked.status, checked.stderr]).toEqual([0, ""]);
    proxy = spawn(HAPROXY as string, ["-f", FILE, "-db"], { env, stdio: "ignore" });
    await vi.waitFor(async () => expect((await fetch(front)).status).toBe(200), 20_000);
  });
  afterAll(() => {
    proxy?.kill();
    for (const server of servers) server.close();
  });

  const nodeOf = async (way: string, world: string): Promise<number> => {
    const { path, init } = (WAYS[way] as (world: string) => { path: string; init?: RequestInit })(world);
    const answer = await fetch(`${front}${path}`, init ?? {});
    expect(answer.status).toBe(200);
    return Number(await answer.text());
  };
  const placed = (way: string) => Promise.all(WORLDS.map((world) => nodeOf(way, world)));

  it("sends a world to one node, however a request names it, and uses all nodes", async () => {
    await vi.waitFor(async () => {
      const nodes = await placed("a bearer token");
      expect(new Set(nodes).size).toBe(3);
      for (const way of Object.keys(WAYS)) expect([way, await placed(way)]).toEqual([way, nodes]);
    }, 20_000);
  });

  it("prevents clients from claiming that a node has forwarded their request", async () => {
    const answer = await fetch(`${front}/hop`, { headers: { "sandbox-hop": "a-node" } });
    expect(await answer.text()).toBe("undefined");
  });

  it("moves only the worlds of a node that is not ready", async () => {
    const before = await placed("a bearer token");
    ready[1] = false;
    await vi.waitFor(async () => {
      const after = await placed("a bearer token");
      expect(after).not.toContain(1);
      for (const [at, node] of before.entries()) if (node !== 1) expect(after[at]).toBe(node);
    }, 20_000);
    ready[1] = true;
    await vi.waitFor(async () => expect(await placed("a bearer token")).toEqual(before), 20_000);
  });

  it("ends requests that wait for an unresponsive node", async () => {
    const before = await placed("a bearer token");
    const world = WORLDS[before.indexOf(1)] as string;
    paused[1] = true;
    // How long that is follows from the checks: two in a row, each given up after two seconds.
    await expect(nodeOf("a bearer token", world)).rejects.toThrow("fetch failed");
    expect(await nodeOf("a bearer token", world)).not.toBe(1);
    paused[1] = false;
    await vi.waitFor(async () => expect(await placed("a bearer token")).toEqual(before), 20_000);
  });

  it.each([
    ["a page", "/docs", {}],
    ["a new world, by the operator", "/_sandbox/worlds", { authorization: "Bearer operators-own" }],
    ["the default world of a team", "/_sandbox/state", { authorization: "Bearer sbx_of-a-team" }],
  ])("distributes requests without a world: %s", async (_, path, headers) => {
    const requested = async () => (await fetch(`${front}${path}`, { method: "POST", headers })).text();
    await vi.waitFor(async () => {
      const nodes = await Promise.all(Array.from({ length: 12 }, requested));
      expect(new Set(nodes).size).toBe(3);
    }, 20_000);
  });
});
