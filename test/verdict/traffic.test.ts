// Recorded traffic of the service compared with the API description: differences are counted, and secrets are not repeated.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withoutUnions } from "../../src/contract/document/without-unions.mjs";
import { patchDocument } from "../../src/sandbox.ts";
import { compareTraffic, readHar } from "../../src/verdict/traffic/index.ts";
import { runHere } from "../cli/in-process.ts";
import { makeTempFolder } from "../temp-folder.ts";

const document = withoutUnions(patchDocument([]));
const folder = makeTempFolder();

const toEntry = (method: string, url: string, status: number, body: object, more: object = {}) => ({
  request: { method, url },
  response: { status, content: { text: JSON.stringify(body) }, ...more },
});
const toHar = (...entries: unknown[]): string => JSON.stringify({ log: { entries } });
const compare = (...entries: unknown[]) => compareTraffic(readHar(toHar(...entries), "a.har"), document);
const BOOKINGS = "https://api.example/v1/bookings";

describe("A HAR file", () => {
  const bytes = Buffer.from('{"surprise":1}');
  const toBase64 = (body: Buffer) => ({ content: { text: body.toString("base64"), encoding: "base64" } });

  it.each<[string, object]>([
    ["text", { content: { text: bytes.toString() } }],
    ["base64", toBase64(bytes)],
  ])("is read when a body is %s", (_, response) => {
    const { differences } = compare(toEntry("POST", BOOKINGS, 201, {}, response));
    expect(differences).toContainEqual(expect.objectContaining({ path: "/surprise", what: "member" }));
  });

  it("identifies each entry by its file and its position, and omits unreadable ones", () => {
    const entry = { request: { method: "get", url: "https://a.test/v1/me" } };
    const calls = readHar(toHar(entry, null, { request: {} }, { request: { url: "nonsense" } }, entry), "x.har");
    expect(calls.map(({ at, method }) => `${at} ${method}`)).toEqual(["x.har #1 GET", "x.har #5 GET"]);
  });
});

describe("A comparison", () => {
  it("lists unknown fields, values and statuses, and missing fields", () => {
    const me = { id: "cmp-1", surprise: true };
    const { differences } = compare(
      toEntry("GET", "https://api.example/v1/me", 200, me),
      toEntry("GET", "https://api.example/v1/me", 299, {}),
      toEntry("GET", `${BOOKINGS}/bkg-1`, 200, { status: "DREAMT" }),
    );
    expect(differences).toContainEqual(
      expect.objectContaining({ operation: "getMe", status: 200, what: "member", path: "/surprise", at: "a.har #1" }),
    );
    expect(differences).toContainEqual(expect.objectContaining({ operation: "getMe", status: 299, what: "status" }));
    expect(differences).toContainEqual(
      expect.objectContaining({ operation: "getBooking", what: "value", path: "/status", value: "DREAMT" }),
    );
    expect(differences).toContainEqual(
      expect.objectContaining({ operation: "getBooking", what: "missing", path: "/id" }),
    );
  });

  it("counts a difference once, and repeats only its text", () => {
    const secret = "a1b2c3".repeat(8);
    const entry = toEntry("GET", `${BOOKINGS}/bkg-1`, 200, { status: secret, [secret]: 1 });
    const comparison = compare(entry, entry);
    expect(JSON.stringify(comparison)).not.toContain(secret);
    expect(comparison.differences).toContainEqual(
      expect.objectContaining({ what: "value", path: "/status", value: "(not repeated)", times: 2, at: "a.har #1" }),
    );
  });

  it("uses the host with most of the operations, and tokens from any", () => {
    const comparison = compare(
      toEntry("POST", BOOKINGS, 0, {}),
      toEntry("GET", "https://api.example/v1/me", 0, {}),
      toEntry("GET", "https://other.example/v1/events", 0, {}),
      toEntry("POST", "https://login.example/oauth2/token", 0, {}),
    );
    expect([comparison.calls, comparison.hosts]).toEqual([3, ["api.example", "login.example"]]);
    expect(comparison.left_out).toEqual([{ host: "other.example", entries: 1, matching: true }]);
  });
});

describe("sandbox check traffic", () => {
  it("exits with 1 for a difference, 0 for none and 2 for another kind of file", async () => {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const different = write("different.har", toHar(toEntry("GET", `${BOOKINGS}/bkg-1`, 299, {})));
    const ran = await runHere(["check", "traffic", different]);
    expect([ran.code, ran.stdout]).toEqual([
      1,
      expect.stringContaining(" FAIL getBooking 299 unknown status 299, 1×, first"),
    ]);
    const unknown = toEntry("GET", `${BOOKINGS}/bkg-1`, 404, { code: "NOT_FOUND", message: "There is none." });
    const alike = await runHere(["check", "traffic", write("alike.har", toHar(unknown)), "--json"]);
    expect([alike.code, JSON.parse(alike.stdout)]).toMatchObject([0, { calls: 1, differences: [] }]);
    const other = await runHere([
      "check",
      "traffic",
      write("other.har", toHar(toEntry("GET", "https://x.example/", 200, {}))),
    ]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("It has requests to x.example.")]);
    expect((await runHere(["check", "traffic", write("text.har", "no")])).stderr).toContain("is not JSON");
  });
});
