// Receivers that the sandbox can't reach: in a running sandbox a relay brings them their messages, byte for byte, and what they answer is
// the attempt's own result. Each check of webhooks says the same through it.
import type { ServerResponse } from "node:http";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startOwnSandbox } from "../../src/cli/own-sandbox.ts";
import { type Schemas, unwrap } from "../../src/client/control.ts";
import { createControl } from "../../src/client/create-control.ts";
import { openRelay } from "../../src/client/relay.ts";
import { startRelay } from "../../src/stories/relayed.ts";
import { checks, judge } from "../../src/verdict/index.ts";
import { extent } from "../extent.ts";
import { freePort } from "../free-port.ts";
import { startLocalServer } from "../local-server.ts";
import { careful, careless, findingsIn, getExpectedOutcome, inThread, judged, meantBy } from "./matrix.ts";
import { soaked } from "./soak/soaked.ts";

let server: Awaited<ReturnType<typeof startOwnSandbox>>;
beforeAll(async () => {
  server = await startOwnSandbox({ clock: "anchor" });
});
afterAll(() => server?.close());

type Attempt = Schemas["Message"]["deliveries"][number]["attempts"][number];

let worlds = 0;
async function newWorld(webhook_url: string) {
  const body = { id: `relay-${++worlds}`, clock: "anchor", seed: "7", webhook_url } as Schemas["WorldInput"];
  const { id } = await unwrap(createControl(server).POST("/_sandbox/worlds", { body }));
  return createControl(server, id);
}
type Control = Awaited<ReturnType<typeof newWorld>>;

const trigger = (control: Control) =>
  unwrap(control.POST("/_sandbox/trigger", { body: { kind: "v1.booking.created" } }));
const attempts = async (control: Control): Promise<Attempt[]> => {
  const { items } = await unwrap(control.GET("/_sandbox/messages"));
  return items.flatMap(({ deliveries }) => deliveries.flatMap((each) => each.attempts));
};
const firstAttempt = async (control: Control): Promise<Attempt> => {
  await trigger(control);
  await expect.poll(() => attempts(control), { timeout: 20_000 }).not.toEqual([]);
  return (await attempts(control))[0] as Attempt;
};

interface Received {
  raw: string[];
  body: string;
}
async function receiver(answer: (response: ServerResponse) => void) {
  const got: Received[] = [];
  const { url, close } = await startLocalServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    got.push({ raw: request.rawHeaders, body: Buffer.concat(pieces).toString() });
    answer(response);
  });
  onTestFinished(close);
  return { url: `${url}/hooks?of=shop`, got };
}

describe("A relay", () => {
  it("forwards headers and body unchanged, and reports status, headers, body and time", async () => {
    const { url, got } = await receiver((response) => {
      setTimeout(() => response.writeHead(202, { "retry-after": "7", "x-own": "yes" }).end("taken"), 300);
    });
    const control = await newWorld(url);
    const relay = await startRelay(control, server.url);
    onTestFinished(relay.close);
    const attempt = await firstAttempt(control);
    expect(attempt).toMatchObject({
      outcome: "ACCEPTED",
      relayed: true,
      answer: { status: 202, headers: { "retry-after": "7", "x-own": "yes" }, body: "taken" },
    });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(290);
    const { "content-length": _, ...sent } = attempt.request.headers;
    const [{ raw, body }] = got as [Received];
    const received = Object.fromEntries(raw.flatMap((name, at) => (at % 2 ? [] : [[name, raw[at + 1]]])));
    expect({ body, received }).toEqual({ body: attempt.request.body, received: expect.objectContaining(sent) });
  });

  it("reports that nothing listens, as the sandbox would", async () => {
    const port = await freePort();
    const control = await newWorld(`http://127.0.0.1:${port}/`);
    const relay = await startRelay(control, server.url);
    onTestFinished(relay.close);
    expect(await firstAttempt(control)).toMatchObject({
      outcome: "UNREACHABLE",
      answer: null,
      relayed: true,
      error: `Nothing listens at 127.0.0.1:${port}. Start the receiver, or correct its URL (ECONNREFUSED).`,
    });
  });

  it("continues after a reset of its world, and accepts only loopback targets", async () => {
    const { url, got } = await receiver((response) => response.writeHead(204).end());
    const control = await newWorld(url);
    const relay = await startRelay(control, server.url);
    onTestFinished(relay.close);
    await unwrap(control.POST("/_sandbox/state/reset"));
    expect(await firstAttempt(control)).toMatchObject({ outcome: "ACCEPTED", relayed: true });
    expect(got).toHaveLength(1);
    const afar = await newWorld("http://198.51.100.1:9/");
    const other = await openRelay(afar, () => expect.fail("it is for another machine"));
    onTestFinished(other.close);
    await trigger(afar);
    expect(other.lost()).toBeUndefined();
  });

  it("of a world that was opened last gets the messages, and the previous one does after it closes", async () => {
    const control = await newWorld("http://127.0.0.1:9/");
    const taken: string[] = [];
    const opened = (name: string) =>
      openRelay(control, () => {
        taken.push(name);
        const answer = { status: 204, headers: {}, body: name };
        return { sent: Promise.resolve(), report: Promise.resolve({ outcome: "ANSWERED", answer, duration_ms: 1 }) };
      });
    const [first, second] = [await opened("first"), await opened("second")];
    onTestFinished(first.close);
    await firstAttempt(control);
    second.close();
    // The sandbox hears of it by the end of the connection.
    await expect
      .poll(async () => {
        await trigger(control);
        return taken.includes("first");
      })
      .toBe(true);
    expect(taken[0]).toBe("second");
  });

  it("that dies during an attempt leaves it as not reached", async () => {
    const control = await newWorld("http://127.0.0.1:9/");
    let begin = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const relay = await openRelay(control, () => {
      begin();
      return { sent: Promise.resolve(), report: new Promise(() => {}) };
    });
    await trigger(control);
    await begun;
    relay.close();
    await expect
      .poll(() => attempts(control), { timeout: 20_000 })
      .toMatchObject([
        {
          outcome: "UNREACHABLE",
          answer: null,
          relayed: true,
          error: "The relay ended before it reported a response.",
        },
      ]);
    expect(relay.lost()).toBeUndefined();
  });

  it("reports that it was ended, and by whom, when its world is deleted", async () => {
    const control = await newWorld("http://127.0.0.1:9/");
    const relay = await startRelay(control, server.url);
    const params = { path: { worldId: `relay-${worlds}` } };
    await createControl(server).DELETE("/_sandbox/worlds/{worldId}", { params });
    await expect
      .poll(() => relay.getLoss()?.message)
      .toMatch(/^The relay of messages from .* to this machine was lost/);
  });

  it("accepts no report of an unknown attempt", async () => {
    const control = await newWorld("http://127.0.0.1:9/");
    const params = { path: { attemptId: "none" } };
    const body = { outcome: "TIMED_OUT" as const, answer: null, duration_ms: 0 };
    const { response, error } = await control.POST("/_sandbox/relay/{attemptId}", { params, body });
    const message = `No attempt none of the world relay-${worlds} waits for a report.`;
    expect({ status: response.status, error }).toMatchObject({ status: 404, error: { message } });
  });
});

