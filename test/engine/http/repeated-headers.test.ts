// A request with two Host headers (RFC 9112 section 3.2) or two Authorization headers (RFC 9110 section 5.3) is rejected on every path.
import { describe, expect, it } from "vitest";
import { shareSandbox } from "../../sandbox.ts";
import { raw } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });

const twice = (line: string, ...hosts: string[]) =>
  raw(sandbox.url, `${[`${line} HTTP/1.1`, ...hosts, "connection: close"].join("\r\n")}\r\n\r\n`);

const ENDPOINTS = [
  ["on the service", "GET /v1/me"],
  ["on the control surface", "POST /_sandbox/state/reset"],
  ["on a document", "GET /openapi.json"],
  ["on a path that does not exist", "GET /nowhere"],
] as const;

describe("Two Host headers are rejected", () => {
  it.each(ENDPOINTS)("%s", async (_, line) => {
    const answer = await twice(line, "Host: localhost", "hOST: localhost");
    expect([answer.status, answer.body]).toEqual([
      400,
      { code: "BAD_REQUEST", message: "The header Host was sent 2 times. Send it once (RFC 9112 section 3.2)." },
    ]);
  });

  it("at the token endpoint, in its own format", async () => {
    const answer = await twice("POST /oauth2/token", "host: localhost", "host: evil.example");
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
  });

  it("and so are two Authorization headers, in any order, and with the same value", async () => {
    const lines = [...ENDPOINTS, ["at the token endpoint", "POST /oauth2/token"]];
    for (const [, line = ""] of lines)
      for (const second of ["Bearer a", "Bearer b", "Basic YTpi"]) {
        const answer = await twice(line, "host: localhost", "Authorization: Bearer a", `authorization: ${second}`);
        const { message = answer.body.error_description } = answer.body;
        expect([line, answer.status, message]).toEqual([
          line,
          400,
          "The header Authorization was sent 2 times. Send it once (RFC 9110 section 5.3).",
        ]);
      }
  });

  it("but not one", async () => {
    expect((await twice("GET /healthz", "host: localhost")).status).toBe(200);
  });
});
