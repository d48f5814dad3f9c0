// The pages of the sandbox: for people at `/` and `/docs`, for tools that read at /llms.txt and /docs/<operationId>.md. `/` leads to the
// console, which is served from `dist/console` and `dist/docs`.
import request from "supertest";
import { beforeAll, describe, expect, it } from "vitest";
import { shareSandbox } from "../../sandbox.ts";
import { send } from "./http-kit.ts";

const sandbox = shareSandbox();
let ids: string[];
beforeAll(async () => {
  const { paths } = (await request(sandbox.router).get("/openapi.json")).body;
  ids = Object.values(paths as Record<string, Record<string, { operationId?: string }>>).flatMap((item) =>
    Object.values(item).flatMap(({ operationId }) => operationId ?? []),
  );
});

describe("The page at /", () => {
  it("is HTML for browsers and by default, and a list of addresses on request for JSON", async () => {
    for (const accept of ["text/html,application/xhtml+xml,*/*;q=0.8", "*/*"]) {
      const { status, headers, text } = await send(sandbox, "/", { headers: { accept } });
      expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      for (const address of ["/v1", "/oauth2/token"]) expect(text).toContain(`${sandbox.url}${address}`);
      for (const target of ["/openapi.json", "/openapi.yaml", "/docs", "/llms.txt", "/_sandbox", "/_sandbox/requests"])
        expect(text).toContain(`href="${target}"`);
    }
    const { body } = await send(sandbox, "/", { headers: { accept: "application/json" } });
    expect(body).toMatchObject({
      url: sandbox.url,
      token_url: `${sandbox.url}/oauth2/token`,
      docs_url: `${sandbox.url}/docs`,
    });
  });

  it("links only to addresses that respond", async () => {
    for (const path of ["/", "/docs"]) {
      const { text } = await request(sandbox.router).get(path);
      const targets = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target = ""]) => target);
      expect(targets.length).toBeGreaterThan(3);
      for (const target of new Set(targets))
        expect([target, (await request(sandbox.router).get(target)).status]).toEqual([target, 200]);
    }
  });

  it("runs no script, and loads nothing", async () => {
    const { headers, text } = await request(sandbox.router).get("/");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'; require-trusted-types-for 'script'; style-src 'self' 'sha256-[\w+/]{43}='$/,
    );
    expect(headers).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(text).not.toMatch(/<script|javascript:|\son\w+=|@import|style="/i);
    expect(text).toContain("color-scheme: light dark");
  });

  it("shows no secret, and escapes what it shows", async () => {
    const world = await sandbox.world();
    const { text } = await request(sandbox.router).get(`/?world=${world.id}`);
    expect(text).toContain(world.id);
    expect(text).not.toContain(world.clientSecret);
    const { body } = await request(sandbox.router).get("/docs/%3Cimg%20src=x%3E.md");
    expect(body).toMatchObject({ code: "NOT_FOUND" });
  });

  it("lists the active assumptions of the world", async () => {
    const world = await sandbox.world({ fixture: "empty" });
    await world.control("put", "assumptions", { "limit-range": "clamp" });
    expect((await request(sandbox.router).get(`/?world=${world.id}`)).text).toContain("<code>limit-range=clamp</code>");
    expect((await request(sandbox.router).get("/")).text).toContain("<code>none</code>");
  });

  it("accepts no other method", async () => {
    const { status, headers } = await request(sandbox.router).post("/");
    expect([status, headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });
});

describe("The documentation", () => {
  it("has a policy that allows only its own files, and no script in the page", async () => {
    const { headers, text } = await request(sandbox.router).get("/docs");
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'self'; .*; style-src 'self' 'unsafe-inline'; img-src 'self' data:$/,
    );
    expect(text).not.toMatch(/<script>|<script [^>]*[^/]>[^<]|\son\w+=|style="/i);
  });
});

