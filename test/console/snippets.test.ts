// What the console copies of a request or an act, for a shell, a test and a scenario.

import { expect, it } from "vitest";
import { parse } from "yaml";
import { actOf, curlOf, stepOf, testOf } from "../../src/console/story/snippets.ts";
import { act, request } from "./entries.ts";

const CREATE = {
  ...request(1),
  request: {
    headers: { "Content-Type": "application/json", Authorization: "•••", "accept-language": "da" },
    query: {},
    body: { event_id: "evt-1", customer: { name: "Anna O'Neill" } },
  },
};
const GET = {
  ...request(2, { method: "GET", path: "/v1/bookings/bkg%2F1", operation: "getBooking", status: 200 }),
  request: { headers: {}, query: { expand: "event" }, body: null },
};

it("For a shell: the address and the token by their variables, every other value quoted", () => {
  expect(curlOf(CREATE)).toBe(
    `curl -s -X POST "$SANDBOX_URL"'/v1/bookings' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -H 'accept-language: da' \\
  -d '{"event_id":"evt-1","customer":{"name":"Anna O'\\''Neill"}}'`,
  );
  const read = (target: string) => `curl -s "$SANDBOX_URL"'${target}' \\\n  -H "Authorization: Bearer $TOKEN"`;
  expect(curlOf(GET)).toBe(read("/v1/bookings/bkg%2F1?expand=event"));
  expect(curlOf({ ...GET, path: "/v1/bookings?expand=event" })).toBe(read("/v1/bookings?expand=event"));
});

it("For a test: a token of the world, the request, and what came then", () => {
  expect(testOf(CREATE).split("\n")).toEqual([
    'const { default: assert } = await import("node:assert/strict");',
    "const token = await world.token();",
    `const response = await fetch(\`\${world.url}/v1/bookings\`, {`,
    '  method: "POST",',
    `  headers: {"authorization":\`Bearer \${token}\`,"Content-Type":"application/json","accept-language":"da"},`,
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
  expect(
    testOf({ ...CREATE, status: null })
      .split("\n")
      .at(-1),
  ).toBe("// Its answer was lost.");
});

it("For a scenario: one step, with the ids of the path by their names", () => {
  expect(parse(stepOf(GET, { method: "GET", path: "/v1/bookings/{booking_id}" }))).toEqual([
    { call: "getBooking", with: { booking_id: "bkg/1", expand: "event" }, expect: { status: 200 } },
  ]);
  expect(parse(stepOf({ ...act(3, "done"), input: { event_id: "e" } }, undefined))).toEqual([
    { act: "cancelEvent", with: { event_id: "e" } },
  ]);
});

it("An act, as a command", () => {
  expect(actOf("cancelEvent", { note: "it's off" })).toBe(
    `npx experience-sandbox act cancelEvent --data '{"note":"it'\\''s off"}'`,
  );
});