const hooks = checks.filter(({ id }) => id.startsWith("HOOK-") || id === "TOL-04");
const blind = careless.filter((path) => hooks.some(({ id }) => id === meantBy(path)));
const LIMIT_MS = 600_000;
/** What a receiver can be told only by who subscribes for it. */
const SUBSCRIBED = "HOOK-06";
const urlFor = (path: string) => (meantBy(path) === SUBSCRIBED ? "http://127.0.0.1:{port}/hooks" : undefined);

describe("The checks of webhooks in a running sandbox", () => {
  it("pass a careful program", { timeout: LIMIT_MS }, async () => {
    const { results } = await judged(careful, { only: hooks, server });
    const expected = hooks.map(({ id }) => `${id} ${id === SUBSCRIBED ? "not-exercised" : "pass"}`);
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(expected);
  });

  // Of the others in CI only the one that is meant: what all say of each is tried by hand.
  it.each(blind.map((path) => [basename(path), path]))(
    "have the same result for %s as in a separate sandbox",
    { timeout: LIMIT_MS },
    async (_, path) => {
      const meant = hooks.filter(({ id }) => id === meantBy(path));
      const only = extent(meant, meant, hooks);
      const found = findingsIn(await judged(path, { only, server, webhookUrl: urlFor(path) }));
      const expected = meant.map(({ id }) => `${id} ${getExpectedOutcome(id)}`);
      expect(found.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(expected);
    },
  );
});

/** In the running sandbox, whose responses pass `send`. */
const judgeHooks = (send: (request: Request) => Promise<Response>) =>
  judge({
    command: ["node", "program.mjs"],
    seed: "7",
    server: { ...server, send },
    checks: hooks,
    launch: inThread(careful),
    start: () => Promise.reject(new Error("no other sandbox is needed")),
    limitMs: 60_000,
  });

it("is rejected with the reason if the sandbox has no relay", async () => {
  const old = async (request: Request) =>
    request.url.endsWith("/_sandbox/relay")
      ? Response.json({ code: "NOT_FOUND", message: "There is no such path." }, { status: 404 })
      : fetch(request);
  await expect(judgeHooks(old)).rejects.toThrow(
    `The sandbox at ${server.url} does not let this command relay its messages to receivers on this machine, so nothing was run: There is no such path. It may be older than this command. Update it, or omit --url.`,
  );
});

it("gives no verdict if the relay disconnects", async () => {
  const cut = async (request: Request) => {
    const answer = await fetch(request);
    if (!request.url.endsWith("/_sandbox/relay")) return answer;
    const reader = answer.body?.getReader();
    const first = await reader?.read();
    void reader?.cancel();
    return new Response(first?.value as Uint8Array<ArrayBuffer>, { headers: answer.headers });
  };
  expect(await judgeHooks(cut)).toMatchObject({
    exit_code: 3,
    results: [],
    no_verdict: { code: "RELAY_LOST", says: expect.stringContaining("was lost: the sandbox ended it") },
  });
});

it("also delivers the messages of a soak", async () => {
  const found = await soaked("hooks", { server, days: 2, dayMs: 300 });
  expect(found).toMatchObject({ no_verdict: null, differences: [], exit_code: 0, done_days: 2 });
  expect(found.deliveries).toBeGreaterThan(10);
}, 200_000);
