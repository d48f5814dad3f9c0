// Whatever comes, to every operation of the service and of the control surface: a documented answer in the documented form, never
// a failure of ours. Answers are checked against the specification by the server itself, which says 500 where one breaks it.
import type { IHttpOperation } from "@stoplight/types";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Schemas } from "../../../src/contract/schemas.ts";
import type { Route } from "../../../src/engine/http/exchange.ts";
import { allRoutes } from "../../../src/engine/http/routes.ts";
import { extent } from "../../extent.ts";
import { anna, routes, shareSandbox, type TestWorld } from "../../sandbox.ts";
import { send, stateOf } from "./http-kit.ts";

const RUNS = extent(2, 10, 100);
const SEED = 20300601;

const sandbox = shareSandbox({ fixture: "harbour-tours" });
let world: TestWorld;
let token: string;
/** Ids that exist, by the name of the path parameter. */
const ids: Record<string, string[]> = {};
/** A booking that would succeed. */
let booking: unknown;

const COLLECTIONS: Record<string, string> = {
  bookingId: "bookings",
  experienceId: "experiences",
  eventId: "events",
  orderId: "orders",
  giftCardId: "giftCards",
  locationId: "locations",
  consentId: "consents",
  journalEntryId: "entries",
};

beforeAll(async () => {
  world = await sandbox.world({ fixture: "harbour-tours" });
  token = await world.token();
  const { collections } = (await world.control("get", "state")).body;
  for (const [name, collection] of Object.entries(COLLECTIONS)) {
    ids[name] = Object.values(collections[collection] as { id: string }[]).map(({ id }) => id);
  }
  const body = { url: "http://127.0.0.1:9/", event_types: ["v1.booking.created"], state: "DISABLED" };
  ids.subscriptionId = [(await world.call("createWebhookSubscription", { body })).body.id];
  const path = { experienceId: "exp-canal" };
  ids.availabilityId = (await world.call("listAvailabilities", { path })).body.items.map(
    ({ id }: { id: string }) => id,
  );
  const [variant] = (await world.call("listTicketVariants", { path })).body.items;
  const items = [{ type_id: variant.id, item_type: "VARIANT", quantity: 1 }];
  booking = { event_id: "evt-tomorrow-evening", customer: anna, locale: "da", items, metadata: { note: "x" } };
});

const odd = fc.constantFrom(
  "",
  " ",
  "0",
  "-1",
  "1e1",
  "null",
  "undefined",
  "NaN",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "toString",
  "\u0000",
  "😀",
  "%",
  "../..",
  "2030-02-30T25:00:00Z",
  "2030-06-01T09:00:00Z",
  "+created_at",
  "ACTIVE,",
  "*",
  "da;q=2",
  "9".repeat(30),
  "x".repeat(3000),
);
const text = fc.oneof(odd, fc.string({ unit: "binary", maxLength: 20 }), fc.integer().map(String));
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 53, 1e308, "", [], {}),
  odd,
  fc.jsonValue({ maxDepth: 3 }),
);

interface Question {
  path: string;
  query: string;
  headers: Record<string, string>;
  body?: unknown;
}

/** Any path, query, headers and body for an operation; about half of them close to what is documented. */
function requestedOf({ operation }: Route): fc.Arbitrary<Question> {
  const { request } = operation;
  const names = (request?.query ?? [])
    .map(({ name }) => name)
    .filter((name) => name !== "wait_for" && name !== "timeout");
  const language = (request?.headers ?? []).some(({ name }) => name.toLowerCase() === "accept-language");
  return fc.record({
    path: pathOf(operation),
    query: fc
      .uniqueArray(fc.tuple(names.length > 0 ? fc.constantFrom(...names) : text, text), { maxLength: 4 })
      .map((pairs) => new URLSearchParams(pairs).toString()),
    headers: language
      ? fc.constantFrom("da", "*", "en;q=0", "fr", ",", "x-", "da;q=x").map((value) => ({ "accept-language": value }))
      : fc.constant({}),
    ...(request?.body ? { body: bodyOf(operation) } : {}),
  }) as fc.Arbitrary<Question>;
}

