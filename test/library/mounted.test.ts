// A sandbox without a port: Express mounts it, supertest and node:http call it, and its own methods reach it in memory.
import { createServer, type RequestListener } from "node:http";
import express from "express";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ClosedError, type MountedSandbox, SettingError, startSandbox } from "../../src/index.ts";
import { runHere } from "../cli/in-process.ts";
import { startLocalServer } from "../local-server.ts";
import { BOOKING, CLOCK } from "./works-anywhere.ts";

let sandbox: MountedSandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ listen: false, clock: CLOCK });
});
afterAll(() => sandbox.close());

/** Where the app answers. */
async function served(app: RequestListener): Promise<string> {
  const { url, close } = await startLocalServer(app);
  onTestFinished(close);
  return url;
}

async function tokenAt(url: string, audience = url): Promise<{ status: number; token: string }> {
  const { clientId, clientSecret } = sandbox.credentials;
  const form = { grant_type: "client_credentials", audience, client_id: clientId, client_secret: clientSecret };
  const answer = await fetch(`${url}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  return { status: answer.status, token: ((await answer.json()) as { access_token: string }).access_token };
}

const bookedAt = async (url: string, token: string) =>
  fetch(`${url}/v1/bookings`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(BOOKING),
  });

it("responds to supertest, with a token from its own methods", async () => {
  const token = await sandbox.token();
  const made = await request(sandbox.router)
    .post("/v1/bookings")
    .set("authorization", `Bearer ${token}`)
    .send(BOOKING)
    .expect(201);
  const found = await request(sandbox.router).get(`/v1/bookings/${made.body.id}`).auth(token, { type: "bearer" });
  expect(found.body).toMatchObject({ id: made.body.id, status: "ACTIVE" });
});

it("runs its methods, and shows them the requests", async () => {
  const world = await sandbox.world();
  const { facts } = await world.act("cancelEvent", { event_id: "evt-evening" });
  expect(facts.map(({ fact }) => fact)).toContain("event.cancelled");
  const token = await world.token();
  const { body } = await request(sandbox.router).get("/v1/events/evt-evening").auth(token, { type: "bearer" });
  expect(body.state).toBe("CANCELLED");
  expect((await world.requests()).map(({ operation, status }) => ({ operation, status }))).toEqual([
    { operation: "getEvent", status: 200 },
  ]);
  await expect(world.act("cancelEvent", { event_id: "nope" })).rejects.toMatchObject({ status: 404 });
  await world.remove();
});

describe("In an app of Express", () => {
  const apps: [name: string, path: string, app: () => express.Express][] = [
    ["at its root", "", () => express().use(sandbox.router)],
    ["under a path", "/their/sandbox", () => express().use("/their/sandbox", sandbox.router)],
    [
      "behind parsers that have read the body",
      "/sandbox",
      () =>
        express()
          .use(express.json(), express.urlencoded({ extended: false }))
          .use("/sandbox", sandbox.router),
    ],
    ["in a router in a router", "/a/b", () => express().use("/a", express.Router().use("/b", sandbox.router))],
  ];
  it.each(apps)("%s it responds, and uses the address of the request", async (_, path, app) => {
    const url = (await served(app() as RequestListener)) + path;
    const { status, token } = await tokenAt(url);
    expect(status).toBe(200);
    const made = await bookedAt(url, token);
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const authorization = `Bearer ${token}`;
    const tickets = await fetch(`${url}/v1/bookings/${id}/tickets`, { headers: { authorization } });
    const [ticket] = ((await tickets.json()) as { items: { urls: { url: string }[] }[] }).items;
    expect((await fetch(ticket?.urls[0]?.url as string)).headers.get("content-type")).toBe("application/pdf");
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown; components: object };
    expect(document.servers).toEqual([{ url }]);
    expect(JSON.stringify(document.components)).toContain(`${url}/oauth2/token`);
    const metadata = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as { issuer: string };
    expect(metadata.issuer).toBe(url);
    const about = (await (await fetch(`${url}/_sandbox`)).json()) as { url: string; control_url: string };
    expect([about.url, about.control_url]).toEqual([url, `${url}/_sandbox`]);
  });

  it("commands use its path", async () => {
    const url = await served(express().use("/sandbox", sandbox.router) as RequestListener);
    const environment = { SANDBOX_URL: `${url}/sandbox`, SANDBOX_CONTROL_TOKEN: sandbox.controlToken };
    const { code, stdout, stderr } = await runHere(
      ["call", "getBooking", "--set", "bookingId=bkg-evening"],
      environment,
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining("200 OK")]);
    expect(JSON.parse(stdout)).toMatchObject({ id: "bkg-evening" });
  });

  it("pages link to pages under the same path", async () => {
    const url = await served(express().use("/sandbox", sandbox.router) as RequestListener);
    for (const page of ["/", "/_sandbox/ui/records", "/docs"]) {
      const text = await (await fetch(`${url}/sandbox${page}`)).text();
      const links = [...text.matchAll(/\b(?:href|src)="(\/[^"]*)"/g)].map(([, target]) => target as string);
      expect(links.length, page).toBeGreaterThan(0);
      expect(links.filter((target) => !target.startsWith("/sandbox/"))).toEqual([]);
      for (const target of links) expect((await fetch(url + target)).status, target).toBe(200);
    }
  });

  it("an audience of another path is rejected like that of another address", async () => {
    const url = await served(express().use("/sandbox", sandbox.router) as RequestListener);
    expect((await tokenAt(`${url}/sandbox`, `${url}/other`)).status).toBe(400);
    expect((await tokenAt(`${url}/sandbox`)).status).toBe(200);
  });
});

describe("An unknown request", () => {
  const app = (path: string) =>
    express()
      .use(path, sandbox.router)
      .post("/v1/own", express.json(), (requested, response) => void response.json({ received: requested.body }))
      .use((requested, response) => void response.status(418).send(requested.url));

  it("goes to the next route of the app that mounts it at the root, with its body unread", async () => {
    const made = await request(app("/")).post("/v1/own").send({ a: 1 }).expect(200);
    expect(made.body).toEqual({ received: { a: 1 } });
    for (const path of [
      "/v1/nothing",
      "/v1/bookings/",
      "/V1/bookings",
      "//v1/bookings",
      "/v1/bookings/%ZZ",
      "/_sandbox/nothing",
    ])
      expect((await request(app("/")).get(path).expect(418)).text).toBe(path);
  });

  it("is the only one passed on: the others are served, with 405 for an unsupported method", async () => {
    await request(app("/")).get("/v1/bookings").expect(401);
    await request(app("/")).get("/healthz").expect(200, { status: "ok" });
    await request(app("/")).delete("/v1/bookings").expect(405).expect("allow", "GET, POST, HEAD, OPTIONS");
    await request(app("/")).options("/docs").expect(204).expect("allow", "GET, HEAD, OPTIONS");
  });

  it("gets 404 under a path, and without an app", async () => {
    const rejected = await request(app("/mock")).get("/mock/v1/booking").expect(404);
    expect(rejected.body.message).toBe("There is no /v1/booking. The nearest documented path is /v1/bookings.");
    expect((await request(sandbox.router).get("/v1/booking").expect(404)).body).toEqual(rejected.body);
    await request(createServer(sandbox.router)).get("/v1/booking").expect(404);
  });

  it("leaves no entry in the log when the app serves it", async () => {
    await request(app("/")).get("/v1/served-by-the-app").expect(418);
    const paths = (await sandbox.requests()).map(({ path }) => path);
    expect(paths).toContain("/v1/booking");
    expect(paths).not.toContain("/v1/served-by-the-app");
  });
});

it("has its router under the deprecated name too", () => {
  expect(sandbox.handler).toBe(sandbox.router);
});

it("responds to a plain server, and to a body in chunks", async () => {
  const url = await served((requested, answer) => sandbox.router(requested, answer));
  const { token } = await tokenAt(url);
  const body = new Blob([JSON.stringify(BOOKING)]).stream();
  const made = await fetch(`${url}/v1/bookings`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body,
    duplex: "half",
  } as RequestInit);
  expect(made.status).toBe(201);
});

it("starts here, regardless of the environment, and sends its webhooks", async () => {
  vi.stubEnv("SANDBOX_URL", "http://127.0.0.1:9");
  const own = await startSandbox({ listen: false, clock: CLOCK, retry: "fast" });
  const received: string[] = [];
  const url = await served((requested, answer) => {
    received.push(requested.headers["webhook-id"] as string);
    requested.resume();
    answer.end();
  });
  const world = await own.world({ webhookUrl: url, webhookEvents: ["v1.event.cancelled"] });
  await world.act("cancelEvent", { event_id: "evt-evening" });
  const { id } = await world.webhooks.waitFor("v1.event.cancelled");
  await expect.poll(() => received).toEqual([id]);
  await own.close();
  await expect(own.world()).rejects.toBeInstanceOf(ClosedError);
});

it("responds only with 503 after it is closed, with a message", async () => {
  const own = await startSandbox({ listen: false, clock: CLOCK });
  const token = await own.token();
  const url = await served((requested, answer) => own.router(requested, answer));
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await own.close();
  const message =
    "This sandbox is closed. Start another one and mount its router, or close the server together with the sandbox.";
  const refused = await bookedAt(url, token);
  expect([refused.status, await refused.json()]).toEqual([503, { code: "SERVICE_UNAVAILABLE", message }]);
  for (const path of ["/v1/me", "/healthz", "/_sandbox/worlds"])
    expect((await fetch(url + path, { headers: { authorization: `Bearer ${own.controlToken}` } })).status).toBe(503);
});

describe("Rejects a contradicting option:", () => {
  const wrong: [options: object, sentence: string][] = [
    [{ listen: "no" }, "listen is no, which is not true or false."],
    [
      { listen: false, port: 4010 },
      "port requires a sandbox with a port, and a sandbox with `listen: false` has none.",
    ],
    [{ listen: false, url: "http://127.0.0.1:4010" }, "url requires a sandbox with a port"],
    [{ listen: false, database: "postgres://x@y/z" }, "database requires a sandbox with a port"],
  ];
  it.each(wrong)("%j", async (options, sentence) => {
    const refused = await startSandbox(options as { listen: false }).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(SettingError);
    expect((refused as Error).message).toContain(sentence);
  });
});
