// The control API reports wrong values as data. Each interface names them as its users typed them, and nothing rewrites a sentence.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, SandboxError, startSandbox } from "../../src/index.ts";
import { runHere } from "../cli/in-process.ts";
import { type Connected, overHttp } from "../mcp/mcp-kit.ts";

let sandbox: Sandbox;
let model: Connected;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: "2030-06-01T09:00:00Z" });
  model = await overHttp(sandbox.url);
});
afterAll(async () => {
  await model.close();
  await sandbox.close();
});

async function control(method: string, path: string, input?: object) {
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method,
    ...(input ? { body: JSON.stringify(input), headers: { "content-type": "application/json" } } : {}),
  });
  return response.json();
}

// biome-ignore lint/suspicious/noExplicitAny: wrong on purpose, which the types forbid
const wrong = (value: unknown) => value as any;

interface Row {
  name: string;
  http: readonly [method: string, path: string, input?: object];
  error: object;
  cli?: readonly [words: readonly string[], sentence: string];
  library?: readonly [work: () => Promise<unknown>, sentence: string];
  mcp?: readonly [tool: string, args: Record<string, unknown>, sentence: string];
}

const DURATION = "soon is not an ISO 8601 duration such as P3D or PT0.5S.";

const ROWS: readonly Row[] = [
  {
    name: "a member of the body",
    http: ["POST", "clock/advance", { by: "soon" }],
    error: { path: "body.by", violations: [{ path: "body.by", problem: DURATION }] },
    cli: [["resend", "msg_1", "--delay", "PT5.5S"], "--delay: must be an ISO 8601 duration in whole numbers"],
    library: [() => sandbox.clock.advance(wrong("soon")), `by: ${DURATION}`],
    mcp: ["clock", { action: "advance", by: "soon" }, `\`by\`: ${DURATION}`],
  },
  {
    name: "a member that a handler rejects",
    http: ["POST", "worlds", { fixture: "../x" }],
    error: {
      path: "body.fixture",
      violations: [{ path: "body.fixture", problem: expect.stringMatching(/^\.\.\/x is/) }],
    },
    cli: [["world", "create", "--fixture", "../x"], "--fixture: ../x is not the name of a fixture."],
    library: [() => sandbox.world({ fixture: "../x" }), "fixture: ../x is not the name of a fixture."],
    mcp: ["world", { action: "new", fixture: "../x" }, "`fixture`: ../x is not the name of a fixture."],
  },
  {
    name: "a member of a member",
    http: ["POST", "faults", { operation: "getMe", token: { expires_in: -1 }, times: 1 }],
    error: { path: "body.token.expires_in" },
    cli: [["fault", "add", "createToken", "--expires-in", "0"], "--expires-in"],
    library: [
      () => sandbox.faults.arm(wrong({ operation: "createToken", token: { expires_in: -1 }, times: 1 })),
      "token.expires_in: must be",
    ],
  },
  {
    name: "a parameter of the query",
    http: ["GET", "books/trial-balance?zone=Nowhere"],
    error: {
      parameter: "zone",
      violations: [{ parameter: "zone", problem: expect.stringMatching(/^Nowhere is not/) }],
    },
    cli: [["books", "balance", "--zone", "Nowhere"], "--zone: Nowhere is not an IANA time zone"],
    library: [() => sandbox.books.trialBalance({ zone: "Nowhere" }), "zone: Nowhere is not an IANA time zone"],
  },
  {
    name: "a parameter of the path",
    http: ["PUT", "snapshots/a%20b"],
    error: { parameter: "name" },
    cli: [["snapshot", "save", "a b"], "<name>: must be a name of at most 64 letters"],
    library: [() => sandbox.snapshot("a b"), "name: must be a name of at most 64 letters"],
  },
  {
    name: "a member of an act that is missing",
    http: ["POST", "acts/moveBooking", { booking_id: "bkg-1" }],
    error: { path: "body.event_id", violations: [{ path: "body.event_id", problem: "a value is required." }] },
    library: [() => sandbox.act("moveBooking", wrong({ booking_id: "bkg-1" })), "event_id: a value is required."],
    mcp: ["act", { act: "moveBooking", input: { booking_id: "bkg-1" } }, "`input.event_id`: a value is required."],
  },
  {
    name: "a member of an act of another type",
    http: ["POST", "acts/cancelBooking", { booking_id: 3 }],
    error: { path: "body.booking_id" },
    cli: [["act", "cancelBooking", "--set", "booking_id=3"], "--set booking_id: must be string; it is 3."],
    library: [() => sandbox.act("cancelBooking", wrong({ booking_id: 3 })), "booking_id: must be string; it is 3."],
    mcp: ["act", { act: "cancelBooking", input: { booking_id: 3 } }, "`input.booking_id`: must be string; it is 3."],
  },
  {
    name: "two members at once",
    http: ["POST", "acts/cancelBooking", { booking_id: 3, refund: "half" }],
    error: { path: "body.booking_id", violations: [{ path: "body.booking_id" }, { path: "body.refund" }] },
    cli: [
      ["act", "cancelBooking", "--data", '{"booking_id":3}', "--set", "refund=half"],
      "--data booking_id: must be string; it is 3. --set refund: must be",
    ],
  },
  {
    name: "a name that does not exist",
    http: ["DELETE", "faults?name=nope"],
    error: { message: "No fault called nope is armed.", list: "GET /_sandbox/faults" },
    cli: [["fault", "clear", "--name", "nope"], "No fault called nope is armed. `sandbox fault list` lists them."],
    mcp: [
      "faults",
      { action: "clear", name: "nope" },
      'No fault called nope is armed. faults({"action":"list"}) lists them.',
    ],
  },
];

