// `logs --har`: the requests of a world as an HTTP Archive, which `check traffic` reads.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type HarRequest, toHarEntry } from "../../src/engine/log/har.ts";
import { type Sandbox, startSandbox } from "../../src/index.ts";
import { BOOKING, book, CLOCK, call } from "../library/works-anywhere.ts";
import { makeTempFolder } from "../temp-folder.ts";
import { runHere } from "./in-process.ts";

const folder = makeTempFolder();
const file = join(folder, "traffic.har");
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox({ fixture: "harbour-tours", clock: CLOCK });
});
afterAll(() => sandbox.close());

const logs = (...words: string[]) => runHere(["logs", "--url", sandbox.url, ...words]);

it("writes requests without secrets, which check traffic accepts without a difference", async () => {
  const { clientId, clientSecret } = sandbox.credentials;
  const token = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret, audience: "x" };
  await fetch(sandbox.tokenUrl, { method: "POST", body: new URLSearchParams(token) });
  const id = await book(sandbox);
  await call(sandbox, "GET", `/v1/bookings/${id}?locale=da`);
  await call(sandbox, "GET", "/v1/bookings?limit=2");
  await call(sandbox, "GET", "/v1/bookings/none");
  await call(sandbox, "POST", "/v1/bookings", { ...BOOKING, event_id: "none" });
  const url = "http://127.0.0.1:9/hook";
  await call(sandbox, "POST", "/v1/webhook-subscriptions", {
    url,
    event_types: ["v1.booking.created"],
    state: "DISABLED",
  });
  expect(await logs("--har", file)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("7 requests written to"),
  });
  const text = readFileSync(file, "utf8");
  for (const secret of [clientSecret, "whsec_"]) expect(text).not.toContain(secret);
  const { log } = JSON.parse(text);
  expect(log).toMatchObject({ version: "1.2", creator: { name: "experience-sandbox" } });
  expect(log.entries[2]).toMatchObject({
    startedDateTime: expect.stringMatching(/^\d{4}-.*Z$/),
    request: {
      method: "GET",
      url: `${sandbox.url}/v1/bookings/${id}?locale=da`,
      queryString: [{ name: "locale", value: "da" }],
      headers: expect.arrayContaining([{ name: "authorization", value: "[redacted]" }]),
    },
    response: { status: 200, statusText: "OK", content: { text: expect.stringContaining(id) } },
  });
  expect(log.entries[1].request.postData).toEqual({
    mimeType: "application/json",
    text: JSON.stringify(BOOKING),
  });
  const { code, stdout } = await runHere(["check", "traffic", file]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("7 calls compared, 0 differences.") });
});

it("is a format of the log in the control API, with its filters", async () => {
  const answer = await fetch(`${sandbox.controlUrl}/log?format=har&status=404&limit=1`);
  const { log } = (await answer.json()) as { log: { entries: object[] } };
  expect(log.entries).toMatchObject([{ response: { status: 404 } }]);
});

it("marks a body that the log does not contain, and check traffic skips it", async () => {
  const [request] = await sandbox.requests({ operation: "getBooking", limit: 1 });
  const left_out = { size: 300_000, sha256: "abc" };
  const long = { ...request, faults: [], answer: { headers: {}, body: null, left_out } } as unknown as HarRequest;
  const entry = toHarEntry({ ...long, wall_at: CLOCK, status: 200 }, sandbox.url);
  const comment = "The log does not have this body of 300000 bytes, SHA-256 abc.";
  expect(entry).toMatchObject({ response: { content: { size: 300_000, comment } } });
  writeFileSync(file, JSON.stringify({ log: { entries: [entry] } }));
  expect((await runHere(["check", "traffic", file])).code).toBe(0);
});

it.each([
  [["--har", join(folder, "none", "a.har")], /^--har .*a\.har can't be written: .*Name another file\.$/m],
  [["--har", file, "--changes"], "--har does not take --changes. Leave one of them out."],
  [["--har", file, "--limit", "0"], "--limit: must be >= 1"],
])("rejects %j", async (words, sentence) => {
  const { code, stderr } = await logs(...words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(sentence) });
});
