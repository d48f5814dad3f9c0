// Every operation of the control surface, called once as a person would; its answer is held against the control specification.
import type { IHttpOperation } from "@stoplight/types";
import { describe, expect, it } from "vitest";
import controlOperations from "../../../../src/contract/generated/control-operations.json" with { type: "json" };
import { listProblems } from "../../../../src/engine/http/prism.ts";
import { anna, shareSandbox, shareWorld } from "../../../sandbox.ts";
import { rawRequest, send } from "../http-kit.ts";

const operations = new Map(
  (controlOperations as unknown as IHttpOperation[]).map((operation) => [operation.iid ?? "", operation]),
);
const called = new Set<string>();

const sandbox = shareSandbox({ fixture: "harbour-tours" });
const world = shareWorld(sandbox, { fixture: "harbour-tours" });

interface Input {
  path?: Record<string, string>;
  query?: string;
  body?: object;
  status?: number;
}

async function call(id: string, { path = {}, query = "", body, status = 200 }: Input = {}) {
  const operation = operations.get(id) as IHttpOperation;
  called.add(id);
  const target = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const answer = await send(sandbox, `${target}?${query}`, {
    method: operation.method.toUpperCase(),
    headers: { "sandbox-world": world.id },
    ...(body ? { body } : {}),
  });
  expect([id, answer.status, answer.text.slice(0, 300)]).toEqual([id, status, expect.anything()]);
  const isText = /^(text|application\/yaml)/.test(answer.headers["content-type"] ?? "");
  const view = { status, headers: answer.headers, body: isText ? answer.text : answer.body };
  expect([id, listProblems(operation, view)]).toEqual([id, []]);
  return answer.body;
}

it("Describes the sandbox and its worlds", async () => {
  await call("describeSandbox");
  await call("listOperations");
  await call("getControlDocument");
  await call("getControlDocumentAsYaml");
  await call("getMetrics");
  await call("listWorlds");
  const { id } = await call("createWorld", {
    body: { id: "berlin", fixture: "empty", clock: "2030-06-01T09:00:00Z", seed: 3 },
    status: 201,
  });
  await call("createWorld", { body: { id: "berlin" }, status: 409 });
  await call("createWorld", { body: { fixture: "no-such-fixture" }, status: 400 });
  await call("createWorld", { body: { fixture: "empty", seed: "-12345678901234567890" }, status: 201 });
  for (const seed of ["seven", "", "1.5", 1.5, "1".repeat(31), null]) {
    const { message } = await call("createWorld", { body: { fixture: "empty", seed }, status: 400 });
    expect(message).toMatch(/^body\.seed must /);
  }
  await call("getWorld", { path: { worldId: id } });
  await call("listWorldCredentials", { path: { worldId: id } });
  const { items } = await call("forkWorld", { path: { worldId: id }, body: { count: 2 }, status: 201 });
  expect(items).toHaveLength(2);
  await call("deleteWorld", { path: { worldId: id }, status: 204 });
  await call("deleteWorld", { path: { worldId: id }, status: 404 });
  await call("deleteWorld", { path: { worldId: "default" }, status: 409 });
});

it("Issues a token of a world without its secret, with scopes of its key", async () => {
  const { access_token, scopes, client_id } = await call("issueWorldToken");
  expect([client_id, scopes]).toContain(world.clientId);
  const ask = (token: string) => world.call("getMe", { token });
  expect((await ask(access_token)).status).toBe(200);
  const narrow = await call("issueWorldToken", { body: { scopes: ["event.read"] } });
  expect((await world.call("listBookings", { token: narrow.access_token })).status).toBe(403);
  const refused = await call("issueWorldToken", { body: { scopes: ["event.red"] }, status: 400 });
  expect(refused.message).toMatch(/was not granted the scope event\.red\. It has: .*event\.read/);
  const unknown = await call("issueWorldToken", { body: { client_id: "no-key" }, status: 404 });
  expect(unknown.message).toBe(`The world ${world.id} has no key no-key that is not revoked.`);
  await call("issueWorldToken", { body: { client_id: 7 }, status: 400 });
});

it("Issues no token of a world without a key", async () => {
  const bare = await sandbox.world({ fixture: "empty" });
  await bare.act("revokeKey", { client_id: bare.clientId });
  const { status, body } = await bare.control("post", "token");
  expect([status, body.code, body.message]).toEqual([
    409,
    "NO_KEY",
    `Every key of the world ${bare.id} is revoked. Create one with the act createKey.`,
  ]);
});