const OF_HTTP = /_sandbox|\b(?:GET|PUT|POST|DELETE) \/|\b(?:body|query|path)\.\w/;

describe.each(ROWS)("$name", ({ http, error, cli, library, mcp }) => {
  it("is data in the control API", async () => {
    expect(await control(...http)).toMatchObject({ code: expect.any(String), message: expect.any(String), ...error });
  });

  it.runIf(cli)("has the name of its option", async () => {
    const [words, sentence] = cli as NonNullable<Row["cli"]>;
    const { code, stderr } = await runHere(words, { SANDBOX_URL: sandbox.url });
    expect(code).not.toBe(0);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(OF_HTTP);
  });

  it.runIf(library)("has the name of its argument in the library", async () => {
    const [work, sentence] = library as NonNullable<Row["library"]>;
    const reason = await work().catch((each: unknown) => each);
    expect(reason).toBeInstanceOf(SandboxError);
    expect((reason as SandboxError).message).toContain(sentence);
    expect((reason as SandboxError).message).not.toMatch(OF_HTTP);
    const { path, parameter } = error as { path?: string; parameter?: string };
    expect(reason).toMatchObject({ path, parameter });
  });

  it.runIf(mcp)("has the name of the argument of the tool", async () => {
    const [tool, args, sentence] = mcp as NonNullable<Row["mcp"]>;
    const { text, failed } = await model.call(tool, args);
    expect(failed).toBe(true);
    expect(text).toContain(sentence);
    expect(text).not.toMatch(OF_HTTP);
  });
});

it("sandbox resend never suggests the command that was typed", async () => {
  const token = await sandbox.token();
  const sent = await fetch(`${sandbox.url}/v1/bookings/bkg-evening`, { headers: { authorization: `Bearer ${token}` } });
  const id = sent.headers.get("sandbox-request-id") ?? "";
  const replay = (set: string) => runHere(["resend", id, "--set", set], { SANDBOX_URL: sandbox.url });
  expect((await replay("bookingId=bkg-other")).stderr).toBe(
    `--set bookingId: the request ${id} has no JSON body. bookingId is a parameter of its path. Name it path.bookingId.\n`,
  );
  expect((await replay("path.bookingid=bkg-other")).stderr).toBe(
    `--set path.bookingid: the path of the request ${id} has no such parameter.\n`,
  );
  const followed = await replay("path.bookingId=bkg-other");
  expect(JSON.parse(followed.stdout).message).toContain("There is no booking bkg-other.");
  expect(followed.stderr).toMatch(/^404 {2}/);
});

it("a response of the service has a code and a message only", async () => {
  const headers = { authorization: `Bearer ${await sandbox.token()}` };
  const response = await fetch(`${sandbox.url}/v1/bookings?limit=0`, { headers });
  expect(Object.keys((await response.json()) as object)).toEqual(["code", "message"]);
});
