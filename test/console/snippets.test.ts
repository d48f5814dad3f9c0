// What the console copies of a request or an act, for a shell, a test and a scenario.

import { expect, it } from "vitest";
import { parse } from "yaml";
import type { RequestEntry } from "../../src/console/entries.ts";
import { actOf, curlOf, testOf } from "../../src/console/story/snippets.ts";
import { actStepOf, stepOf } from "../../src/console/story/steps.ts";
import { act, request } from "./entries.ts";

const AUTHORIZED = { authorization: "[redacted]" };
const CREATE = {
  ...request(1),
  request: {
    headers: { "content-type": "application/json", ...AUTHORIZED, "accept-language": "da" },
    query: {},
    body: { event_id: "evt-1", customer: { name: "Anna O'Neill" } },
  },
};
const GET = {
  ...request(2, { method: "GET", path: "/v1/bookings/bkg%2F1", operation: "getBooking", status: 200 }),
  request: { headers: AUTHORIZED, query: { expand: "event" }, body: null },
};

it("For a shell: the address and the token by their variables, every other value quoted", () => {
  expect(curlOf(CREATE)).toBe(
    `curl -s -X POST "$SANDBOX_URL"'/v1/bookings' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -H 'accept-language: da' \\
  --data-raw '{"event_id":"evt-1","customer":{"name":"Anna O'\\''Neill"}}'`,
  );
  const read = (target: string) => `curl -s "$SANDBOX_URL"'${target}' \\\n  -H "Authorization: Bearer $TOKEN"`;
  expect(curlOf(GET)).toBe(read("/v1/bookings/bkg%2F1?expand=event"));
  expect(curlOf({ ...GET, path: "/v1/bookings?expand=event" })).toBe(read("/v1/bookings?expand=event"));
});

it("For a test: a token of the world, the request, and what came then", () => {
  expect(testOf(CREATE).split("\n")).toEqual([
    'const { default: assert } = await import("node:assert/strict");',
    `const response = await fetch(\`\${world.url}/v1/bookings\`, {`,
    '  method: "POST",',
    `  headers: { "authorization": \`Bearer \${await world.token()}\`, "content-type": "application/json", "accept-language": "da" },`,
    "  body: JSON.stringify({",
    '    "event_id": "evt-1",',
    '    "customer": {',
    `      "name": "Anna O'Neill"`,
    "    }",
    "  }),",
    "});",
    "assert.equal(response.status, 201);",
  ]);
  expect(
    testOf({ ...CREATE, status: 409, code: "NOT_ENOUGH_RESOURCES" })
      .split("\n")
      .slice(-2),
  ).toEqual([
    "assert.equal(response.status, 409);",
    'assert.equal((await response.json()).code, "NOT_ENOUGH_RESOURCES");',
  ]);
});

it("For a scenario: one step, with the ids of the path by their names", () => {
  expect(parse(stepOf(GET, { path: "/v1/bookings/{booking_id}" }) ?? "")).toEqual([
    {
      name: "get booking 2",
      call: "getBooking",
      with: { booking_id: "bkg/1" },
      query: { expand: "event" },
      expect: { status: 200 },
    },
  ]);
  expect(parse(actStepOf({ ...act(3, "done"), input: { event_id: "e" } }))).toEqual([
    { name: "cancel event 3", act: "cancelEvent", with: { event_id: "e" } },
  ]);
  expect(parse(actStepOf({ ...act(3, "refused"), code: "NOT_FOUND", input: { event_id: `\${e}` } }))).toEqual([
    {
      name: "cancel event is refused 3",
      act: "cancelEvent",
      with: { event_id: `$\${e}` },
      expect: { code: "NOT_FOUND" },
    },
  ]);
});

it("For a scenario: what no step can send has none", () => {
  const withBody = (body: unknown): RequestEntry => ({ ...CREATE, request: { ...CREATE.request, body } });
  const token: RequestEntry = { ...CREATE, operation: "createToken" };
  const all = [withBody("{"), withBody([1]), { ...CREATE, method: "OPTIONS", operation: null }, token];
  expect(all.map((entry) => stepOf(entry, undefined))).toEqual(all.map(() => undefined));
});

it("An act or a trigger, as a command", () => {
  expect(actOf({ ...act(3, "done"), input: { note: "it's off" } })).toBe(
    `npx --no-install sandbox act cancelEvent --set 'note=it'\\''s off'`,
  );
  const trigger = { ...act(4, "done"), act: "trigger v1.booking.created", world: "w-2" };
  const input = { kind: "v1.booking.created", set: { event_id: "evt-1" } };
  expect([actOf({ ...trigger, input }), actOf({ ...trigger, input: { kind: input.kind } })]).toEqual([
    "npx --no-install sandbox trigger v1.booking.created --set event_id=evt-1 --world w-2",
    "npx --no-install sandbox trigger v1.booking.created --world w-2",
  ]);
  // More members than that an act takes as a whole; a trigger takes each.
  const set = Object.fromEntries([..."abcdefghi"].map((name) => [name, 1]));
  expect(actOf({ ...trigger, input: { ...input, set } }).match(/--set/g)).toHaveLength(9);
  expect(actOf({ ...act(3, "done"), input: set })).toBe(
    `npx --no-install sandbox act cancelEvent --data '${JSON.stringify(set)}'`,
  );
});