it("Requires a handshake at the start of a Model Context Protocol session", async () => {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } };
  await call("sendMcpMessage", { body: { jsonrpc: "2.0", id: 1, method: "initialize", params } });
  await call("sendMcpMessage", { body: { jsonrpc: "2.0", id: 1, method: "ping" }, status: 400 });
  await call("endMcpSession", { status: 400 });
});

it("Exports, imports, saves, restores and resets a world", async () => {
  const document = await call("exportState");
  await call("importState", { body: document });
  await call("importState", { body: { ...document, checksum: "x" }, status: 400 });
  await call("saveSnapshot", { path: { name: "before" } });
  await call("listSnapshots");
  await call("getSnapshot", { path: { name: "before" } });
  await call("restoreSnapshot", { path: { name: "before" } });
  await call("deleteSnapshot", { path: { name: "before" }, status: 204 });
  await call("restoreSnapshot", { path: { name: "before" }, status: 404 });
  await call("resetState");
  await call("populateState", { body: { bookings: 5 } });
});

describe("A name can't contain a path:", () => {
  it.each(["..%2Fx", "%2e%2e", "..", "a%2Fb", "a%5Cb", "%00", ".hidden", "a".repeat(300), "%2Fetc"])(
    "snapshot %s",
    async (name) => {
      const answer = await rawRequest(sandbox.url, `PUT /_sandbox/snapshots/${name}`, { "sandbox-world": world.id });
      expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
    },
  );

  it.each(["../fixtures/empty", "/etc", "./x", "..", "empty/../empty", "\u0000", "__proto__"])(
    "fixture %s",
    async (fixture) => {
      expect((await call("createWorld", { body: { fixture }, status: 400 })).code).toBe("BAD_REQUEST");
    },
  );

  it.each(["../x", ".x", "a/b", "a b", 'a"b', "a\nb", "x".repeat(65)])("world %s", async (id) => {
    await call("createWorld", { body: { id }, status: 400 });
  });
});

it("Lists, compares and rewinds history", async () => {
  const { kept } = await call("listCommits");
  await world.act("submitConsent", { full_name: "Bo", email: "bo@example.com", source: "checkout" });
  const { items } = await call("listCommits", { query: "limit=1" });
  await call("listCommits", { query: "since=x", status: 400 });
  await call("getRecordHistory", { path: { id: items[0].changes[0].id } });
  await call("getRecordHistory", { path: { id: "nobody" }, status: 404 });
  await call("diffMoments", { query: `from=${kept.from.seq}` });
  await call("diffMoments", { status: 400 });
  await call("diffMoments", { query: "from=0", status: 409 });
  await call("rewindWorld", { body: { to: kept.from.seq } });
  await call("rewindWorld", { body: { to: "nobody" }, status: 404 });
});

it("Shows, holds and advances the clock, and rejects a move back", async () => {
  await call("getClock");
  await call("setClock", { body: { mode: "held" } });
  const foretold = await call("setClock", { body: { now: "2030-06-02T09:00:00Z", mode: "running", dry_run: true } });
  expect(foretold).toMatchObject({ now: "2030-06-02T09:00:00.000Z", mode: "running" });
  expect(foretold).not.toHaveProperty("id");
  expect(await call("getClock")).toMatchObject({ mode: "held" });
  await call("setClock", { body: { now: "2030-06-01T08:00:00Z" }, status: 409 });
  await call("advanceClock", { body: { by: "P1D", dry_run: true } });
  const { receipt } = await call("advanceClock", { body: { by: "P1D" } });
  expect(receipt.length).toBeGreaterThan(0);
  await call("advanceClock", { body: { to: "next" } });
  await call("advanceClock", { body: { by: "P1D", to: "next" }, status: 400 });
  await call("advanceClock", { body: { by: "a day" }, status: 400 });
});

it("Lists acts, runs them, and rejects them by their rules", async () => {
  const { items } = await call("listActs");
  expect(items.length).toBeGreaterThan(35);
  await call("submitConsent", { body: { full_name: anna.name, email: anna.email, source: "checkout" } });
  await call("cancelBooking", { body: { booking_id: "nobody" }, status: 404 });
  await call("cancelBooking", { body: {}, status: 400 });
  await call("triggerKind", { body: { kind: "v1.marketing_consent.created" } });
});