function pathOf({ path }: IHttpOperation): fc.Arbitrary<string> {
  const segments = path.split("/").map((segment) => {
    if (!segment.startsWith("{")) return fc.constant(segment);
    const known = ids[segment.slice(1, -1)] ?? [];
    const strange = text.map((value) => encodeURIComponent(wellFormed(value)).replace(/^\.*$/, "x"));
    return known.length > 0 ? fc.oneof(fc.constantFrom(...known).map(encodeURIComponent), strange) : strange;
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

const wellFormed = (value: string): string => Buffer.from(value).toString();

/** The example of the specification with one place of it replaced, or anything at all. */
function bodyOf({ request, iid }: IHttpOperation): fc.Arbitrary<unknown> {
  const [shown] = (request?.body?.contents?.[0]?.examples ?? []) as { value?: unknown }[];
  const example = iid === "createBooking" ? booking : shown?.value;
  if (example === undefined) return leaf;
  const changed = fc
    .tuple(fc.constantFrom(...pathsIn(example)), leaf)
    .map(([place, value]) => replaced(example, place, value));
  return fc.oneof(changed, changed, leaf);
}

function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}

async function mustBeAnswered({ operation }: Route, { path, query, headers, body }: Question): Promise<void> {
  const answer = await send(sandbox, `${path}${query ? `?${query}` : ""}`, {
    method: operation.method.toUpperCase(),
    token,
    headers: { "sandbox-world": world.id, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const documented = operation.responses.map(({ code }) => code);
  expect(documented, answer.text.slice(0, 500)).toContain(String(answer.status));
  expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
  if (answer.status >= 400)
    expect(answer.body).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String) });
  if (answer.status === 400) expect(Array.isArray(JSON.parse(answer.headers["sandbox-violations"] ?? ""))).toBe(true);
}

function mustBeControlError({ path, parameter, violations = [], list, ...error }: Schemas["Error"]): void {
  expect(error).toEqual({ code: expect.stringMatching(/^[A-Z_]+$/), message: expect.any(String) });
  expect([path, parameter]).toEqual([violations[0]?.path, violations[0]?.parameter]);
  for (const { problem } of violations)
    if (problem !== "a value is required.") expect(error.message).toContain(problem);
  if (list !== undefined) expect(control.map(({ operation }) => `GET ${operation.path}`)).toContain(list);
}

const served = [...routes.values()].filter(({ operation }) => operation.path.startsWith("/v1"));
const control = allRoutes.filter((route) => route.control);
/** Those that answer in time only, or make so much that a test should not do it at random. */
const LEFT_OUT = [
  "streamActivity",
  "openRelay",
  "forkWorld",
  "deleteWorld",
  "getControlDocument",
  "getControlDocumentAsYaml",
  "getMetrics",
];

describe("Any input gets a documented response from", () => {
  it.each(served.map((route) => [route.id, route] as const))("%s", async (_, route) => {
    const property = fc.asyncProperty(requestedOf(route), (requested) => mustBeAnswered(route, requested));
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
  });
});

describe("Any input gets a response without a failure from the control API:", () => {
  it.each(control.filter(({ id }) => !LEFT_OUT.includes(id)).map((route) => [route.id, route] as const))(
    "%s",
    async (_, route) => {
      const property = fc.asyncProperty(requestedOf(route), async (requested) => {
        const answer = await send(sandbox, `${requested.path}${requested.query ? `?${requested.query}` : ""}`, {
          method: route.operation.method.toUpperCase(),
          headers: { "sandbox-world": world.id, "content-type": "application/json" },
          ...(requested.body === undefined ? {} : { body: JSON.stringify(requested.body) }),
        });
        expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
        if (answer.status >= 400) mustBeControlError(answer.body);
      });
      await fc.assert(property, { numRuns: Math.ceil(RUNS / 2), seed: SEED });
    },
  );
});

it("A rejected request changes nothing", async () => {
  const own = await sandbox.world({ fixture: "harbour-tours" });
  const key = await own.token();
  let before = await stateOf(own);
  const writes = served.filter(({ operation }) => operation.method !== "get");
  const property = fc.asyncProperty(
    fc.constantFrom(...writes).chain((route) => fc.tuple(fc.constant(route), requestedOf(route))),
    async ([route, asked]) => {
      const { status } = await send(sandbox, asked.path, {
        method: route.operation.method.toUpperCase(),
        token: key,
        headers: { "content-type": "application/json" },
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
      });
      const now = await stateOf(own);
      const changed = now !== before;
      before = now;
      expect(changed && status >= 400).toBe(false);
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: SEED });
});
