// Who may use the control surface: programs on this machine, and whoever has its token. Not a page in a browser, and not by
// another name of this machine. A refusal has no effect.
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SignIns } from "../../../../src/engine/app/sign-ins.ts";
import { createGuard } from "../../../../src/engine/http/control/guard.ts";
import type { Routed } from "../../../../src/engine/http/exchange.ts";
import { serve } from "../../../../src/engine/http/serve.ts";
import { makeSandbox } from "../../../../src/sandbox.ts";
import { ANCHOR, shareSandbox, shareWorld } from "../../../sandbox.ts";
import { type ReceivedAnswer, rawRequest, stateOf } from "../http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
const world = shareWorld(sandbox, { fixture: "empty" });
let port: string;
beforeAll(() => {
  port = new URL(sandbox.url).port;
});

const consent = JSON.stringify({ full_name: "Anna Holm", email: "anna@example.com", source: "checkout" });
const submit = (headers: Record<string, string>) =>
  rawRequest(
    sandbox.url,
    "POST /_sandbox/acts/submitConsent",
    {
      "content-type": "application/json",
      "content-length": `${consent.length}`,
      "sandbox-world": world.id,
      ...headers,
    },
    consent,
  );

describe("A request is rejected without effect", () => {
  it.each([
    ["by another name", () => ({ host: "evil.example" })],
    ["by another name with this port", () => ({ host: `evil.example:${port}` })],
    ["by a name that only begins as loopback", () => ({ host: `localhost.evil.example:${port}` })],
    ["by an address that only looks like one", () => ({ host: "127.0.0.1.evil.example" })],
    ["by the name of the network", () => ({ host: `192.0.2.2:${port}` })],
    ["by an empty name", () => ({ host: "" })],
    ["by a name that is rebound, from its own page", () => ({ host: "evil.example", origin: "http://evil.example" })],
    ["from a page of another origin", () => ({ origin: "https://evil.example" })],
    ["from a page of this machine on another port", () => ({ origin: "http://127.0.0.1:1" })],
    ["from a page over TLS", () => ({ origin: `https://127.0.0.1:${port}` })],
    ["from a page without an origin", () => ({ origin: "null" })],
    ["by an address of which one number is none", () => ({ host: `127.999.1.1:${port}` })],
    ["by an address with a leading zero", () => ({ host: `127.0.0.01:${port}` })],
    ["from a page of another site", () => ({ "sec-fetch-site": "cross-site" })],
    ["from a page of this machine on another port, without its origin", () => ({ "sec-fetch-site": "same-site" })],
    [
      "from a page, even with the control token",
      () => ({ origin: "https://evil.example", authorization: `Bearer ${sandbox.running.application.controlToken}` }),
    ],
  ])("%s", async (_, headers) => {
    const before = await stateOf(world);
    const answer = await submit(headers() as Record<string, string>);
    expect([answer.status, answer.body]).toEqual([403, { code: "UNAUTHORIZED", message: expect.any(String) }]);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
    expect(await stateOf(world)).toBe(before);
  });

  it.each([
    ["GET", "/_sandbox"],
    ["GET", "/_sandbox/worlds/default/credentials"],
    ["GET", "/_sandbox/state"],
    ["GET", "/_sandbox/stream"],
    ["GET", "/_sandbox/openapi.json"],
    ["GET", "/_sandbox/openapi.yaml"],
    ["GET", "/_sandbox/metrics"],
    ["DELETE", "/_sandbox/faults"],
    ["POST", "/_sandbox/state/reset"],
    ["HEAD", "/_sandbox/state"],
  ])("for every operation: %s %s", async (method, path) => {
    expect((await rawRequest(sandbox.url, `${method} ${path}`, { origin: "https://evil.example" })).status).toBe(403);
    expect((await rawRequest(sandbox.url, `${method} ${path}`, { host: "evil.example" })).status).toBe(403);
    const fetched = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await rawRequest(sandbox.url, `${method} ${path}`, fetched)).status).toBe(403);
  });
});

