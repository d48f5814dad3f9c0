// The token endpoint against the standard it follows, and against each answer that the real one might give instead.
import type { IHttpOperation } from "@stoplight/types";
import { describe, expect, it } from "vitest";
import { listProblems } from "../../../src/engine/http/prism.ts";
import { routes, shareSandbox, shareWorld } from "../../sandbox.ts";
import { FORM, form, type ReceivedAnswer, send } from "./http-kit.ts";

const sandbox = shareSandbox({
  fixture: "empty",
  audience: [
    "https://api.example.com",
    "urn:booking",
    "https://path.example/booking",
    "https://query.example/booking/?tenant=1",
  ],
});
const world = shareWorld(sandbox, { fixture: "empty" });

type Members = Record<string, string | undefined>;

const byDefault = (): Members => ({
  grant_type: "client_credentials",
  audience: sandbox.url,
  client_id: world.clientId,
  client_secret: world.clientSecret,
});

/** Posts the usual form with changes; checks what holds for every answer. */
async function ask(change: Members = {}, headers: Record<string, string> = {}): Promise<ReceivedAnswer> {
  const members = Object.entries({ ...byDefault(), ...change }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  return post(form(members), headers);
}

async function post(body: string, headers: Record<string, string> = {}): Promise<ReceivedAnswer> {
  const answer = await send(sandbox, "/oauth2/token", { method: "POST", body, headers: { ...FORM, ...headers } });
  const operation = routes.get("createToken")?.operation as IHttpOperation;
  expect(listProblems(operation, answer)).toEqual([]);
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
  if (answer.status !== 200) {
    expect(Object.keys(answer.body)).toEqual(["error", "error_description"]);
    expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  }
  return answer;
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`,
});
const inHeader: Members = { client_id: undefined, client_secret: undefined };

it("A token names its world, is otherwise opaque, and is valid for 3599 seconds", async () => {
  const answer = await ask({ scope: "booking.read booking.write" });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^w-[0-9a-f]{12}\.[A-Za-z0-9_-]{43}$/),
    expires_in: 3599,
    scope: "booking.read booking.write",
    token_type: "bearer",
  });
});

describe("A form is accepted", () => {
  it.each<[string, Members, Record<string, string>]>([
    ["with a charset", {}, { "content-type": "application/x-www-form-urlencoded;charset=UTF-8" }],
    ["with parameters that nobody knows", { resource: "x", foo: "1", constructor: "2", __proto: "3" }, {}],
    ["with empty parameters, which count as absent", { scope: "", resource: "" }, {}],
    ["with a scope of spaces, which counts as absent", { scope: "  " }, {}],
    ["with an Authorization header that is no Basic", {}, { authorization: "Bearer old" }],
    ["with an Accept header", {}, { accept: "application/json" }],
  ])("%s", async (_, change, headers) => {
    const answer = await ask(change, headers);
    expect([answer.status, answer.body.scope?.split(" ").length]).toEqual([200, 14]);
  });

  it("with a ~ in the secret, literally or as %7E", async () => {
    expect(world.clientSecret).toMatch(/^[\w-]+~[\w-]+$/);
    for (const secret of [world.clientSecret, world.clientSecret.replace("~", "%7E")]) {
      const body = `grant_type=client_credentials&audience=${sandbox.url}&client_id=${world.clientId}&client_secret=${secret}`;
      const headers = { "content-type": "application/x-www-form-urlencoded" };
      expect((await fetch(`${sandbox.url}/oauth2/token`, { method: "POST", headers, body })).status).toBe(200);
    }
  });

  it("with a literal ~ in a value", async () => {
    expect((await post(`${form(byDefault() as Record<string, string>)}&foo=~a~`)).status).toBe(200);
  });

  it("with broken percent-encoding in a value that is ignored", async () => {
    expect((await post(`${form(byDefault() as Record<string, string>)}&foo=%ZZ`)).status).toBe(200);
  });
});

describe("A request is rejected", () => {
  it.each<[string, Members, number, string, RegExp]>([
    ["without grant_type", { grant_type: undefined }, 400, "invalid_request", /grant_type is missing/],
    ["with an empty grant_type", { grant_type: "" }, 400, "invalid_request", /grant_type is missing/],
    ["with another grant type", { grant_type: "password" }, 400, "unsupported_grant_type", /password/],
    ["with the grant type in capitals", { grant_type: "CLIENT_CREDENTIALS" }, 400, "unsupported_grant_type", /CLIENT/],
    ["without client_id", { client_id: undefined }, 401, "invalid_client", /missing/],
    ["without client_secret", { client_secret: undefined }, 401, "invalid_client", /missing/],
    ["with an empty client_secret", { client_secret: "" }, 401, "invalid_client", /missing/],
    ["with a wrong client_secret", { client_secret: "wrong" }, 401, "invalid_client", /unknown or its secret is wrong/],
    ["from an unknown client", { client_id: "nobody" }, 401, "invalid_client", /unknown or its secret is wrong/],
    ["from a client called __proto__", { client_id: "__proto__" }, 401, "invalid_client", /unknown or its secret/],
    ["without audience", { audience: undefined }, 400, "invalid_target", /audience is missing; expected http/],
    ["with an empty audience", { audience: "" }, 400, "invalid_target", /audience is missing/],
    [
      "with an unknown scope",
      { scope: "booking.read booking.delete" },
      400,
      "invalid_scope",
      /the scope booking\.delete\./,
    ],
    ["with a scope in capitals", { scope: "BOOKING.READ" }, 400, "invalid_scope", /BOOKING/],
    [
      "with scopes between commas",
      { scope: "booking.read,booking.write" },
      400,
      "invalid_scope",
      /booking\.read,booking.*Separate scopes by spaces, not commas\./,
    ],
    [
      "with quotes and line breaks in what it asks",
      { scope: 'a"\\\r\nset-cookie:x' },
      400,
      "invalid_scope",
      /a\?\?\?\?set/,
    ],
  ])("%s", async (_, change, status, error, sentence) => {
    const answer = await ask(change);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body.error_description).toMatch(sentence);
    expect(answer.headers["www-authenticate"]).toBeUndefined();
  });

  it.each([
    "https://other.example",
    "https://me:pw@path.example/booking",
    "https://me@path.example/booking",
    "https://path.example/booking#a",
    "https://path.example/booking#",
    "http://127.0.0.1:1",
    "http://127.0.0.1/v1",
    "https://path.example/",
    "https://path.example/booking/v1",
    "https://path.example/booking?a=1",
    "https://query.example/booking?tenant=2",
    "https://query.example/booking",
    "me",
  ])("for the audience %s", async (audience) => {
    const { status, body } = await ask({ audience });
    expect([status, body.error]).toEqual([400, "invalid_target"]);
    expect(body.error_description).toMatch(/^The audience was .*; expected http.* allows another one\.$/);
  });

  it.each(["grant_type", "audience", "client_id", "client_secret", "scope", "foo"])("with %s twice", async (name) => {
    const members = form({ scope: "openid", foo: "1", ...byDefault() } as Record<string, string>);
    const answer = await post(`${members}&${name}=x`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { error: "invalid_request", error_description: `${name} was sent more than once. Send it once.` },
    ]);
  });

  it.each([
    ["as JSON", "application/json", 400],
    ["without a content type", "", 400],
    ["as text", "text/plain", 400],
    ["in another charset", "application/x-www-form-urlencoded; charset=iso-8859-1", 400],
  ])("%s", async (_, type, status) => {
    const body =
      type === "application/json" ? JSON.stringify(byDefault()) : form(byDefault() as Record<string, string>);
    const answer = await send(sandbox, "/oauth2/token", {
      body: Buffer.from(body),
      headers: type ? { "content-type": type } : {},
    });
    expect([answer.status, answer.body.error, answer.headers["cache-control"]]).toEqual([
      status,
      "invalid_request",
      "no-store",
    ]);
  });

  it("without a body", async () => {
    expect((await send(sandbox, "/oauth2/token", { method: "POST" })).body.error).toBe("invalid_request");
  });

  it("with bytes that are not UTF-8", async () => {
    const answer = await send(sandbox, "/oauth2/token", { body: Buffer.from([0xff, 0x3d, 0xff]), headers: FORM });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
  });

  it("with the same error for an unknown client as for a wrong secret", async () => {
    const [unknown, wrong] = [await ask({ client_id: "nobody" }), await ask({ client_secret: "x" })];
    expect(unknown.text).toBe(wrong.text);
    const header = [await ask(inHeader, basic("nobody", "x")), await ask(inHeader, basic(world.clientId, "x"))];
    expect(header[0]?.text).toBe(header[1]?.text);
    expect(header[0]?.headers["www-authenticate"]).toBe(header[1]?.headers["www-authenticate"]);
  });

  it("for a revoked key, with the same error again", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    const key = (await other.act("createKey", { name: "Short-lived", scopes: ["openid"] })).body.result;
    expect((await ask({ client_id: key.client_id, client_secret: key.client_secret })).status).toBe(200);
    await other.act("revokeKey", { client_id: key.client_id });
    const answer = await ask({ client_id: key.client_id, client_secret: key.client_secret });
    expect(answer.text).toBe((await ask({ client_id: "nobody" })).text);
  });
});

describe("HTTP Basic", () => {
  it("is accepted with any case of the scheme", async () => {
    for (const scheme of ["Basic", "basic", "BASIC"]) {
      const { authorization } = basic(world.clientId, world.clientSecret);
      expect((await ask(inHeader, { authorization: authorization.replace("Basic", scheme) })).status).toBe(200);
    }
  });

  it("is form-decoded", async () => {
    const coded = [...world.clientSecret].map((char) => `%${char.charCodeAt(0).toString(16)}`).join("");
    expect((await ask(inHeader, basic(encodeURIComponent(world.clientId), coded))).status).toBe(200);
  });

  it("can be combined with the same client_id in the form, and with an empty client_secret", async () => {
    const headers = basic(world.clientId, world.clientSecret);
    expect((await ask({ client_secret: undefined }, headers)).status).toBe(200);
    expect((await ask({ client_secret: "" }, headers)).status).toBe(200);
  });

  it.each<[string, () => [Members, Record<string, string>], number, string]>([
    ["with the secret in the form too", () => [{}, basic(world.clientId, world.clientSecret)], 400, "invalid_request"],
    [
      "with another client_id in the form",
      () => [{ client_id: "x", client_secret: undefined }, basic(world.clientId, world.clientSecret)],
      400,
      "invalid_request",
    ],
    ["with a wrong secret", () => [inHeader, basic(world.clientId, "x")], 401, "invalid_client"],
    ["with an unknown client", () => [inHeader, basic("nobody", "x")], 401, "invalid_client"],
    ["with no secret", () => [inHeader, basic(world.clientId, "")], 401, "invalid_client"],
    [
      "without a colon",
      () => [inHeader, { authorization: `Basic ${Buffer.from("abc").toString("base64")}` }],
      401,
      "invalid_client",
    ],
    ["that is not base64", () => [inHeader, { authorization: "Basic !!!" }], 401, "invalid_client"],
    ["with nothing behind it", () => [inHeader, { authorization: "Basic" }], 401, "invalid_client"],
  ])("is rejected %s", async (_, made, status, error) => {
    const [change, headers] = made();
    const answer = await ask(change, headers);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.headers["www-authenticate"]).toBe(status === 401 ? 'Basic realm="sandbox"' : undefined);
  });
});

describe("The audience", () => {
  it.each([
    ["the sandbox's own address", (port: string) => `http://127.0.0.1:${port}`],
    ["with a final slash", (port: string) => `http://127.0.0.1:${port}/`],
    ["as localhost", (port: string) => `http://localhost:${port}`],
    ["as LOCALHOST/", (port: string) => `http://LOCALHOST:${port}/`],
    ["as [::1]", (port: string) => `http://[::1]:${port}`],
    ["as another loopback address", (port: string) => `http://127.8.8.8:${port}`],
    ["that was allowed", () => "https://api.example.com/"],
    ["that was allowed, with its path", () => "https://path.example/booking"],
    ["that was allowed, with its path and a final slash", () => "https://path.example/booking/"],
    ["that was allowed, with its path and query", () => "https://query.example/booking?tenant=1"],
    ["that was allowed, with a final slash before its query", () => "https://query.example/booking/?tenant=1"],
    ["that was allowed and is no address", () => "urn:booking"],
  ])("can be %s", async (_, address) => {
    expect((await ask({ audience: address(new URL(sandbox.url).port) })).status).toBe(200);
  });
});

