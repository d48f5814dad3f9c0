// How a 400 tells what is wrong: a message that names every place, what was expected and what came; and the same list as a header.
import { beforeAll, describe, expect, it } from "vitest";
import { shareSandbox, type TestWorld } from "../../sandbox.ts";
import { booking, send, violationsOf } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
let token: string;
beforeAll(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
});

const book = (body: object) => send(sandbox, "/v1/bookings", { token, body });

it("A request with many errors gets one response with all of them", async () => {
  const answer = await book({
    customer: { customer_type: "COMPANY", email: "no", address: { address_lines: [], city: 7, country: "dk" } },
    locale: "danish",
    items: [{ type_id: "a", item_type: "SEAT", quantity: 0 }],
    metadata: { note: "x".repeat(501), ["k".repeat(41)]: "v" },
  });
  expect(answer.status).toBe(400);
  const paths = violationsOf(answer).map(({ location }) => location.join("."));
  expect([...new Set(paths)].sort()).toEqual(
    [
      "body.event_id",
      "body.customer.name",
      "body.customer.company_name",
      "body.customer.email",
      "body.customer.address.address_lines",
      "body.customer.address.city",
      "body.customer.address.country",
      "body.customer.address.zip_code",
      "body.locale",
      "body.items.0.item_type",
      "body.items.0.quantity",
      "body.metadata",
      "body.metadata.note",
    ].sort(),
  );
  for (const { message, severity } of violationsOf(answer)) {
    expect(severity).toBe("Error");
    expect(answer.body.message).toContain(message);
  }
});

it("Violations in the query and in headers are listed together", async () => {
  const answer = await world.call("listExperiences", { query: "limit=0", headers: { "accept-language": "" } });
  expect(violationsOf(answer).map(({ location }) => location.join("."))).toEqual([
    "header.Accept-Language",
    "query.limit",
  ]);
  expect(answer.body.message).toBe('header.Accept-Language is required. query.limit must be >= 1; it is "0".');
});

it("A header whose value a rule rejects is listed", async () => {
  const answer = await world.call("listExperiences", { headers: { "accept-language": "da;q=9" } });
  expect(violationsOf(answer).map(({ location }) => location)).toEqual([["header", "Accept-Language"]]);
});

it("A query parameter is listed with its spelling in the specification", async () => {
  const answer = await world.call("listEventAvailabilities");
  expect(answer.body.message).toBe("query.experienceId is required.");
});

describe("The message contains the received value:", () => {
  it.each([
    ["a number", { locale: 7 }, "body.locale must be string; it is 7."],
    ["null", { items: null }, "body.items must be array; it is null."],
    ["an empty list", { items: [] }, "body.items must not be empty; it is []."],
    ["an empty text", { event_id: "" }, 'body.event_id must not be empty; it is "".'],
    ["nothing", { event_id: undefined }, "body.event_id is required."],
    ["a long text, cut", { locale: "x".repeat(500) }, `it is "${"x".repeat(58)}….`],
    ["a key with a slash and a tilde", { metadata: { "a/b~c": 1 } }, "body.metadata.a/b~c must be string; it is 1."],
    [
      "a key that is too long",
      { metadata: { ["k".repeat(41)]: "v" } },
      `body.metadata: the key "${"k".repeat(41)}" must have at most 40 characters.`,
    ],
    [
      "a very long key, cut",
      { metadata: { ["k".repeat(900)]: "v" } },
      `body.metadata: the key "${"k".repeat(58)}… must have at most 40 characters.`,
    ],
    ["half a surrogate", { locale: "\ud800" }, 'it is "\\ud800".'],
  ])("%s", async (_, change, sentence) => {
    expect((await book({ ...booking, ...change })).body.message).toContain(sentence);
  });
});

it("Each key that is too long is listed once", async () => {
  const metadata = { ["a".repeat(41)]: "v", fits: "v", ["b".repeat(41)]: "v", ["😀".repeat(40)]: "v" };
  expect((await book({ ...booking, metadata })).body.message).toBe(
    ["a", "b"].map((key) => `body.metadata: the key "${key.repeat(41)}" must have at most 40 characters.`).join(" "),
  );
});

describe("The header is ASCII JSON of at most 4 KiB", () => {
  it.each([
    ["with letters beyond ASCII", { locale: "Straße — 東京 😀" }],
    ["with control characters", { locale: "a\r\nset-cookie: b=1\u0000\u007f" }],
    ["with very many violations", { items: Array.from({ length: 300 }, () => 0) }],
    ["with a very long key", { metadata: { ["ключ".repeat(20_000)]: 1 } }],
    [
      "with many long keys",
      { metadata: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}${"é".repeat(300)}`, 1])) },
    ],
  ])("%s", async (_, change) => {
    const answer = await book({ ...booking, ...change });
    const header = answer.headers["sandbox-violations"] ?? "";
    expect(answer.status).toBe(400);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(header.length).toBeLessThanOrEqual(4096);
    expect(violationsOf(answer).length).toBeGreaterThan(0);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.text.length).toBeLessThan(64_000);
  });
});

it("A 400 of a rule has the header too, with the path at the start of its message", async () => {
  const cursor = await world.call("listBookings", { query: { cursor: "made-up" } });
  expect([cursor.status, cursor.body.code]).toEqual([400, "BAD_REQUEST"]);
  expect(violationsOf(cursor)).toEqual([
    { location: ["query", "cursor"], code: expect.any(String), message: cursor.body.message, severity: "Error" },
  ]);
  const unknown = await book(booking);
  expect([unknown.body.code, violationsOf(unknown)[0]?.code]).toEqual(["EVENT_NOT_FOUND", "EVENT_NOT_FOUND"]);
});

describe("A cursor is rejected", () => {
  it.each([
    ["x"],
    ["a".repeat(20_000)],
    ["__proto__"],
    ["%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00%00bnVsbA"],
    ["null"],
    ["😀".repeat(30)],
  ])("%s", async (cursor) => {
    const answer = await send(sandbox, `/v1/bookings?cursor=${encodeURI(cursor)}`, { token });
    expect([answer.status, answer.body.code]).toEqual([400, "BAD_REQUEST"]);
  });
});

it("The violations are in the journal too", async () => {
  const answer = await book({ ...booking, locale: 7 });
  const { body } = await world.control("get", `requests/${answer.headers["sandbox-request-id"]}`);
  expect(body.violations).toEqual(violationsOf(answer));
});