describe("A request is processed", () => {
  it.each([
    ["by the loopback address", () => ({ host: `127.0.0.1:${port}` })],
    ["by localhost", () => ({ host: `localhost:${port}` })],
    ["by LOCALHOST without port", () => ({ host: "LOCALHOST" })],
    ["by the other loopback address", () => ({ host: `[::1]:${port}` })],
    ["by the last address of the loopback network", () => ({ host: `127.255.255.255:${port}` })],
    ["by an address that somebody typed", () => ({ "sec-fetch-site": "none" })],
    ["from a page of the sandbox itself, as browsers say", () => ({ "sec-fetch-site": "same-origin" })],
    ["from a page of the sandbox itself", () => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` })],
  ])("%s", async (_, headers) => {
    expect((await submit(headers() as Record<string, string>)).status).toBe(200);
  });
});

describe("The world is selected", () => {
  it.each([
    ["by the query", () => `?world=${world.id}`, () => ({}), 200],
    ["by the header", () => "", () => ({ "sandbox-world": world.id }), 200],
    ["by both, agreeing", () => `?world=${world.id}`, () => ({ "sandbox-world": world.id }), 200],
    ["by both, disagreeing", () => `?world=${world.id}`, () => ({ "sandbox-world": "default" }), 400],
    ["twice by the query", () => `?world=${world.id}&world=default`, () => ({}), 400],
    ["as one that there is not", () => "?world=berlin", () => ({}), 404],
    ["as __proto__", () => "?world=__proto__", () => ({}), 404],
    ["as constructor", () => "", () => ({ "sandbox-world": "constructor" }), 404],
  ])("%s", async (_, query, headers, status) => {
    const answer = await rawRequest(sandbox.url, `GET /_sandbox${query()}`, headers() as Record<string, string>);
    expect(answer.status).toBe(status);
    if (status === 200) expect(answer.body.world).toBe(world.id);
    else expect(answer.body.message).toEqual(expect.any(String));
  });

  it("as default if none is named, and a conflict has no effect", async () => {
    expect((await rawRequest(sandbox.url, "GET /_sandbox")).body.world).toBe("default");
    const before = await stateOf(world);
    await rawRequest(sandbox.url, `POST /_sandbox/state/reset?world=default`, { "sandbox-world": world.id });
    expect(await stateOf(world)).toBe(before);
  });
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address && !address.internal && address.family === "IPv4")?.address;

describe.runIf(outside)("On an address outside this machine", () => {
  let url: string;
  let close: () => Promise<void>;
  const token = "the-control-token";

  beforeAll(async () => {
    const sandbox = await makeSandbox({ fixture: "empty", clock: ANCHOR, host: "0.0.0.0", controlToken: token });
    const serving = await serve(sandbox.router, 0, "0.0.0.0");
    await sandbox.reachedAt(serving.url);
    url = `http://${outside}:${new URL(serving.url).port}`;
    close = async () => {
      await serving.close();
      await sandbox.close();
    };
  });
  afterAll(() => close());

  it.each<[string, Record<string, string>, number]>([
    ["without a token", {}, 401],
    ["with a wrong token", { authorization: "Bearer wrong" }, 401],
    ["with half of the token", { authorization: "Bearer the-control" }, 401],
    ["with the token and no scheme", { authorization: token }, 401],
    ["with a loopback name", { host: "127.0.0.1" }, 401],
    ["with the token", { authorization: `Bearer ${token}` }, 200],
    ["with the token and the scheme in small letters", { authorization: `bearer ${token}` }, 200],
    [
      "with the token, from a page elsewhere",
      { authorization: `Bearer ${token}`, origin: "https://evil.example" },
      403,
    ],
  ])("a request %s", async (_, headers, status) => {
    const answer = await rawRequest(url, "POST /_sandbox/state/reset", headers);
    expect(answer.status).toBe(status);
    if (status === 401) expect(answer.headers["www-authenticate"]).toBe('Bearer realm="sandbox control"');
  });

  describe("a browser that has signed in", () => {
    const body = JSON.stringify({ token });
    const signIn = (headers: Record<string, string> = {}, text = body) =>
      rawRequest(
        url,
        "POST /_sandbox/session",
        { "content-type": "application/json", "content-length": `${text.length}`, origin: url, ...headers },
        text,
      );
    const cookieOf = ({ headers }: ReceivedAnswer) => headers["set-cookie"]?.split(";")[0] ?? "";

    it("gets a half-day cookie for this API that is same-site and hidden from scripts", async () => {
      const answer = await signIn();
      expect([answer.status, answer.text]).toEqual([204, ""]);
      expect(answer.headers["set-cookie"]).toMatch(
        /^sandbox-session-[0-9a-f]{8}=[\w-]{43}; Path=\/_sandbox; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      );
      expect(answer.headers["set-cookie"]).not.toContain(token);
    });

    it("reads, listens, and makes changes from its own pages only", async () => {
      const cookie = cookieOf(await signIn());
      expect((await rawRequest(url, "GET /_sandbox", { cookie })).status).toBe(200);
      expect((await rawRequest(url, "GET /_sandbox", { cookie: `a=b; ${cookie}; c=d` })).status).toBe(200);
      expect((await rawRequest(url, "POST /_sandbox/state/reset", { cookie, origin: url })).status).toBe(200);
      const refused = await rawRequest(url, "POST /_sandbox/state/reset", { cookie });
      expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("header `Origin`")]);
      for (const origin of ["https://evil.example", `http://${outside}:1`, "null"])
        expect((await rawRequest(url, "POST /_sandbox/state/reset", { cookie, origin })).status).toBe(403);
    });

    it("receives the live stream, which can't send a token", async () => {
      const cookie = cookieOf(await signIn());
      const ending = new AbortController();
      const { status, body: stream } = await fetch(`${url}/_sandbox/stream`, {
        headers: { cookie },
        signal: ending.signal,
      });
      expect(status).toBe(200);
      const { value } = (await stream?.getReader().read()) ?? {};
      expect(value?.length).toBeGreaterThan(0);
      ending.abort();
      expect((await fetch(`${url}/_sandbox/stream`)).status).toBe(401);
    });

    it("is anonymous after it signs out, or with a forged cookie", async () => {
      const cookie = cookieOf(await signIn());
      const out = await rawRequest(url, "DELETE /_sandbox/session", { cookie, origin: url });
      expect([out.status, out.headers["set-cookie"]]).toEqual([204, expect.stringContaining("Max-Age=0")]);
      expect((await rawRequest(url, "GET /_sandbox", { cookie })).status).toBe(401);
      const made = `${cookie.split("=")[0]}=${"x".repeat(43)}`;
      expect((await rawRequest(url, "GET /_sandbox", { cookie: made })).status).toBe(401);
    });

    it.each<[string, Record<string, string>, string, number]>([
      ["a wrong token", {}, JSON.stringify({ token: "the-control" }), 401],
      ["no token", {}, "{}", 400],
      ["a token from a page elsewhere", { origin: "https://evil.example" }, body, 403],
    ])("%s opens no session", async (_, headers, text, status) => {
      const answer = await signIn(headers, text);
      expect(answer.status).toBe(status);
      expect(answer.headers).not.toHaveProperty("set-cookie");
    });
  });

  it("the service itself responds as usual", async () => {
    expect((await rawRequest(url, "GET /healthz")).status).toBe(200);
    expect((await rawRequest(url, "GET /v1/me")).status).toBe(401);
  });
});