it("Counts, pages and finds records, and lists due work", async () => {
  await call("listCollections");
  await call("listRecords", { path: { collection: "bookings" }, query: "limit=2&where=status%3DACTIVE" });
  await call("listRecords", { path: { collection: "tokens" }, status: 400 });
  await call("listRecords", { path: { collection: "bookings" }, query: "cursor=x", status: 400 });
  const [{ id }] = (await call("listRecords", { path: { collection: "bookings" } })).items;
  await call("getRecord", { path: { collection: "bookings", id } });
  await call("getRecord", { path: { collection: "bookings", id: "nobody" }, status: 404 });
  await call("findAnything", { query: "q=anna" });
  await call("findAnything", { status: 400 });
  await call("readCalendar", { query: "from=2030-06-01&to=2030-06-08" });
  await call("listBookEntries", { query: "limit=3" });
  await call("readTrialBalance");
  const [{ id: orderId }] = (await call("listRecords", { path: { collection: "orders" } })).items;
  await call("readOrderBooks", { path: { orderId } });
  await call("listDue", { query: "until=2030-07-01T00:00:00Z&limit=3" });
});

it("Signs a browser in and out", async () => {
  await call("proveToken", { body: { address: "http://127.0.0.2:1", challenge: "x".repeat(43) }, status: 403 });
  await call("proveToken", { body: { address: sandbox.url, challenge: "x".repeat(43) } });
  await call("openSession", { body: { token: "wrong" }, status: 401 });
  await call("openSession", { body: { token: sandbox.running.application.controlToken }, status: 204 });
  await call("closeSession", { status: 204 });
});

it("Observes requests and messages", async () => {
  await world.call("getMe");
  const [request] = (await call("listRequests", { query: "limit=1" })).items;
  await call("getRequest", { path: { requestId: request.id } });
  await call("explain", { path: { id: request.id } });
  await world.call("getEvent", { path: { eventId: "evt-evning" } });
  const refused = await call("explainLatestRefusal");
  await call("applySmallestChange", { path: { id: refused.id } });
  await call("applySmallestChange", { path: { id: request.id }, status: 409 });
  await call("applySmallestChange", { path: { id: "nobody" }, status: 404 });
  await call("replayRequest", { path: { requestId: request.id } });
  await call("replayRequest", { path: { requestId: "nobody" }, status: 404 });
  await call("getRequest", { path: { requestId: "nobody" }, status: 404 });
  await call("listLog", { query: "limit=20&view=summary" });
  for (const { id } of (await call("listLog")).items) await call("getLogEntry", { path: { id } });
  await call("getLogEntry", { path: { id: "nobody" }, status: 404 });
  for (const { id } of (await call("listLog")).items) await call("explain", { path: { id } });
  await call("explain", { path: { id: "evt-evening" } });
  await call("explain", { path: { id: "nobody" }, status: 404 });
  await world.call("getBooking", { path: { bookingId: "nobody" } });
  await call("explainLatestRefusal");
  await call("recordScenario", { body: { entries: [request.id] }, status: 409 });
  await call("setMark", { body: { name: "a test" } });
  await call("setMark", { body: { name: null } });
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.marketing_consent.created"], state: "ENABLED" };
  const { id } = (await world.call("createWebhookSubscription", { body })).body;
  await world.act("submitConsent", { full_name: "Bo", email: "bo@example.com", source: "checkout" });
  const [message] = (
    await call("listMessages", { query: "kind=v1.marketing_consent.created&wait_for=1&timeout=60000" })
  ).items.slice(-1);
  await call("getMessage", { path: { messageId: message.id } });
  await call("giveUpMessage", { path: { messageId: message.id } });
  await call("resendMessage", { path: { messageId: message.id } });
  await call("explainSignature", { path: { messageId: message.id } });
  await call("explainSignature", { path: { messageId: "nobody" }, status: 404 });
  await call("checkSignature", { path: { messageId: message.id }, body: { computed: "abc" } });
  await call("resendFailedMessages", { body: { failed_since: "2030-01-01T00:00:00Z" } });
  await call("rotateSubscriptionSecret", { path: { subscriptionId: id }, body: { overlap: "P1D" } });
  await call("rotateSubscriptionSecret", { path: { subscriptionId: "nobody" }, status: 404 });
  await call("pinSubscription", { path: { subscriptionId: id }, status: 204 });
  await call("pinSubscription", { path: { subscriptionId: "nobody" }, status: 404 });
  const report = { outcome: "TIMED_OUT", answer: null, duration_ms: 0 };
  await call("reportRelayed", { path: { attemptId: "nobody" }, body: report, status: 404 });
  await call("clearMessages", { status: 204 });
});

