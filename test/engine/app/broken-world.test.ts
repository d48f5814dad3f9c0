// A world that can't be shown is set aside with one sentence, and the others go on serving; nothing that is thrown where no request can
// be answered ends the process.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ClockRecord, Subscription } from "../../../src/engine/domain/kernel/records.ts";
import { serve } from "../../../src/engine/http/serve.ts";
import { Followers } from "../../../src/engine/log/follow.ts";
import { ActivityLog } from "../../../src/engine/log/log.ts";
import type { SandboxOptions } from "../../../src/engine/settings.ts";
import type { World } from "../../../src/engine/world/state/world.ts";
import { makeSandbox, type Sandbox } from "../../../src/sandbox.ts";
import { startSandboxCommand } from "../../cli/run-sandbox.ts";
import { ANCHOR, type Answered } from "../../sandbox.ts";
import { makeTempFolder } from "../../temp-folder.ts";

type Json = Answered["body"];

const FACT = { fact: "event.created", id: "evt-1" } as const;
const COMMIT = { kind: "commit", id: "setup", world: "one", at: "", wall: 0, facts: [FACT] } as const;
const putAway: (() => unknown)[] = [];
afterEach(async () => {
  for (const away of putAway.splice(0).reverse()) await away();
});

interface Served {
  sandbox: Sandbox;
  url: string;
  warned: string[];
  close(): Promise<void>;
  ask(method: string, path: string, body?: object): Promise<{ status: number; body: Json }>;
}

async function open(inputs: SandboxOptions = {}): Promise<Served> {
  const warned: string[] = [];
  const sandbox = await makeSandbox({ fixture: "empty", ...inputs }, (sentence) => warned.push(sentence));
  const { url, close: end } = await serve(sandbox.router, 0, "127.0.0.1");
  await sandbox.reachedAt(url);
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await end();
    await sandbox.close();
  };
  putAway.push(close);
  return {
    sandbox,
    url,
    warned,
    close,
    async ask(method, path, body) {
      const answer = await fetch(url + path, {
        method,
        ...(body ? { headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : {}),
      });
      const message = await answer.text();
      return { status: answer.status, body: message === "" ? undefined : JSON.parse(message) };
    },
  };
}

const worldIn = ({ sandbox }: Served, id = "default") => sandbox.application.worlds.get(id) as World;
const healthy = async ({ url }: Served) => (await fetch(`${url}/healthz`)).status;

/** A data file with the worlds default and other, changed by hand. */
async function fileWith(change: (worlds: Json) => void): Promise<string> {
  const data = join(makeTempFolder(), "world.json");
  const served = await open({ data, clock: ANCHOR });
  await served.ask("POST", "/_sandbox/worlds", { id: "other" });
  await served.close();
  const { checksum: _, ...document } = JSON.parse(readFileSync(data, "utf8"));
  change(document.worlds);
  writeFileSync(data, JSON.stringify(document));
  return data;
}

async function tokenOf({ url, sandbox }: Served, id: string): Promise<{ status: number; body: Json }> {
  const [key] = [...(sandbox.application.worlds.get(id) as World).credentials().keys.all()];
  const form = {
    grant_type: "client_credentials",
    audience: url,
    client_id: key?.id ?? "",
    client_secret: key?.secret ?? "",
  };
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  return { status: answer.status, body: await answer.json() };
}

const running = (worlds: Json) => Object.assign(worlds.other.clock.clock, { mode: "running" });

