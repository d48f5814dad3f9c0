// What the sandbox says of itself without a token.
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openSandbox, routes, shareSandbox, type TestSandbox } from "../../sandbox.ts";
import { rawRequest, send } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });

it("The specification is served as JSON and as YAML, with this sandbox as its only server", async () => {
  const [json, yaml] = [await send(sandbox, "/openapi.json"), await send(sandbox, "/openapi.yaml")];
  expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  expect(json.body.servers).toEqual([{ url: sandbox.url }]);
  expect(json.body.info.version).toBe(sandbox.running.application.version);
  const ids = Object.values(json.body.paths).flatMap((item) =>
    Object.values(item as Record<string, { operationId?: string }>).map(({ operationId }) => operationId),
  );
  expect(ids.filter(Boolean).sort()).toEqual([...routes.keys()].sort());
});

it.each(["1.1", "1.2"] as const)("The YAML equals the JSON for a parser of YAML %s", async (version) => {
  const [json, yaml] = [await send(sandbox, "/openapi.json"), await send(sandbox, "/openapi.yaml")];
  expect(parse(yaml.text, { version })).toEqual(json.body);
});

it.each(["/openapi.json", "/_sandbox/openapi.json"])("Every address of a sandbox in %s is this one's", async (path) => {
  const { text } = await send(sandbox, path);
  expect(text).toContain(`"${sandbox.url}/oauth2/token"`);
  // What the files of the specification are written with.
  expect(text).not.toContain(":4010");
});

it("The addresses are those of the client's request: a name, or a mapped port", async () => {
  for (const path of ["/openapi.json", "/_sandbox/openapi.json", "/.well-known/openid-configuration", "/llms.txt"]) {
    const { text } = await rawRequest(sandbox.url, `GET ${path}`, { host: "localhost:8080" });
    expect(text).toContain("http://localhost:8080/oauth2/token");
    expect(text).not.toContain(sandbox.url);
  }
  const { body } = await rawRequest(sandbox.url, "GET /openapi.json", { host: "<b>/x" });
  expect(body.servers).toEqual([{ url: sandbox.url }]);
});

it("The dates of the examples are shifted to the day of the world", async () => {
  const later = await openSandbox({ clock: "2031-03-04T07:30:00.000Z" });
  const parametersOf = async (each: TestSandbox) => (await send(each, "/openapi.json")).body.components.parameters;
  expect((await parametersOf(sandbox)).SessionFrom.example).toBe("2030-06-01T00:00:00");
  expect((await parametersOf(later)).SessionFrom.example).toBe("2031-03-04T00:00:00");
  await later.close();
});

describe("The specification is that of a world", () => {
  const statuses = async (path: string, headers = {}) => {
    const { paths, info } = (await send(sandbox, path, { headers })).body;
    const named = /`booking-create-status=200`: The status is 200\./.test(info.description);
    return [Object.keys(paths["/v1/bookings"].post.responses)[0], named];
  };

  it("in the query, the header or the token, and by default of the default world", async () => {
    const world = await sandbox.world({ fixture: "empty" });
    await world.control("put", "assumptions", { "booking-create-status": "200" });
    const flipped = ["200", true];
    expect(await statuses("/openapi.json")).toEqual(["201", false]);
    expect(await statuses(`/openapi.json?world=${world.id}`)).toEqual(flipped);
    expect(await statuses("/openapi.json", { "sandbox-world": world.id })).toEqual(flipped);
    expect(await statuses("/openapi.json", { authorization: `Bearer ${await world.token()}` })).toEqual(flipped);
    expect(await statuses("/openapi.json?world=default", { authorization: `Bearer ${await world.token()}` })).toEqual([
      "201",
      false,
    ]);
    expect(await statuses("/openapi.json", { authorization: "Bearer of-nobody" })).toEqual(["201", false]);
    const yaml = parse((await send(sandbox, `/openapi.yaml?world=${world.id}`)).text);
    expect(Object.keys(yaml.paths["/v1/bookings"].post.responses)).not.toContain("201");
  });

  it("or a 404 for an unknown world, and a 400 for a conflict", async () => {
    const missing = await send(sandbox, "/openapi.json?world=w-gone");
    expect([missing.status, missing.body.message]).toEqual([404, expect.stringContaining("no world w-gone")]);
    const both = await send(sandbox, "/openapi.json?world=default", { headers: { "sandbox-world": "w-gone" } });
    expect([both.status, both.body.message]).toEqual([400, expect.stringContaining("Send one of them")]);
  });

  it("with several overrides, which are all listed and can be removed", async () => {
    const world = await sandbox.world({ fixture: "empty" });
    const put = (values: object) => world.control("put", "assumptions", values);
    await put({ "event-query": "100", "limit-range": "clamp", "posting-fields": "signed" });
    const read = async () => (await send(sandbox, `/openapi.json?world=${world.id}`)).body;
    const { components, info } = await read();
    expect(components.parameters.EventLimit.schema.maximum).toBe(100);
    expect(components.schemas.Posting.properties).not.toHaveProperty("direction");
    expect(info.description.match(/^- `[\w-]+=[\w-]+`/gm)).toEqual([
      "- `limit-range=clamp`",
      "- `event-query=100`",
      "- `posting-fields=signed`",
    ]);
    expect((await world.call("listEvents", { query: { limit: 500 } })).status).toBe(200);
    await put({ "event-query": "500", "limit-range": "refuse", "posting-fields": "direction" });
    expect(await read()).toEqual((await send(sandbox, "/openapi.json")).body);
  });
});

