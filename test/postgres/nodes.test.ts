// Several nodes on one database: each world lives on one of them, and any node answers for all.
import { describe, expect, it } from "vitest";
import { toCredentialKey } from "../../src/engine/make/random.ts";
import { computeMark, createNodeCredential } from "../../src/engine/world/state/credential.ts";
import { countTenths } from "../tenths.mjs";
import { CONTROL, eventually, furnish, type Node, nodesOfTests, openNode } from "./node.ts";
import { postgresBin, postgresOfTests } from "./postgres-kit.ts";

describe.skipIf(!postgresBin)("Two nodes on one database", () => {
  const postgres = postgresOfTests();
  const killAfterTest = nodesOfTests();
  const opened = (database: string, more: readonly string[] = []) => killAfterTest(openNode(database, more));
  const openTwoNodes = async () => {
    const database = await postgres.newDatabase();
    return [await opened(database), await opened(database)] as const;
  };

  const metric = async (node: Node, name: string) => {
    const answer = await fetch(`${node.url}/_sandbox/metrics`, { headers: { authorization: `Bearer ${CONTROL}` } });
    const line = (await answer.text()).split("\n").find((each) => each.startsWith(name));
    return Number(line?.split(" ").at(-1) ?? 0);
  };

  it("respond alike: one shows what the other has confirmed", async () => {
    const [first, second] = await openTwoNodes();
    await furnish(second);
    const made = [await first.book(), await second.book(), await first.book(), await second.book()];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await second.bookings()).toEqual(await first.bookings());
    expect((await first.bookings()).sort()).toEqual(made.map(({ id }) => id).sort());
    expect(await metric(second, "sandbox_forwarded_requests_total")).toBeGreaterThan(3);
  });

  it("serve separate worlds, list all, and reject an id that is used elsewhere", async () => {
    const [first, second] = await openTwoNodes();
    expect((await second.control("POST", "worlds", { id: "two" })).status).toBe(201);
    // It lives where it is asked for first.
    for (const node of [second, first]) expect((await node.control("GET", "worlds/two")).status).toBe(200);
    expect(await metric(first, "sandbox_worlds ")).toBe(1);
    const ids = ((await first.control("GET", "worlds")).body as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(ids).toEqual(["default", "two"]);
    const again = await first.control("POST", "worlds", { id: "two" });
    expect([again.status, again.body]).toMatchObject([409, { code: "WORLD_EXISTS" }]);
    expect((await first.control("DELETE", "worlds/two")).status).toBe(204);
    expect((await second.control("GET", "worlds/two")).status).toBe(404);
  });

  it("forward streams, and long bodies", async () => {
    const [first, second] = await openTwoNodes();
    await furnish(first);
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${CONTROL}` };
    const stream = await fetch(`${second.url}/_sandbox/stream?world=default`, { headers, signal: stop.signal });
    expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    const reading = (async () => {
      for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) seen += value;
    })().catch(() => undefined);
    expect((await first.book()).status).toBe(201);
    await eventually(() => expect(seen).toContain("event: fact"));
    stop.abort();
    await reading;
    const state = (await second.control("GET", "state")).body as { collections: object };
    const padded = { ...state, checksum: undefined, note: undefined, filler: undefined };
    expect((await second.control("PUT", "state", padded)).status).toBe(200);
  });

  it("respond 421 to another node about a world that they do not own, and serve clients that only claim to be one", async () => {
    const [first, second] = await openTwoNodes();
    expect((await first.control("GET", "state")).status).toBe(200);
    const requested = async (hop: string) => {
      const headers = { authorization: `Bearer ${CONTROL}`, "sandbox-hop": hop };
      const answer = await fetch(`${second.url}/_sandbox/state?world=default`, { headers });
      return [answer.status, ((await answer.json()) as { code?: string }).code];
    };
    const key = toCredentialKey(CONTROL);
    expect(await requested(createNodeCredential(key, "somebody"))).toEqual([421, "MISDIRECTED_REQUEST"]);
    for (const forged of [
      "somebody",
      createNodeCredential(toCredentialKey("another"), "somebody"),
      `somebody.${computeMark(key, "somebody")}`,
    ])
      expect(await requested(forged)).toEqual([200, undefined]);
  });

  it("hand over their worlds when they are stopped", async () => {
    const [first, second] = await openTwoNodes();
    await furnish(first);
    expect((await second.book()).status).toBe(201);
    const tenths = countTenths();
    await first.end("SIGTERM");
    const ended = tenths();
    await eventually(async () => expect((await second.book()).status).toBe(201));
    expect([ended < 100, tenths() - ended < 50]).toEqual([true, true]);
    expect(await second.bookings()).toHaveLength(2);
  });

  it("delete a team where its default world is, and open the world of another team for no caller", async () => {
    const [first, second] = await openTwoNodes();
    for (const id of ["red", "blue", "green"]) expect((await first.control("POST", "teams", { id })).status).toBe(201);
    expect((await second.control("DELETE", "teams/red")).status).toBe(204);
    expect((await first.control("GET", "worlds/red")).status).toBe(404);
    const { token } = (await first.control("POST", "teams/blue/tokens", { role: "owner" })).body as { token: string };
    await first.end("SIGTERM");
    const before = await metric(second, "sandbox_worlds ");
    for (const path of ["state?world=green", "worlds/green"]) {
      const answer = await fetch(`${second.url}/_sandbox/${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(404);
    }
    expect(await metric(second, "sandbox_worlds ")).toBe(before);
    expect((await second.control("GET", "state?world=green")).status).toBe(200);
  });

  it("keep a limited number of worlds open, and open the others on request", async () => {
    const node = await opened(await postgres.newDatabase(), ["--worlds-in-memory", "3"]);
    for (let count = 0; count < 8; count++)
      expect((await node.control("POST", "worlds", { id: `w${count}` })).status).toBe(201);
    await eventually(async () => expect(await metric(node, "sandbox_worlds ")).toBeLessThanOrEqual(3));
    for (let count = 0; count < 8; count++)
      expect((await node.control("GET", `state?world=w${count}`)).status).toBe(200);
    expect(await metric(node, "sandbox_worlds_evicted_total")).toBeGreaterThan(4);
  });

  it("open few worlds for forged tokens and client ids, and all for valid ones", async () => {
    const database = await postgres.newDatabase();
    const node = await opened(database, ["--worlds-in-memory", "3"]);
    const made: { client_id: string; client_secret: string }[] = [];
    for (let count = 0; count < 90; count++) {
      const { status, body } = await node.control("POST", "worlds", { id: `w${count}` });
      expect(status).toBe(201);
      made.push(body as (typeof made)[number]);
    }
    await eventually(async () => expect(await metric(node, "sandbox_worlds ")).toBeLessThanOrEqual(3));
    const opens = () => metric(node, 'sandbox_worlds_opened_total{for="request"}');
    const before = await opens();
    const made_up = (at: number): Promise<Response> => {
      if (at % 3 === 0)
        return fetch(`${node.url}/v1/me`, { headers: { authorization: `Bearer w${at}.${"a".repeat(43)}` } });
      if (at % 3 === 1) return fetch(`${node.url}/files/w${at}/tickets/t.pdf`);
      const form = { grant_type: "client_credentials", client_id: `w${at}.${"0".repeat(24)}`, client_secret: "s" };
      return fetch(`${node.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
    };
    const seen = new Map<number, number>();
    for (let at = 0; at < 80; at++) {
      const { status } = await made_up(at);
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    expect([...seen.keys()].sort()).toEqual([401, 404, 503]);
    expect([seen.get(503), (await opens()) - before]).toEqual([20, 60]);
    for (const { client_id, client_secret } of made.slice(0, 5)) {
      const form = { grant_type: "client_credentials", audience: node.url, client_id, client_secret };
      const answer = await fetch(`${node.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
      expect(answer.status).toBe(200);
      const { access_token } = (await answer.json()) as { access_token: string };
      const me = await fetch(`${node.url}/v1/me`, { headers: { authorization: `Bearer ${access_token}` } });
      expect(me.status).toBe(200);
    }
  });
});
