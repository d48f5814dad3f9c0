// The Model Context Protocol over HTTP: sessions, each with a world of its own, who may open one, and how each ends.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeSessions } from "../../src/mcp/sessions/index.ts";
import { rawRequest } from "../engine/http/http-kit.ts";
import { openSandbox, shareSandbox } from "../sandbox.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { listWorlds, overHttp } from "./mcp-kit.ts";

const sandbox = shareSandbox();

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
};

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/_sandbox/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

describe("A session", () => {
  it("has a separate world that others do not see, and that is deleted with it", async () => {
    const [one, two] = await Promise.all([overHttp(sandbox.url), overHttp(sandbox.url)]);
    const [first, second] = [await one.world(), await two.world()];
    expect(first).not.toBe(second);
    const cancel = { act: "cancelBooking", input: { booking_id: "bkg-evening" } };
    expect((await one.call("act", cancel)).failed).toBe(false);
    expect((await two.call("act", cancel)).failed).toBe(false);
    expect(await listWorlds(sandbox.url)).toEqual(expect.arrayContaining([first, second]));
    await one.close();
    expect(await listWorlds(sandbox.url)).not.toContain(first);
    expect((await two.call("clock")).failed).toBe(false);
    await two.close();
    expect(await listWorlds(sandbox.url)).toEqual(["default"]);
  });

  it("uses a world that is named at its start, and keeps it", async () => {
    const { id } = await sandbox.world();
    const model = await overHttp(sandbox.url, { "sandbox-world": id });
    expect(await model.world()).toBe(id);
    await model.close();
    expect(await listWorlds(sandbox.url)).toEqual(["default", id]);
    expect((await post(`${sandbox.url}`, INITIALIZE, { "sandbox-world": "nope" })).status).toBe(404);
  });

  it("deletes a fork and the forks of that fork", async () => {
    const model = await overHttp(sandbox.url);
    const before = await listWorlds(sandbox.url);
    await model.call("world", { action: "fork", id: await model.world() });
    expect(await listWorlds(sandbox.url)).toHaveLength(before.length + 1);
    await model.close();
    expect(await listWorlds(sandbox.url)).toEqual(before.filter((id) => !id.startsWith("mcp-")));
  });

  it("responds to several requests concurrently", async () => {
    const model = await overHttp(sandbox.url);
    const calls = ["overview", "list_acts", "clock", "requests", "faults", "search_docs", "world", "read_operation"];
    const answers = await Promise.all(calls.map((tool) => model.call(tool)));
    expect(answers.map(({ failed }) => failed)).toEqual(calls.map(() => false));
    await model.close();
  });

  it("is opened by the simplest client, and ended by DELETE, once", async () => {
    const opened = await post(sandbox.url, INITIALIZE);
    const session = opened.headers.get("mcp-session-id") ?? "";
    expect(opened.status).toBe(200);
    expect(await opened.json()).toMatchObject({ id: 1, result: { serverInfo: { name: "experience-sandbox" } } });
    const headers = { "mcp-session-id": session };
    expect((await post(sandbox.url, { jsonrpc: "2.0", method: "notifications/initialized" }, headers)).status).toBe(
      202,
    );
    const end = () => fetch(`${sandbox.url}/_sandbox/mcp`, { method: "DELETE", headers });
    expect((await end()).status).toBe(204);
    const again = await end();
    expect([again.status, await again.json()]).toEqual([404, expect.objectContaining({ code: "NOT_FOUND" })]);
    const late = await post(sandbox.url, { jsonrpc: "2.0", id: 2, method: "tools/list" }, headers);
    expect(late.status).toBe(404);
    expect(((await late.json()) as { message: string }).message).toMatch(/Send initialize again/);
  });
});

it("Requests that wait when the session ends get a response at once", async () => {
  const headers = { "mcp-session-id": (await post(sandbox.url, INITIALIZE)).headers.get("mcp-session-id") ?? "" };
  const params = { name: "requests", arguments: { wait_for: 1000, timeout: 30 } };
  const waiting = post(sandbox.url, { jsonrpc: "2.0", id: 2, method: "tools/call", params }, headers);
  const ping = { jsonrpc: "2.0", id: 3, method: "ping" };
  expect((await post(sandbox.url, ping, headers)).status).toBe(200);
  await fetch(`${sandbox.url}/_sandbox/mcp`, { method: "DELETE", headers });
  expect((await waiting).status).toBe(404);
});