it("A session expires after half a day, and a new one replaces the oldest of too many", () => {
  let now = 0;
  let ids = 0;
  const signIns = new SignIns(
    () => now,
    () => `${++ids}`,
  );
  const first = signIns.open();
  now += first.seconds * 1000 - 1;
  expect(signIns.has(first.id)).toBe(true);
  now += 1;
  expect(signIns.has(first.id)).toBe(false);
  const made = Array.from({ length: 1001 }, () => signIns.open().id);
  expect([made[0], made[1], made[1000]].map((id) => signIns.has(id ?? ""))).toEqual([false, true, true]);
});

describe("The guard requires the token", () => {
  it.each([
    ["10.0.0.1", 401],
    ["::ffff:10.0.0.1", 401],
    ["2001:db8::1", 401],
    ["0.0.0.0", 401],
    ["", 401],
    ["127.0.0.1", 0],
    ["127.9.9.9", 0],
    ["::1", 0],
    ["::ffff:127.0.0.1", 0],
  ])("on a connection to %s: %i", (localAddress, status) => {
    const exchange = { headers: { host: "localhost:4010" }, localAddress, route: {} } as unknown as Routed;
    const come = () => createGuard(undefined)(exchange, sandbox.running.application);
    if (status === 0) expect(come).not.toThrow();
    else expect(come).toThrow(expect.objectContaining({ status }));
  });
});
