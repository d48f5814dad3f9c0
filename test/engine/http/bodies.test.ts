// What a body can do to a server, and what this one does about it: a 4xx that says why, and nothing changed.
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { FORM, form, rawRequest, send, stateOf, violationsOf } from "./http-kit.ts";

const MEBIBYTE = 1024 * 1024;
const JSON_TYPE = { "content-type": "application/json" };

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
let token: string;
let before: string;
beforeAll(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
  before = await stateOf(world);
});
afterAll(async () => {
  expect(await stateOf(world)).toBe(before);
});
const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  send(sandbox, "/v1/webhook-subscriptions", { token, method: "POST", body, headers: { ...JSON_TYPE, ...headers } });
const nested = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
const padded = (size: number) => `{"url":"${"x".repeat(size - 10)}"}`;

describe("Rejects a body", () => {
  it.each<[string, string | Uint8Array, number, RegExp]>([
    ["that is cut off", '{"url":', 400, /not valid JSON/],
    ["with a comma too many", '{"url":"x",}', 400, /not valid JSON/],
    ["in single quotes", "{'url':'x'}", 400, /not valid JSON/],
    ["that is not JSON at all", "url=x", 400, /not valid JSON/],
    ["with something behind it", "{} {}", 400, /not valid JSON/],
    ["with NaN", '{"url":NaN}', 400, /not valid JSON/],
    ["with a raw line break in a text", '{"url":"a\nb"}', 400, /not valid JSON/],
    ["65 levels deep", nested(65), 400, /deeper than 64/],
    ["100,000 levels deep", "[".repeat(100_000), 400, /deeper than 64/],
    ["that is not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, /not valid UTF-8/],
    ["with half a surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 400, /not valid UTF-8/],
    ["in UTF-16", Buffer.from('{"url":"x"}', "utf16le"), 400, /not valid JSON/],
    ["with the key __proto__", '{"__proto__":{"state":"ENABLED"}}', 400, /__proto__/],
    ["with the key __proto__ deep inside", '{"metadata":{"a":[{"__proto__":1}]}}', 400, /__proto__/],
    ["with the key __proto__ in escapes", '{"\\u005f\\u005fproto__":{}}', 400, /__proto__/],
    ["with the key __proto__ in other escapes", '{"__\\u0070roto__":{}}', 400, /__proto__/],
    ["of 1 MiB and a byte", padded(MEBIBYTE + 1), 413, /larger than 1048576 bytes/],
  ])("%s", async (_, body, status, sentence) => {
    const answer = await post(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({
      code: status === 413 ? "PAYLOAD_TOO_LARGE" : "BAD_REQUEST",
      message: expect.stringMatching(sentence),
    });
    if (status === 400) expect(violationsOf(answer)[0]?.location).toEqual(["body"]);
    expect(answer.headers["sandbox-maturity"]).toBe("stable");
  });

  it("of 1 MiB and a byte in chunks", async () => {
    const text = padded(MEBIBYTE + 1);
    const headers = { authorization: `Bearer ${token}`, ...JSON_TYPE, "transfer-encoding": "chunked" };
    const chunks = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
    const answer = await rawRequest(sandbox.url, "POST /v1/webhook-subscriptions", headers, chunks);
    expect([answer.status, answer.body.code]).toEqual([413, "PAYLOAD_TOO_LARGE"]);
  });
});

describe("Passes a body to the checks of its fields", () => {
  it.each<[string, string | Uint8Array]>([
    ["of exactly 1 MiB", padded(MEBIBYTE)],
    ["64 levels deep", nested(64)],
    ["behind a byte order mark", Buffer.from(`\ufeff${JSON.stringify({})}`)],
    ["with brackets in its texts", JSON.stringify({ url: "[".repeat(200), description: '\\"{'.repeat(100) })],
    ["with the text __proto__", '{"url":"__proto__"}'],
    ["with names of the prototype", '{"constructor":{"prototype":{}},"toString":1,"hasOwnProperty":1}'],
    ["that names a member twice", '{"url":1,"url":2}'],
  ])("%s", async (_, body) => {
    const answer = await post(body);
    expect(answer.status).toBe(400);
    expect(violationsOf(answer).map(({ location }) => location[1])).toContain("event_types");
  });
});

describe("A compressed body", () => {
  const text = JSON.stringify({ url: "no" });
  it.each([
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
    ["identity", Buffer.from(text)],
  ])("in %s is decompressed", async (encoding, body) => {
    const answer = await post(body, { "content-encoding": encoding });
    expect(violationsOf(answer).map(({ location }) => location.join("."))).toContain("body.url");
  });

  it.each([
    ["in an unknown encoding", "zip", gzipSync(text), 415],
    ["packed twice", "gzip, gzip", gzipSync(gzipSync(text)), 415],
    ["that is none", "gzip", Buffer.from(text), 400],
    ["that is cut off", "gzip", gzipSync(text).subarray(0, -9), 400],
    ["that unpacks to 100 MiB", "gzip", gzipSync(Buffer.alloc(100 * MEBIBYTE)), 413],
    [
      "that unpacks to 100 MiB with brotli",
      "br",
      brotliCompressSync(Buffer.alloc(100 * MEBIBYTE), { params: { 1: 1 } }),
      413,
    ],
  ])("%s is rejected", async (_, encoding, body, status) => {
    const answer = await post(body, { "content-encoding": encoding });
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ code: expect.any(String), message: expect.any(String) });
  });
});

describe("An unreadable body", () => {
  it("is reported only with a token", async () => {
    const answer = await send(sandbox, "/v1/webhook-subscriptions", {
      method: "POST",
      body: padded(MEBIBYTE + 1),
      headers: JSON_TYPE,
    });
    expect(answer.status).toBe(401);
  });

  it("gets a response of the token endpoint in its own format", async () => {
    const answer = await send(sandbox, "/oauth2/token", {
      body: form({ grant_type: "x".repeat(MEBIBYTE) }),
      headers: FORM,
    });
    expect([answer.status, answer.body.error]).toEqual([413, "invalid_request"]);
    expect(answer.headers).toMatchObject({ "cache-control": "no-store", pragma: "no-cache" });
  });

  it("does not change the response of an unknown path", async () => {
    expect((await send(sandbox, "/v1/nothing", { token, method: "POST", body: padded(MEBIBYTE + 1) })).status).toBe(
      404,
    );
  });
});

it("A world over the body limit can still be exported and imported", async () => {
  const other = await sandbox.world({ fixture: "empty" });
  const { body } = await other.control("get", "state");
  const answer = await send(sandbox, "/_sandbox/state", {
    method: "PUT",
    headers: { ...JSON_TYPE, "sandbox-world": other.id },
    body: `${" ".repeat(2 * MEBIBYTE)}${JSON.stringify(body)}`,
  });
  expect([answer.status, answer.body.id]).toEqual([200, other.id]);
});
