// What two nodes have to agree on: who is signed in, what a team has used, and what they do not tell about worlds of others.
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { countTenths } from "../tenths.mjs";
import { ask, type ClusterNode, clusterOfTests } from "./cluster.ts";
import { CONTROL, eventually } from "./node.ts";
import { postgresBin } from "./postgres-kit.ts";

describe.skipIf(!postgresBin)("Two nodes", () => {
  const here = clusterOfTests({ nodes: 2 });

  const nodes = () => here.cluster.nodes as [ClusterNode, ClusterNode];
  const control = (method: string, path: string, body?: unknown, token = CONTROL, at = nodes()[0]) =>
    ask(at.url, `/_sandbox/${path}`, { method, token, ...(body === undefined ? {} : { body }) });
  const team = async (id: string, quotas: object = {}) => {
    expect((await control("POST", "teams", { id, quotas })).status).toBe(201);
    return async (role: string) =>
      (await control("POST", `teams/${id}/tokens`, { role, subject: role })).body.token as string;
  };

  it("recognize a browser that has signed in at one of them, and that it has signed out at the other", async () => {
    const [one, two] = nodes();
    const token = await (await team("browsers"))("developer");
    const sent = await fetch(`${one.url}/_sandbox/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: one.url },
      body: JSON.stringify({ token }),
    });
    expect(sent.status).toBe(204);
    const cookie = sent.headers.get("set-cookie")?.split(";")[0] ?? "";
    const asBrowser = (node: ClusterNode, method: string, path: string, body?: object) =>
      fetch(`${node.url}/_sandbox/${path}`, {
        method,
        headers: { cookie, origin: node.url, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    expect(await (await asBrowser(two, "GET", "me")).json()).toMatchObject({ team: "browsers", role: "developer" });
    const made = await asBrowser(two, "POST", "worlds", { id: "of-a-browser", fixture: "empty" });
    expect(made.status).toBe(201);
    expect((await asBrowser(one, "GET", "worlds/of-a-browser")).status).toBe(200);
    expect((await asBrowser(two, "DELETE", "session")).status).toBe(204);
    for (const node of [two, one])
      await eventually(async () => expect((await asBrowser(node, "GET", "me")).status).toBe(401));
  });

  it("serve a Model Context Protocol session on either, wherever its worlds are, and delete these with it", async () => {
    const developer = await (await team("models"))("developer");
    const stranger = await (await team("strangers"))("developer");
    const send = async (at: ClusterNode, session: string | undefined, body: object | undefined, token = developer) => {
      const answer = await fetch(`${at.url}/_sandbox/mcp`, {
        method: body ? "POST" : "DELETE",
        headers: {
          authorization: `Bearer ${token}`,
          ...(body ? { "content-type": "application/json" } : {}),
          ...(session ? { "mcp-session-id": session } : {}),
        },
        ...(body ? { body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) } : {}),
      });
      const begun = answer.headers.get("mcp-session-id") ?? "";
      return { status: answer.status, session: begun, text: await answer.text() };
    };
    const tool = (name: string, args: object) => ({ method: "tools/call", params: { name, arguments: args } });
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "tests", version: "1" } };
    const listed = async (at: ClusterNode) =>
      (await control("GET", "worlds", undefined, developer, at)).body.items.map(({ id }: { id: string }) => id);
    for (const [one, two] of [nodes(), nodes().toReversed() as [ClusterNode, ClusterNode]]) {
      const { status, session } = await send(one, undefined, { method: "initialize", params });
      expect(status).toBe(200);
      const [world = ""] = session.split(".");
      // Somebody else has asked for the world first, at the other node.
      expect((await control("GET", `worlds/${world}`, undefined, developer, two)).status).toBe(200);
      for (const at of [two, one, two]) {
        expect((await send(at, session, { method: "tools/list" })).status).toBe(200);
        expect((await send(at, session, tool("overview", {}))).text).toContain(`World: ${world}`);
        expect((await send(at, session, { method: "tools/list" }, stranger)).status).toBe(404);
      }
      // The session continues in another world, and its first one stays until the session ends.
      expect((await send(two, session, tool("world", { action: "new" }))).text).toContain(`Return to ${world}`);
      for (const at of [one, two])
        expect((await send(at, session, tool("overview", {}))).text).toContain("World: mcp-");
      const [renewed = ""] = (await listed(two)).filter((id: string) => id.startsWith("mcp-"));
      expect((await control("GET", `worlds/${renewed}`, undefined, developer, two)).status).toBe(200);
      expect((await send(two, session, undefined, stranger)).status).toBe(404);
      expect((await send(two, session, undefined)).status).toBe(204);
      expect(await listed(one)).not.toContainEqual(expect.stringMatching(/^mcp-/));
      expect((await send(two, session, { method: "tools/list" })).status).toBe(404);
    }
  });

  it("log no health check of a load balancer in a world", async () => {
    for (const { url } of nodes()) for (const path of ["/readyz", "/healthz", "/nowhere"]) await fetch(`${url}${path}`);
    const { body } = await control("GET", "log?limit=1000");
    const paths = body.items.map(({ path }: { path?: string }) => path);
    expect(paths).toContain("/nowhere");
    expect(paths).not.toContain("/readyz");
    expect(paths).not.toContain("/healthz");
  });

  it("lose no fault, quota or target that is added on both simultaneously", async () => {
    await team("together");
    expect((await control("POST", "worlds", { id: "faulty", fixture: "empty" })).status).toBe(201);
    const operations = ["getMe", "getOrder", "getEvent", "listEvents", "listOrders", "listBookings"];
    const quotas = { worlds: 9, bytes: 9_000_000, requests_per_minute: 900 };
    const atEither = (at: number) => nodes()[at % 2] as ClusterNode;
    const answers = await Promise.all([
      ...operations.map((operation, at) =>
        control("POST", "faults?world=faulty", { operation, status: 503, times: 1 }, CONTROL, atEither(at)),
      ),
      ...Object.entries(quotas).map(([quota, most], at) =>
        control("PATCH", "teams/together/quotas", { [quota]: most }, CONTROL, atEither(at)),
      ),
      ...operations.map((name, at) =>
        control("PATCH", "teams/together/webhook-targets", { add: [`${name}.example`] }, CONTROL, atEither(at)),
      ),
    ]);
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    for (const node of nodes()) {
      const { faults } = (await control("GET", "faults?world=faulty", undefined, CONTROL, node)).body;
      expect(faults.map(({ operation }: { operation: string }) => operation).sort()).toEqual([...operations].sort());
      const { body } = await control("GET", "teams/together", undefined, CONTROL, node);
      expect(body.quotas).toEqual(quotas);
      expect(body.webhook_targets.sort()).toEqual(operations.map((name) => `${name}.example`).sort());
    }
  });

  it("create at most a team's quota of worlds, however many are requested concurrently", async () => {
    const developer = await (await team("crowded", { worlds: 8 }))("developer");
    const lost = () =>
      Promise.all(
        nodes().map(
          async ({ url }) => /^sandbox_worlds_lost_total \d+$/m.exec((await ask(url, "/_sandbox/metrics")).body)?.[0],
        ),
      );
    const before = await lost();
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, index) =>
        control("POST", "worlds", { fixture: "empty" }, developer, nodes()[index % 2] as ClusterNode),
      ),
    );
    const refused = made.filter(({ status }) => status !== 201);
    // The default world is the eighth.
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(17).fill([409, "QUOTA_EXCEEDED"]));
    expect(refused[0]?.body.message).toBe(
      "Team crowded has 8 of 8 worlds, so it can't have another. Remove some. The operator can raise it with `sandbox team quota crowded --worlds N`.",
    );
    const retained = made.flatMap(({ status, body }) => (status === 201 ? [body.id] : []));
    const listed = async () =>
      (await control("GET", "worlds", undefined, developer)).body.items.map(({ id }: { id: string }) => id).sort();
    expect(await listed()).toEqual([...retained, "crowded"].sort());

    // Of each fork all worlds, or none.
    for (const id of retained.slice(0, 5))
      expect((await control("DELETE", `worlds/${id}`, undefined, developer)).status).toBe(204);
    const forks = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        control("POST", "worlds/crowded/fork", { count: 2 }, developer, nodes()[index % 2] as ClusterNode),
      ),
    );
    expect(forks.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409]);
    const forked = forks.flatMap(({ body }) => (body.items ?? []).map(({ id }: { id: string }) => id));
    expect(forked).toHaveLength(4);
    expect(await listed()).toEqual([...retained.slice(5), ...forked, "crowded"].sort());
    expect(await lost()).toEqual(before);
  });

  it.each([
    ["before", 0],
    ["while", 1500],
  ])("stop within ten seconds if the database becomes silent %s the node stops", async (_, ms) => {
    const [, two] = nodes();
    expect((await control("POST", "worlds", { id: `silent-${ms}`, fixture: "empty" }, CONTROL, two)).status).toBe(201);
    const tenths = countTenths();
    const stopping = pause(ms).then(() => two.cable.stall());
    if (ms > 0) two.signal("SIGTERM");
    await stopping;
    const acting = control(
      "POST",
      `acts/addLocation?world=silent-${ms}`,
      { id: "loc-a", timezone: "UTC" },
      CONTROL,
      two,
    );
    if (ms === 0) two.signal("SIGTERM");
    const { code } = await two.started.ended;
    expect([code, tenths() < 100]).toEqual([0, true]);
    expect((await acting).status).not.toBe(200);
    two.cable.mend();
    await two.restart();
  });

  it("forward bulk data, and its abort when the client disconnects", async () => {
    const [one, two] = nodes();
    const make = { id: "bulk", fixture: "harbour-tours", clock: "2030-06-01T09:00:00Z" };
    expect((await control("POST", "worlds", make, CONTROL, one)).status).toBe(201);
    const ask = (bookings: number, key: string, signal?: AbortSignal) =>
      fetch(`${two.url}/_sandbox/state/populate?world=bulk`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${CONTROL}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        body: JSON.stringify({ bookings }),
        ...(signal ? { signal } : {}),
      });
    const bookings = async () => (await control("GET", "worlds/bulk", undefined, CONTROL, one)).body.counts.bookings;
    const location = { id: "loc-before", timezone: "Europe/Copenhagen" };
    expect((await control("POST", "acts/addLocation?world=bulk", location, CONTROL, one)).status).toBe(200);
    const before = (await control("GET", "log?world=bulk&limit=1", undefined, CONTROL, one)).body.items[0].id;
    const were = await bookings();
    const client = new AbortController();
    const long = ask(9_000, "long", client.signal);
    setTimeout(() => client.abort(), 200);
    await expect(long).rejects.toThrow();
    const last = await (await ask(30, "short")).json();
    expect(last).toMatchObject({ world: "bulk", added: { bookings: 30 } });
    expect([await (await ask(30, "short")).json(), await bookings()]).toEqual([last, were + 30]);
    // Another node that takes the world knows the key as well.
    one.started.child.kill("SIGKILL");
    await one.started.ended;
    await eventually(async () => {
      expect(await (await ask(30, "short")).json()).toEqual(last);
    });
    const { body } = await control("GET", "worlds/bulk", undefined, CONTROL, two);
    expect(body.counts.bookings).toBe(were + 30);
    // The log of the world continues there too, from before the bulk data.
    const { items } = (await control("GET", "log?world=bulk&limit=1000", undefined, CONTROL, two)).body;
    expect(items.map(({ id }: { id: string }) => id)).toContain(before);
    await one.restart();
  });
});