describe("Scopes", () => {
  it("are by default all that the key has", async () => {
    const granted = (await ask()).body.scope.split(" ");
    expect(granted).toHaveLength(14);
    expect(granted).toContain("webhook.write");
  });

  it("are granted once each, in the requested order", async () => {
    expect((await ask({ scope: "order.read openid  booking.read order.read " })).body.scope).toBe(
      "order.read openid booking.read",
    );
  });

  it("are all rejected if the key lacks one, except openid", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    const { client_id, client_secret } = (await other.act("createKey", { name: "Reader", scopes: ["booking.read"] }))
      .body.result;
    const key = { client_id, client_secret };
    expect((await ask({ ...key, scope: "booking.read openid" })).body.scope).toBe("booking.read openid");
    const answer = await ask({ ...key, scope: "booking.read booking.write" });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_scope"]);
    expect(answer.body.error_description).toBe(
      "The key Reader was not granted the scope booking.write. It has: booking.read.",
    );
    await other.act("updateKey", { client_id, scopes: ["booking.read", "booking.write"] });
    expect((await ask({ ...key, scope: "booking.write" })).status).toBe(200);
  });
});

describe("Under other assumptions,", () => {
  it("any audience is accepted", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    await other.control("put", "assumptions", { "token-audience": "any" });
    const key = { client_id: other.clientId, client_secret: other.clientSecret };
    expect((await ask({ ...key, audience: "https://other.example" })).status).toBe(200);
    expect((await ask({ ...key, audience: undefined })).status).toBe(200);
  });

  it("known scopes are granted and the others omitted", async () => {
    const other = await sandbox.world({ fixture: "empty" });
    await other.control("put", "assumptions", { "token-scope-unknown": "grant-rest" });
    const key = { client_id: other.clientId, client_secret: other.clientSecret };
    expect((await ask({ ...key, scope: "booking.read booking.delete" })).body.scope).toBe("booking.read");
    const nothing = await ask({ ...key, scope: "booking.delete everything" });
    expect([nothing.status, nothing.body.error, nothing.body.access_token]).toEqual([400, "invalid_scope", undefined]);
  });
});

it.each(["GET", "PUT", "DELETE", "PATCH", "HEAD"])("%s is not a valid token request", async (method) => {
  const answer = await send(sandbox, "/oauth2/token", { method });
  expect([answer.status, answer.headers.allow]).toEqual([405, "POST, OPTIONS"]);
  expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
  if (method === "HEAD") return;
  const error_description = `${method} is not possible on /oauth2/token. Use one of: POST, OPTIONS.`;
  expect(answer.body).toEqual({ error: "invalid_request", error_description });
});

it("The metadata lead a client from the issuer to a token", async () => {
  const metadata = (await send(sandbox, "/.well-known/openid-configuration")).body;
  const answer = await fetch(metadata.token_endpoint, {
    method: "POST",
    headers: basic(world.clientId, world.clientSecret),
    body: new URLSearchParams({ grant_type: "client_credentials", audience: metadata.issuer }),
  });
  expect(answer.status).toBe(200);
});