it("Arms faults, overrides assumptions, and clears both", async () => {
  await call("armFaults", { body: { faults: [{ operation: "getMe", status: 500, times: 1 }] } });
  await call("addFault", { body: { operation: "getMe", status: 500, times: 1 } });
  await call("listFaults");
  await call("clearFaults", { status: 204 });
  await call("listAssumptions");
  await call("setAssumptions", { body: { "limit-range": "clamp" } });
  await call("setAssumptions", { body: { "limit-rang": "clamp" }, status: 400 });
  await call("setAssumptions", { body: { "limit-range": "anything" }, status: 400 });
  await call("setAssumptions", { body: {}, status: 400 });
});

it("Judges a program by the log", async () => {
  await world.call("listEvents");
  const { requests, items } = await call("lintLog");
  expect([requests > 0, items.length > 0]).toEqual([true, true]);
});

it("Stores, lists, reads and deletes a verdict", async () => {
  const counts = { fail: 0, warn: 0, undecided: 0, "not-exercised": 0, pass: 0, ignored: 0 };
  const sandbox = { version: "0.1.0", fixture: "harbour-tours", flips: [], specification: "5e", register: "2b" };
  const no_verdict = { code: "NEVER_CALLED", says: "The program never called." };
  const body = {
    version: 1,
    command: ["npm", "test"],
    seed: "7",
    sandbox,
    results: [],
    counts,
    no_verdict,
    at: "2030-06-01T12:34:56.000Z",
    took_ms: 12,
    exit_code: 3,
  };
  const { id, verdict } = await call("keepVerdict", { body, status: 201 });
  expect(verdict).toEqual(body);
  const items = [{ id, command: body.command, at: body.at, counts, no_verdict, exit_code: 3 }];
  expect(await call("listVerdicts")).toEqual({ items });
  expect(await call("getVerdict", { path: { verdictId: id } })).toEqual({ id, verdict: body });
  await call("keepVerdict", { body: { ...body, version: 2 }, status: 400 });
  await call("deleteVerdict", { path: { verdictId: id }, status: 204 });
  await call("getVerdict", { path: { verdictId: id }, status: 404 });
  await call("deleteVerdict", { path: { verdictId: id }, status: 404 });
});

it("Has no teams without a database, where every caller is the operator", async () => {
  const me = {
    role: "operator",
    team: null,
    subject: "operator",
    token: "",
    expires_at: null,
    default_world: "default",
  };
  expect(await call("whoAmI")).toEqual(me);
  const team = { teamId: "acme" };
  const refused = [
    await call("listTeams", { status: 409 }),
    await call("createTeam", { body: { id: "acme" }, status: 409 }),
    await call("getTeam", { path: team, status: 409 }),
    await call("deleteTeam", { path: team, status: 409 }),
    await call("setTeamQuotas", { path: team, body: { worlds: 3 }, status: 409 }),
    await call("changeTeamQuotas", { path: team, body: { worlds: null }, status: 409 }),
    await call("changeWebhookTargets", { path: team, body: { add: ["10.0.0.0/8"] }, status: 409 }),
    await call("setWebhookTargets", { path: team, body: { items: ["10.0.0.0/8"] }, status: 409 }),
    await call("listMembers", { path: team, status: 409 }),
    await call("setMember", { path: { ...team, subject: "anna" }, body: { role: "viewer" }, status: 409 }),
    await call("removeMember", { path: { ...team, subject: "anna" }, status: 409 }),
    await call("listControlTokens", { path: team, status: 409 }),
    await call("createControlToken", { path: team, body: { role: "viewer" }, status: 409 }),
    await call("revokeControlToken", { path: { ...team, tokenId: "0123456789ab" }, status: 409 }),
    await call("listAudit", { status: 409 }),
  ];
  const message = expect.stringMatching(/no teams: they are kept in a database\. Start it with the option `database`/);
  for (const answer of refused) expect(answer).toEqual({ code: "NO_DATABASE", message });
});

it("Covers everything except the streams and the other acts", () => {
  const left = [...operations]
    .filter(([id, { path }]) => !called.has(id) && !path.startsWith("/_sandbox/acts/"))
    .map(([id]) => id);
  expect(left).toEqual(["openRelay", "streamActivity"]);
});
