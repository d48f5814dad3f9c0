// RFC 9112 §3.2: a request with two Host headers is none, whatever it asks for.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandbox, type TestSandbox } from "../../sandbox.ts";
import { raw } from "./http-kit.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ fixture: "empty" });
});
afterAll(() => sandbox.close());

const twice = (line: string, ...hosts: string[]) =>
  raw(sandbox.url, `${[`${line} HTTP/1.1`, ...hosts, "connection: close"].join("\r\n")}\r\n\r\n`);

describe("Two Host headers are refused", () => {
  it.each([
    ["on the service", "GET /v1/me", "BAD_REQUEST"],
    ["on the control surface", "POST /_sandbox/state/reset", "BAD_REQUEST"],
    ["on a document", "GET /openapi.json", "BAD_REQUEST"],
    ["on a path that does not exist", "GET /nowhere", "BAD_REQUEST"],
  ])("%s", async (_, line, code) => {
    const answer = await twice(line, "Host: localhost", "hOST: localhost");
    expect([answer.status, answer.body]).toEqual([
      400,
      { code, message: "The header Host was sent 2 times. Send it once (RFC 9112 section 3.2)." },
    ]);
  });

  it("at the token endpoint, in its own words", async () => {
    const answer = await twice("POST /oauth2/token", "host: localhost", "host: evil.example");
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
  });

  it("but not one", async () => {
    expect((await twice("GET /healthz", "host: localhost")).status).toBe(200);
  });
});