describe("A data file with a broken world", () => {
  it.each<[string, (worlds: Json) => void, RegExp]>([
    ["runs without an offset", running, /clock\.clock\.offset_ms: it is missing/],
    [
      "stands at no instant",
      ({ other }) => Object.assign(other.clock.clock, { at: "soon" }),
      /clock\.clock\.at: it must be an instant/,
    ],
    ["has no clock", ({ other }) => void delete other.clock, /its clock is missing/],
    ["has no company", ({ other }) => void delete other.company, /its company is missing/],
    [
      "runs, and has an event of no sessions",
      ({ other }) =>
        Object.assign(other, {
          clock: { clock: { id: "clock", mode: "running", at: ANCHOR, offset_ms: 0 } },
          events: { e: { id: "e", state: "ACTIVE", sessions: [null] } },
        }),
      /events\.e\.visibility: it is missing/,
    ],
  ])("that %s serves the others, and reports the broken record", async (_, change, record) => {
    const served = await open({ data: await fileWith(change) });
    const message = [...served.sandbox.warnings, ...served.warned];
    expect(message).toHaveLength(1);
    expect(message[0]).toMatch(/^World other is set aside: /);
    expect(message[0]).toMatch(record);
    expect(message[0]).toMatch(/ Reset it, restore a snapshot, import a document, remove it, or export it\. /);

    expect((await served.ask("GET", "/_sandbox/clock")).status).toBe(200);
    expect((await tokenOf(served, "default")).status).toBe(200);
    const { body } = await served.ask("GET", "/_sandbox/worlds");
    expect(body.items.map(({ id, set_aside }: Json) => [id, set_aside])).toEqual([
      ["default", undefined],
      ["other", message[0]],
    ]);
    for (const [method, path] of [
      ["GET", "/_sandbox/clock?world=other"],
      ["POST", "/_sandbox/worlds/other/fork"],
      ["GET", "/_sandbox/messages?world=other"],
      ["POST", "/_sandbox/acts/submitConsent?world=other"],
    ] as const) {
      const answer = await served.ask(
        method,
        path,
        method === "POST" && path.includes("acts") ? { email: "a@example.com", full_name: "A" } : undefined,
      );
      expect([path, answer.status, answer.body]).toEqual([
        path,
        503,
        { code: "SERVICE_UNAVAILABLE", message: message[0] },
      ]);
    }
    expect(await tokenOf(served, "other")).toEqual({
      status: 503,
      body: { error: "server_error", error_description: expect.stringContaining("World other is set aside") },
    });
    expect(served.sandbox.application.worlds.all().map(({ id }) => id)).toEqual(["default", "other"]);
    expect((await served.ask("GET", "/_sandbox/state?world=other")).status).toBe(200);
    const reset = await served.ask("POST", "/_sandbox/state/reset?world=other");
    expect([reset.status, reset.body.set_aside]).toEqual([200, undefined]);
    expect((await tokenOf(served, "other")).status).toBe(200);
  });

  it("allows the deletion of the broken world", async () => {
    const served = await open({ data: await fileWith(running) });
    expect((await served.ask("DELETE", "/_sandbox/worlds/other")).status).toBe(204);
    expect((await served.ask("GET", "/_sandbox/worlds")).body.items).toHaveLength(1);
  });

  it("is rejected in one sentence, and not changed, if the broken world is the default world", async () => {
    const data = await fileWith(({ default: world }) => Object.assign(world.clock.clock, { mode: "running" }));
    const before = readFileSync(data, "utf8");
    const { code, stdout, stderr } = await startSandboxCommand(["start", "--data", data, "--port", "0"]).ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /The world default in .*world\.json can't be shown: clock\.clock\.offset_ms: it is missing\. .*start with --fresh/,
    );
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(readFileSync(data, "utf8")).worlds).toEqual(JSON.parse(before).worlds);
  });

  it("never reopens a folder that the broken world used", async () => {
    const data = await fileWith(({ other }) => Object.assign(other.identity.identity.origin, { fixture: "/etc" }));
    const served = await open({ data });
    expect(served.sandbox.warnings).toEqual([]);
    const answer = await served.ask("POST", "/_sandbox/state/reset?world=other");
    expect([answer.status, answer.body.code]).toEqual([409, "FIXTURE_NOT_HERE"]);
    expect(answer.body.message).toContain("Start the sandbox with the fixture /etc");
  });
});

