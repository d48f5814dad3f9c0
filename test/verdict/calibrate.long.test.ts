// What recorded traffic says about the assumptions: flips that nobody tells are recovered from it, contradictions are named, and no secret
// of a recording comes out again.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import words from "../../src/contract/generated/traffic-words.json" with { type: "json" };
import { bindingFlips, documentInForce, shippedAssumptions } from "../../src/sandbox.ts";
import { type Calibration, calibrate, type Finding, readHar } from "../../src/verdict/calibrate/index.ts";
import { runHere } from "../cli/in-process.ts";
import { extent } from "../extent.ts";
import { openSandbox, type TestSandbox } from "../sandbox.ts";
import { type Har, recordedTour, type Tour } from "./recorded-tour.ts";

const questions = shippedAssumptions();
const register = { questions, documentUnder: documentInForce, changing: bindingFlips() };
const read = (...hars: Har[]): Calibration =>
  calibrate(
    hars.flatMap((har, index) => readHar(JSON.stringify(har), `${index + 1}.har`)),
    register,
  );
const findingOf = (found: Calibration, id: string) => found.findings.find((each) => each.id === id) as Finding;

/** One of these hides the other: where it is in force, the traffic of the tour does not tell. */
const HIDDEN: Record<string, readonly string[]> = {
  "refund-of-integration=none": ["booking-money=unpaid"],
  "money-rounding=per-order": ["line-item=per-variant", "tickets=per-booking"],
  "move-kinds=cancelled-and-created": ["booking-move=same-booking"],
};
/** Only seen in production; it has a test of its own. */
const ELSEWHERE = new Set(["preview-production=403"]);

const visible = questions.flatMap(({ id, alternatives }) =>
  alternatives.map(({ value }) => `${id}=${value}`).filter((flip) => !(flip in words.untold) && !ELSEWHERE.has(flip)),
);

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ strictResponses: false });
});
afterAll(() => sandbox.close());

const flipsOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => name.split("=") as [string, string]));
const tours = new Map<string, Promise<Tour>>();
/** Recorded once for each set of flips. */
function tourUnder(...names: string[]): Promise<Tour> {
  const known = tours.get(names.join()) ?? recordedTour(sandbox, flipsOf(names));
  tours.set(names.join(), known);
  return known;
}
const toursWith = async (names: readonly string[]) => read((await tourUnder(...names)).har);
const recovered = ({ flips }: Calibration) => Object.entries(flips).map(([id, value]) => `${id}=${value}`);
const expected = (names: readonly string[]) =>
  names.filter((name) => !HIDDEN[name]?.some((other) => names.includes(other)));

/** Some values at random, one of each question; and the rest of them, so that two runs have seen all. */
const halves = fc.shuffledSubarray(visible, { minLength: visible.length, maxLength: visible.length }).map((order) => {
  const taken = new Map<string, string>();
  for (const flip of order.slice(0, order.length / 2)) taken.set(flip.slice(0, flip.indexOf("=")), flip);
  const one = [...taken.values()];
  const rest = new Map(
    visible.filter((flip) => !one.includes(flip)).map((flip) => [flip.slice(0, flip.indexOf("=")), flip]),
  );
  return [one, [...rest.values()]] as const;
});

describe("traffic of a sandbox", () => {
  it("with the default answers contradicts none, and has nothing that the specification does not say", async () => {
    const found = await toursWith([]);
    expect(found.findings.filter(({ result }) => result === "contradicted" || result === "inconsistent")).toEqual([]);
    expect(found.differences).toEqual([]);
  });

  // It plays each flip that can be seen.
  it("tells which flips are in force, whichever they are", async () => {
    const runs = extent(1, 1, 2);
    await fc.assert(
      fc.asyncProperty(halves, async (both) => {
        for (const flips of both) {
          const found = await toursWith(flips);
          expect(recovered(found).sort()).toEqual(expected(flips).sort());
          expect(found.findings.filter(({ result }) => result === "inconsistent")).toEqual([]);
          expect(found.differences).toEqual([]);
        }
      }),
      { numRuns: runs, endOnFailure: true, seed: 7 },
    );
  }, 600_000);

  it("without the bodies, as some tools export it, contradicts nothing", async () => {
    const { har } = await tourUnder();
    const bare = (entry: { response?: object }) => ({ ...entry, response: { ...entry.response, content: {} } });
    const found = read({ log: { ...har.log, entries: har.log.entries.map(bare) } } as Har);
    expect(found.findings.filter(({ result }) => result === "contradicted")).toEqual([]);
  });

  it("says nothing of what can't be seen", async () => {
    const found = await toursWith(Object.keys(words.untold));
    expect(recovered(found)).toEqual([]);
    const message = Object.keys(words.untold).map((flip) => findingOf(found, flip.split("=")[0] ?? "").result);
    expect(message).not.toContain("contradicted");
  });

  it("from two services that differ contradicts itself, and it says where", async () => {
    const [one, other] = [await tourUnder(), await tourUnder("booking-create-status=200")];
    const { result, seen } = findingOf(read(one.har, other.har), "booking-create-status");
    expect(result).toBe("inconsistent");
    expect(seen.map(({ value, at }) => [value, at.split(" ")[0]])).toEqual([
      ["201", "1.har"],
      ["200", "2.har"],
    ]);
  });

  it("counts an answer once, though the document and a detector both see it", async () => {
    const { har } = await tourUnder("booking-create-status=200");
    const isBooking = (entry: { request?: { method: string; url: string }; response?: { status: number } }) =>
      entry.request?.method === "POST" && entry.request.url.endsWith("/v1/bookings") && entry.response?.status === 200;
    const found = read({ log: { ...har.log, entries: har.log.entries.filter(isBooking).slice(0, 1) } } as Har);
    expect(findingOf(found, "booking-create-status").seen).toEqual([{ value: "200", times: 1, at: "1.har #1" }]);
  });

  it("has secrets and names of people, and none of them is repeated", async () => {
    const { har, secrets } = await tourUnder("booking-create-status=200");
    const text = JSON.stringify(har).replaceAll(
      '\\"status\\":\\"ACTIVE\\"',
      `\\"status\\":\\"${secrets[0]}\\",\\"${secrets[0]}\\":1`,
    );
    const found = calibrate(readHar(text, "x.har"), register);
    expect(found.differences.length).toBeGreaterThan(0);
    for (const secret of secrets) expect(JSON.stringify(found)).not.toContain(secret);
  });
});