describe("A generator is not confused by", () => {
  const readBoth = () => Promise.all(["/openapi.json", "/_sandbox/openapi.json"].map((path) => send(sandbox, path)));

  it("a property whose schema is a bare boolean", async () => {
    const found = (await readBoth()).flatMap(({ body }) =>
      [...membersOf(body)].filter(
        ([name, value]) =>
          name === "properties" && Object.values(value as object).some((each) => typeof each === "boolean"),
      ),
    );
    expect(found).toEqual([]);
  });

  it("a default that makes an optional field of a body look required", async () => {
    const [{ body } = { body: undefined }] = await readBoth();
    const requested = Object.entries(body.components.schemas as object).filter(([name]) =>
      /(Request|Query|Input)$/.test(name),
    );
    expect(requested.length).toBeGreaterThan(5);
    expect([...membersOf(requested)].filter(([name]) => name === "default")).toEqual([]);
  });

  it("two names of a world that differ, when it sends the examples of the control API", async () => {
    const [, { body } = { body: undefined }] = await readBoth();
    const { WorldQuery, WorldHeader } = body.components.parameters;
    expect(WorldHeader.example).toBe(WorldQuery.example);
  });
});

/** Every member of every object, at any depth. */
function* membersOf(node: unknown): Generator<[string, unknown]> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (!Array.isArray(node)) yield [name, value];
    yield* membersOf(value);
  }
}

describe("The OpenID metadata", () => {
  it("contain what OpenID Connect Discovery requires, with addresses that respond", async () => {
    const { body } = await send(sandbox, "/.well-known/openid-configuration");
    expect(body).toMatchObject({
      issuer: sandbox.url,
      authorization_endpoint: `${sandbox.url}/oauth2/auth`,
      token_endpoint: `${sandbox.url}/oauth2/token`,
      jwks_uri: `${sandbox.url}/.well-known/jwks.json`,
      response_types_supported: [],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [],
      grant_types_supported: ["client_credentials"],
      token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
      scopes_supported: expect.arrayContaining(["experience.read"]),
    });
    const metadata = await send(sandbox, "/.well-known/oauth-authorization-server");
    expect(body).toMatchObject(metadata.body);
    expect(metadata.headers["content-type"]).toMatch(/^application\/json/);
    expect((await send(sandbox, "/.well-known/jwks.json")).body).toEqual({ keys: [] });
  });

  it("contain an authorization endpoint that rejects requests", async () => {
    const { status, body } = await send(sandbox, "/oauth2/auth?response_type=code&client_id=x");
    expect([status, body.code]).toEqual([400, "BAD_REQUEST"]);
    expect(body.message).toContain("POST /oauth2/token");
  });
});

it("The control API describes itself as JSON and as YAML", async () => {
  const { body } = await send(sandbox, "/_sandbox/openapi.json");
  const yaml = await send(sandbox, "/_sandbox/openapi.yaml");
  expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  expect(parse(yaml.text)).toEqual(body);
  expect(body.servers).toEqual([{ url: sandbox.url }]);
  expect(body.paths).toHaveProperty("/_sandbox/acts/cancelBooking");
});

it("Its description is valid", async () => {
  expect((await send(sandbox, "/healthz")).body).toEqual({ status: "ok" });
});

describe("HEAD", () => {
  it.each(
    `/openapi.json /openapi.yaml / /docs /docs/getMe.md /llms.txt
    /favicon.ico /healthz /.well-known/openid-configuration /_sandbox/openapi.json /_sandbox/stream`.split(/\s+/),
  )("of %s has no body", async (path) => {
    const answer = await send(sandbox, path, { method: "HEAD" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });
});

it("The operations are listed with their scopes and labels, and without the metadata documents", async () => {
  const { items } = (await send(sandbox, "/_sandbox/operations")).body;
  expect(items).toHaveLength(38);
  expect(items).toContainEqual({
    operation_id: "createBooking",
    method: "POST",
    path: "/v1/bookings",
    scopes: ["booking.write"],
    maturity: "alpha",
  });
  expect(items).toContainEqual({
    operation_id: "createToken",
    method: "POST",
    path: "/oauth2/token",
    scopes: [],
    maturity: "stable",
  });
});