describe("While it runs", () => {
  const clockOf = (world: World, clock: object) => world.transact(ANCHOR, (tx) => tx.clock.put(clock as ClockRecord));

  it("a world with a broken clock is disabled and reported once, and everything else continues", async () => {
    const served = await open();
    await served.ask("POST", "/_sandbox/worlds", { id: "other" });
    clockOf(worldIn(served), { id: "clock", mode: "running", at: ANCHOR });
    served.sandbox.application.clock.show(worldIn(served));
    for (let i = 0; i < 3; i++) expect((await served.ask("GET", "/_sandbox/clock")).status).toBe(503);
    expect((await served.ask("GET", "/v1/nowhere")).status).toBe(404);
    expect((await tokenOf(served, "other")).status).toBe(200);
    expect(served.warned).toEqual([expect.stringMatching(/^World default is set aside: clock\.clock\.offset_ms/)]);
    expect(await healthy(served)).toBe(200);
    expect((await served.ask("POST", "/_sandbox/state/reset")).status).toBe(200);
    expect((await served.ask("GET", "/_sandbox/clock")).status).toBe(200);
  });

  it("a delivery that can't be sent disables its world, not the process", async () => {
    const served = await open({ clock: ANCHOR });
    await served.ask("POST", "/_sandbox/worlds", { id: "other" });
    const world = worldIn(served, "other");
    const broken: Subscription = {
      id: "sub",
      url: "nonsense",
      event_types: ["v1.marketing_consent.created"],
      state: "ENABLED",
      secret: `whsec_${"A".repeat(43)}=`,
      created_at: ANCHOR,
      updated_at: ANCHOR,
    };
    world.transact(ANCHOR, (tx) => tx.subscriptions.put(broken));
    const consent = { email: "a@example.com", full_name: "A" };
    expect((await served.ask("POST", "/_sandbox/acts/submitConsent?world=other", consent)).status).toBe(200);
    await expect
      .poll(() => served.warned)
      .toEqual([expect.stringMatching(/^World other is set aside: subscriptions\.sub\.url/)]);
    expect((await served.ask("GET", "/_sandbox/clock?world=other")).status).toBe(503);
    expect((await served.ask("GET", "/_sandbox/clock")).status).toBe(200);
  });

  it("a listener that throws is removed, and the others are called", async () => {
    const warnings: string[] = [];
    const log = new ActivityLog(1_000_000);
    const followers = new Followers(log, (sentence) => warnings.push(sentence));
    let calls = 0;
    followers.add({
      catchUp() {
        throw new Error("deaf");
      },
    });
    followers.add({ catchUp: () => ++calls < 0 });
    for (const expected of [1, 2]) {
      log.append(COMMIT);
      await expect.poll(() => calls).toBe(expected);
    }
    expect([warnings, followers.size]).toEqual([[expect.stringContaining("deaf")], 1]);
  });

  it("a listener that is far behind delays no others", async () => {
    const followers = new Followers(new ActivityLog(1_000_000), () => undefined);
    const calls: string[] = [];
    for (const name of ["slow", "second", "third"])
      followers.add({
        catchUp(slice) {
          if (slice.isOver || calls.length === 6) return calls.length < 6;
          calls.push(name);
          while (!slice.isOver);
          return true;
        },
      });
    followers.wake();
    await expect.poll(() => calls).toEqual(["slow", "second", "third", "slow", "second", "third"]);
  });

  it("a client that waits on a broken world gets a response", async () => {
    const log = new ActivityLog(1_000_000);
    const followers = new Followers(log, () => undefined);
    let looks = 0;
    const look = () => {
      looks += 1;
      if (looks > 1) throw new Error("gone");
      return [];
    };
    await expect(followers.waitUntilEnough(look, () => false, 1)).rejects.toThrow("gone");
    looks = 0;
    const waiting = followers.waitUntilEnough(look, () => false, 60_000);
    log.append(COMMIT);
    await expect(waiting).rejects.toThrow("gone");
    expect(followers.size).toBe(0);
  });

  it("a response that can't be written breaks its connection, and is reported", async () => {
    const served = await open();
    served.sandbox.application.log.add = () => {
      throw new Error("no words");
    };
    await served.ask("GET", "/v1/nowhere").catch(() => undefined);
    await expect.poll(() => served.warned).toEqual([expect.stringContaining("no words")]);
    expect((await served.ask("GET", "/_sandbox/clock")).status).toBe(200);
  });
});