it("The files of the console and the documentation are revalidated, and have the policy of their page", async () => {
  for (const page of ["/_sandbox/ui/records?world=default", "/docs"]) {
    const { text, headers } = await request(sandbox.router).get(page);
    const paths = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const file = await request(sandbox.router).get(path);
      expect([file.status, file.headers["cache-control"]]).toEqual([200, "no-cache"]);
      expect(file.headers["content-security-policy"]).toBe(headers["content-security-policy"]);
      const again = await request(sandbox.router).get(path).set("if-none-match", String(file.headers.etag));
      expect([path, again.status]).toEqual([path, 304]);
    }
  }
  // Nothing else of the folders is served, and no path leads out of them.
  for (const path of ["/docs/index.htm", "/docs/..%2fcli.cjs", "/docs/%2e%2e/cli.cjs"])
    expect([path, (await request(sandbox.router).get(path)).status]).toEqual([path, 404]);
});

it("Pages and their files are not logged, and unknown pages are", async () => {
  const logged = async () =>
    (await request(sandbox.router).get("/_sandbox/requests")).body.items.map(({ path }: { path: string }) => path);
  const before = await logged();
  expect((await request(sandbox.router).get("/favicon.ico")).headers["content-type"]).toMatch(/^image\/svg\+xml/);
  for (const path of [
    "/",
    "/docs",
    "/docs/reader.js",
    "/docs/reader.css",
    "/docs/createBooking.md",
    "/llms.txt",
    "/_sandbox/ui",
    "/openapi.json?annotated",
    "/openapi.yaml",
  ])
    expect([path, (await request(sandbox.router).get(path)).status]).toEqual([path, 200]);
  expect(await logged()).toEqual(before);
  await request(sandbox.router).get("/nowhere");
  expect(await logged()).toHaveLength(before.length + 1);
});

it("/llms.txt lists every operation in at most 8 KB", async () => {
  const { headers, text } = await request(sandbox.router).get("/llms.txt");
  expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8 * 1024);
  expect([...text.matchAll(/\]\(\/docs\/(\w+)\.md\)/g)].map(([, id]) => id).sort()).toEqual([...ids].sort());
  expect(text).not.toContain(":4010");
});

describe("The page of an operation", () => {
  const textOf = async (id: string, query = "") => (await send(sandbox, `/docs/${id}.md${query}`)).text;
  const describedIn = (text: string) => JSON.parse(/```json\n(.+)\n```/s.exec(text)?.[1] ?? "");

  it("shows method, path, scope, parameters, body, response, errors and assumptions", async () => {
    const text = await textOf("createBooking");
    expect(text).toMatch(/^# createBooking: Create a booking\n\n`POST \/v1\/bookings`\n/);
    expect(text).toContain("It needs a token with the scope `booking.write`.");
    expect(text).toMatch(/\n- 409 `EVENT_NOT_ACTIVE` `EVENT_PAST_CUTOFF` .+: /);
    expect(text).toMatch(/\[booking-create-status\]\(.*In force: `201`/s);
    const { parameters, requestBody, responses } = describedIn(text);
    expect(parameters).toBeUndefined();
    const { schema, examples } = requestBody.content["application/json"];
    expect(schema.properties.items.items.required).toContain("quantity");
    expect(JSON.stringify(examples)).toContain('"event_id":"evt-tomorrow-evening"');
    expect(Object.keys(responses)).toEqual(["201"]);
    expect(text).not.toContain("$ref");
    expect(describedIn(await textOf("listBookings")).parameters).toContainEqual(
      expect.objectContaining({ name: "status", in: "query" }),
    );
    expect(await textOf("createToken")).toContain("`invalid_client`");
  });

  it("describes the active assumptions", async () => {
    const world = await sandbox.world({ fixture: "empty" });
    await world.control("put", "assumptions", { "booking-create-status": "200" });
    const text = await textOf("createBooking", `?world=${world.id}`);
    expect(Object.keys(describedIn(text).responses)).toEqual(["200"]);
    expect(text).toContain("In force: `200`, which is not the default.");
  });

  it("reports the nearest name if it does not exist", async () => {
    const { status, body } = await request(sandbox.router).get("/docs/createBoking.md");
    expect([status, body.message]).toEqual([
      404,
      "There is no operation createBoking. Did you mean createBooking? /docs lists them.",
    ]);
  });
});