describe("The command", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-calibrate-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("writes what fits into a configuration file, beside what stands there, and `start` takes it", async () => {
    const [har, config] = [join(folder, "tour.har"), join(folder, "sandbox.config.yaml")];
    const flip = "booking-create-status=200";
    writeFileSync(har, JSON.stringify((await tourUnder(flip)).har));
    writeFileSync(config, "# Ours\nseed: 12\n");
    const ran = await runHere(["calibrate", har, "--write", config]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`1 answer written to ${config}.`);
    const text = readFileSync(config, "utf8");
    expect(text).toContain("# Ours\nseed: 12\n");
    expect(parse(text)).toMatchObject({ seed: 12, assume: expect.anything() });
    expect(JSON.stringify(parse(text).assume)).toContain("booking-create-status");
    const again = await runHere(["calibrate", har, "--write", config, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ written: config, flips: { "booking-create-status": "200" } });
    expect(readFileSync(config, "utf8")).toBe(text);
  });

  it("does not take the address where `start` listens for the host of the service", async () => {
    const har = join(folder, "host.har");
    writeFileSync(har, JSON.stringify((await tourUnder()).har));
    const pairs = async (...words: string[]) => {
      const { stdout } = await runHere(["calibrate", har, "--json", ...words], { SANDBOX_HOST: "0.0.0.0" });
      return JSON.parse(stdout).pairs as number;
    };
    expect(await pairs()).toBeGreaterThan(50);
    expect(await pairs("--host", "other.example")).toBe(0);
  });
});

it("every alternative is looked for, or it is said why not", () => {
  const found = calibrate([], register);
  for (const { id, alternatives } of questions)
    if (alternatives.length > 0)
      expect(findingOf(found, id).says, id).toMatch(/^(Nothing shows it\. Record|Traffic does not tell)/);
});

describe("a HAR file", () => {
  const entry = (more: object = {}, response: object = {}) => ({
    log: {
      entries: [
        {
          request: { method: "POST", url: "https://api.example/v1/bookings", ...more },
          response: { status: 200, ...response },
        },
      ],
    },
  });
  const body = Buffer.from('{"id":"7f3c0a9be2d14c5f8a6b1d2e3f405162","status":"ACTIVE"}');
  const base64 = (bytes: Buffer) => ({ content: { text: bytes.toString("base64"), encoding: "base64" } });

  it.each<[string, object, object]>([
    ["text", {}, { content: { text: body.toString() } }],
    ["base64", {}, base64(body)],
    ["still compressed", {}, base64(gzipSync(body))],
    [
      "with headers in any case and pseudo headers",
      {
        headers: [
          { name: ":authority", value: "api.example" },
          { name: "ACCEPT", value: "*/*" },
        ],
      },
      { headers: [{ name: "Content-Encoding", value: "gzip" }], content: { text: body.toString() } },
    ],
    [
      "without query, headers or times",
      { headers: undefined, queryString: undefined },
      { content: { text: body.toString() } },
    ],
  ])("is read when a body is %s", (_, request, response) => {
    const found = calibrate(readHar(JSON.stringify(entry(request, response)), "a.har"), register);
    expect(recovered(found)).toContain("booking-create-status=200");
    expect(findingOf(found, "ids").result).toBe("confirmed");
  });

  it("may have holes and other hosts, which are left out", () => {
    const entries = [{}, null, { request: {} }, { request: { url: "nonsense" } }, ...entry().log.entries];
    const other = {
      request: { method: "GET", url: "https://other.example/v1/events?limit=700" },
      response: { status: 200 },
    };
    const more = { request: { method: "GET", url: "https://api.example/v1/me" }, response: { status: 200 } };
    const found = calibrate(
      readHar(JSON.stringify({ log: { entries: [...entries, other, more] } }), "a.har"),
      register,
    );
    expect([found.hosts, found.left_out]).toEqual([
      ["api.example"],
      [{ host: "other.example", entries: 1, matching: true }],
    ]);
  });
});
