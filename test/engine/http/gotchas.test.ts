// Where the validators alone would let an error through, throw at it or word it badly.
import { beforeAll, describe, expect, it } from "vitest";
import { anna, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { booking, rawRequest, send, violationsOf } from "./http-kit.ts";

const sandbox = shareSandbox({ fixture: "empty" });
let world: TestWorld;
let token: string;
beforeAll(async () => {
  world = await sandbox.world({ fixture: "empty" });
  token = await world.token();
});

const bookings = (query: string) => send(sandbox, `/v1/bookings?${query}`, { token });
const book = (body: object) => send(sandbox, "/v1/bookings", { token, body });

describe("A number in a query is rejected", () => {
  it.each([
    ["with an exponent", "1e1"],
    ["in hexadecimal", "0x10"],
    ["between spaces", "%207%20"],
    ["with a plus", "%2B5"],
    ["with a fraction", "1.5"],
    ["with a fraction of nothing", "5.0"],
    ["in words", "abc"],
    ["in other digits", "%D9%A3"],
    ["as a list", "10,20"],
    ["when it is too long to be exact", "99999999999999999999"],
    ["below its range", "0"],
    ["above its range", "101"],
    ["below zero", "-1"],
    ["as infinity", "Infinity"],
    ["as nothing", "null"],
    ["with sixteen digits", "0000000000000001"],
  ])("%s", async (_, value) => {
    const answer = await bookings(`limit=${value}`);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe("BAD_REQUEST");
    expect(violationsOf(answer)).toHaveLength(1);
    expect(violationsOf(answer)[0]?.location).toEqual(["query", "limit"]);
    expect(answer.body.message).toMatch(/^query\.limit must .*; it is /);
  });

  it.each([["1"], ["100"], ["007"]])("but not as %s", async (value) => {
    expect((await bookings(`limit=${value}`)).status).toBe(200);
  });
});

describe("A list in a query", () => {
  it.each([
    ["status=ACTIVE,MOVED", 200],
    ["status=ACTIVE&status=MOVED", 400],
    ["status=&status=MOVED", 200],
    ["status=", 200],
    ["status=ACTIVE,", 400],
    ["status=,ACTIVE", 400],
    ["status=active", 400],
    ["status=PROCESSING", 400],
    ["status=UNKNOWN", 400],
    ["status=constructor", 400],
  ])("%s gets %i", async (query, status) => {
    expect((await bookings(query)).status).toBe(status);
  });

  it("reports the wrong element, and the received value", async () => {
    const answer = await bookings("status=ACTIVE,NEW");
    expect(violationsOf(answer).map(({ location }) => location)).toEqual([["query", "status", "1"]]);
    expect(answer.body.message).toMatch(/query\.status\.1 must be .*CHECKED_IN; it is "NEW"\./);
  });
});

describe("A sort", () => {
  it.each([
    ["%2Bcreated_at", 200],
    ["-updated_at", 200],
    ["created_at", 200],
    ["+created_at", 400],
    ["-number", 400],
    ["--created_at", 400],
    ["", 200],
  ])("%s gets %i", async (value, status) => {
    expect((await bookings(`sort=${value}`)).status).toBe(status);
  });
});

describe("A date-time", () => {
  it.each([
    ["2030-06-01T09:00:00Z", 200],
    ["2030-06-01T09:00:00.123456789%2B02:00", 200],
    ["2030-06-01t09:00:00z", 200],
    ["2030-06-01%2009:00:00Z", 400],
    ["2030-06-01T09:00:00%2B0200", 400],
    ["2030-06-01T09:00:00%2B02", 400],
    ["2030-06-01T09:00Z", 400],
    ["2030-06-01T09:00:61Z", 400],
    ["2030-06-01T23:59:60Z", 200],
    ["2030-06-01T09:00:00", 400],
    ["2030-06-01", 400],
    ["2030-13-01T00:00:00Z", 400],
    ["2030-02-30T00:00:00Z", 400],
    ["2030-06-01T24:00:00Z", 400],
    ["yesterday", 400],
  ])("%s gets %i", async (value, status) => {
    expect((await bookings(`from=${value}`)).status).toBe(status);
  });
});

describe("An undocumented query parameter", () => {
  it("is ignored, and noted in the journal", async () => {
    const answer = await bookings("colour=red&constructor=1&__proto__=2");
    expect(answer.status).toBe(200);
    const { body } = await world.control("get", `requests/${answer.headers["sandbox-request-id"]}`);
    expect(body.notes).toEqual(
      ["colour", "constructor", "__proto__"].map(
        (name) => `The query parameter ${name} is not documented and was ignored.`,
      ),
    );
  });

  it("is not noted as ignored if a violation rejects it", async () => {
    const answer = await bookings("limit[]=3&colour=red");
    expect(answer.status).toBe(400);
    const { body } = await world.control("get", `requests/${answer.headers["sandbox-request-id"]}`);
    expect(body.notes).toEqual(["The query parameter colour is not documented and was ignored."]);
  });

  it("is rejected and listed among the violations under that assumption", async () => {
    const strict = await sandbox.world({ fixture: "empty" });
    await strict.control("put", "assumptions", {
      "unknown-query": "refuse",
      "unknown-body-field": "refuse",
      "null-member": "null-is-absent",
    });
    const answer = await strict.call("listBookings", { query: "toString=1" });
    expect([answer.status, violationsOf(answer)[0]?.location]).toEqual([400, ["query", "toString"]]);
    expect((await strict.call("listBookings", { query: "colour=&colour=" })).status).toBe(200);
    const inBrackets = await strict.call("listBookings", { query: "status[]=ACTIVE" });
    expect([inBrackets.status, violationsOf(inBrackets).map(({ code }) => code)]).toEqual([400, ["brackets"]]);
    const absent = await strict.call("createBooking", { body: { ...booking, age: null } });
    expect(violationsOf(absent)[0]?.code).toBe("EVENT_NOT_FOUND");
    const written = await strict.call("createBooking", {
      body: { ...booking, customer: { ...anna, age: 4 }, constructor: 1 },
    });
    expect(violationsOf(written).map(({ location }) => location.join("."))).toEqual([
      "body.customer.age",
      "body.constructor",
    ]);
  });
});

it("An undocumented body field is ignored, and noted in the journal", async () => {
  const answer = await book({ ...booking, hasOwnProperty: 1, items: [{ ...booking.items[0], colour: "red" }] });
  expect(answer.body.code).toBe("EVENT_NOT_FOUND");
  const { body } = await world.control("get", `requests/${answer.headers["sandbox-request-id"]}`);
  expect(body.notes).toEqual(
    ["body.items.0.colour", "body.hasOwnProperty"].map((path) => `${path} is not documented and was ignored.`),
  );
});

describe("The content type of a body", () => {
  it.each([
    ["application/json", 400],
    ["application/json; charset=utf-8", 400],
    ['application/json;charset="UTF-8"', 400],
    ["APPLICATION/JSON", 400],
    ["application/json; profile=x", 400],
    ["application/json;", 400],
    ["application/json; charset=iso-8859-1", 415],
    ["application/vnd.x+json", 415],
    ["text/json", 415],
    ["text/plain", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application", 415],
    ["application/", 415],
    ["/json", 415],
    [";;;", 415],
    ["application/json, text/plain", 415],
  ])("%s gets %i, complete and in chunks", async (type, status) => {
    const body = JSON.stringify(booking);
    const headers = { authorization: `Bearer ${token}`, "content-type": type };
    const length = { ...headers, "content-length": `${Buffer.byteLength(body)}` };
    const chunked = { ...headers, "transfer-encoding": "chunked" };
    const size = Buffer.byteLength(body).toString(16);
    const answers = [
      await rawRequest(sandbox.url, "POST /v1/bookings", length, body),
      await rawRequest(sandbox.url, "POST /v1/bookings", chunked, `${size}\r\n${body}\r\n0\r\n\r\n`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(status);
      expect(answer.body.code).toBe(status === 415 ? "UNSUPPORTED_MEDIA_TYPE" : "EVENT_NOT_FOUND");
    }
  });

  it("is required with a body", async () => {
    const body = JSON.stringify(booking);
    const headers = { authorization: `Bearer ${token}`, "content-length": `${Buffer.byteLength(body)}` };
    const answer = await rawRequest(sandbox.url, "POST /v1/bookings", headers, body);
    expect([answer.status, answer.body.message]).toEqual([415, expect.stringContaining("of the request is none")]);
  });

  it.each([["application/json"], ["garbage"], ["text/plain; ;"], ["a/b/c"]])(
    "is ignored for a GET: %s",
    async (type) => {
      expect((await send(sandbox, "/v1/bookings", { token, headers: { "content-type": type } })).status).toBe(200);
    },
  );
});

describe("A required body", () => {
  it.each([["0"], ["false"], ['""'], ["null"], [""], ["5"], ['"text"'], ["[]"], ["true"]])(
    "is not %s",
    async (body) => {
      const answer = await send(sandbox, "/v1/bookings", {
        token,
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      expect([answer.status, violationsOf(answer)[0]?.location]).toEqual([400, ["body"]]);
    },
  );
});

describe("OPTIONS", () => {
  it.each([
    ["/v1/bookings", "GET, POST, HEAD, OPTIONS"],
    ["/v1/bookings/x", "GET, HEAD, OPTIONS"],
    ["/v1/webhook-subscriptions/x", "GET, PUT, DELETE, HEAD, OPTIONS"],
    ["/oauth2/token", "POST, OPTIONS"],
    ["/healthz", "GET, HEAD, OPTIONS"],
  ])("on %s returns %s", async (path, allow) => {
    const answer = await rawRequest(sandbox.url, `OPTIONS ${path}`);
    expect([answer.status, answer.headers.allow, answer.text]).toEqual([204, allow, ""]);
  });
});