describe("A message is rejected", () => {
  it.each([
    ["without a session", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {}, 400, /Send initialize first/],
    ["that is none", { hello: "world" }, {}, 400, /jsonrpc/],
    ["that greets wrongly", { ...INITIALIZE, params: {} }, {}, 400, /initialize requires params/],
    ["of a session that there is not", INITIALIZE, { "mcp-session-id": "nope" }, 404, /There is no session nope/],
    [
      "from a page of another origin",
      INITIALIZE,
      { origin: "https://evil.example" },
      403,
      /web pages of other origins/,
    ],
    ["that is no JSON", INITIALIZE, { "content-type": "text/plain" }, 415, /application\/json/],
  ])("%s", async (_, body, headers, status, words) => {
    const answer = await post(sandbox.url, body, headers);
    expect([answer.status, await answer.json()]).toEqual([
      status,
      expect.objectContaining({ code: expect.any(String), message: expect.stringMatching(words) }),
    ]);
    expect((await listWorlds(sandbox.url)).filter((id) => id.startsWith("mcp-"))).toEqual([]);
  });

  it("that uses another host name, as a page would send it", async () => {
    const body = JSON.stringify(INITIALIZE);
    const headers = { host: "evil.example", "content-type": "application/json", "content-length": `${body.length}` };
    const { status } = await rawRequest(sandbox.url, "POST /_sandbox/mcp", headers, body);
    expect(status).toBe(403);
  });

  it("as GET, because nothing is sent without a request", async () => {
    const answer = await fetch(`${sandbox.url}/_sandbox/mcp`, { headers: { accept: "text/event-stream" } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, expect.stringContaining("POST")]);
  });
});

describe("Sessions", () => {
  let made = 0;
  const opened = async (limits: { maxSessions?: number; idleMs?: number }) => {
    const removed: string[] = [];
    const sessions = makeSessions({
      sandbox: () => ({ url: sandbox.url, publicUrl: sandbox.url, controlToken: "", version: "1", folder: "." }),
      newWorldId: () => `mcp-test-${++made}`,
      newSessionId: () => `s-${made}`,
      removeWorld: (id) => removed.push(id) > 0,
      ...limits,
    });
    const ask = () => sessions.ask({ session: undefined, protocol: undefined, body: INITIALIZE, world: undefined });
    const isAlive = async (session: string) => {
      const body = { jsonrpc: "2.0", id: 1, method: "ping" };
      return (await sessions.ask({ session, protocol: undefined, body, world: undefined })).status === 200;
    };
    return { sessions, ask, isAlive, removed };
  };
  afterAll(async () => {
    for (const id of await listWorlds(sandbox.url))
      if (id.startsWith("mcp-test-")) await fetch(`${sandbox.url}/_sandbox/worlds/${id}`, { method: "DELETE" });
  });

  it("are limited", async () => {
    const { sessions, ask, removed } = await opened({ maxSessions: 2 });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    expect(await ask()).toMatchObject({
      status: 503,
      rejection: expect.stringContaining("There are 2 sessions already."),
    });
    await sessions.close();
    expect(removed).toHaveLength(2);
  });

  it("end when they have been idle for long, and their worlds with them", async () => {
    const { sessions, ask, isAlive, removed } = await opened({ idleMs: 100 });
    const { session = "" } = await ask();
    await expect.poll(() => removed).toHaveLength(1);
    expect(await isAlive(session)).toBe(false);
    await sessions.close();
  });

  it("are limited, even if several are opened concurrently, and one in a named world creates none", async () => {
    const { sessions, ask } = await opened({ maxSessions: 1 });
    const both = await Promise.all([ask(), ask()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 503]);
    await sessions.close();
    const own = await opened({});
    const before = made;
    await own.sessions.ask({ session: undefined, protocol: undefined, body: INITIALIZE, world: "default" });
    expect(made).toBe(before);
    await own.sessions.close();
  });
});

describe("A sandbox that stores its worlds", () => {
  const data = join(makeTempFolder(), "world.json");
  const start = () => openSandbox({ data });

  it("stores none of a session beyond its own end", async () => {
    const first = await start();
    const model = await overHttp(first.url);
    const mine = await model.world();
    await first.close();
    expect(existsSync(data)).toBe(true);
    const second = await start();
    expect(await listWorlds(second.url)).toEqual(["default"]);
    expect(mine).toMatch(/^mcp-[0-9a-f]{12}$/);
    await second.close();
  });

  it("deletes at its start what a kill has left", async () => {
    const first = await start();
    await first.world({ id: "mcp-0123456789ab" });
    await first.close();
    const second = await start();
    expect(await listWorlds(second.url)).toEqual(["default"]);
    await second.close();
  });
});
