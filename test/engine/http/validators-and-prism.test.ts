// The compiled validators accept what Prism accepts, and a rejection is described exactly where Prism rejects: compared over generated
// valid and invalid requests to every operation, 50,000 of them in the long run.
import { validateInput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange, Route } from "../../../src/engine/http/exchange.ts";
import { findRejectedSections } from "../../../src/engine/http/fast-validators.ts";
import { listParameters } from "../../../src/engine/http/parameters.ts";
import { describeRejection } from "../../../src/engine/http/prism.ts";
import { allRoutes } from "../../../src/engine/http/routes.ts";
import { extent } from "../../extent.ts";

const routes = allRoutes.filter(({ id }) => id !== "createToken");

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
};

const TEXTS = [
  "",
  "a",
  "evt-evening",
  "da",
  "en-GB",
  "DK",
  "2030-06-01T09:00:00Z",
  "2030-06-01T09:00:00",
  "P3D",
  "anna@example.com",
  "a@b",
  "VARIANT",
  "ACTIVE",
  "STARTED",
  "0.25",
  "http://127.0.0.1:1/x",
  "1e1",
  "٣",
  "x".repeat(501),
];

const DIGITS = ["0", "7", "100", "501", "-1"];
const LISTS = ["ACTIVE,MOVED", "-created_at", "de;q=0.5"];

/** Values of the schema's shape, most of them right, some of them not. */
function wishOf(schema: Schema | undefined, depth = 0): fc.Arbitrary<unknown> {
  const anything = fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, "", "x", [], {}),
    fc.constantFrom(...TEXTS),
  );
  if (!schema || depth > 6) return anything;
  const right = rightOf(schema, depth);
  return fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: anything });
}

function rightOf(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const types = Array.isArray(schema.type)
    ? schema.type
    : schema.type
      ? [schema.type]
      : schema.properties
        ? ["object"]
        : ["string"];
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)));
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (type === "object") {
    const members = Object.entries(schema.properties ?? {}).map(
      ([name, member]) => [name, wishOf(member, depth + 1)] as const,
    );
    const required = fc.boolean().chain((whole) =>
      fc.record(Object.fromEntries(members), {
        requiredKeys: whole
          ? Object.keys(schema.properties ?? {})
          : ((schema.required ?? []).filter((name) => name in (schema.properties ?? {})) as never[]),
      }),
    );
    return required;
  }
  if (type === "array") return fc.array(wishOf(schema.items, depth + 1), { maxLength: 3 });
  if (type === "integer" || type === "number")
    return fc.oneof(
      fc.integer({ min: schema.minimum ?? -2, max: Math.min(schema.maximum ?? 2000, 1_000_000) }),
      fc.constantFrom(0, 101, 501, 1.5),
    );
  if (type === "boolean") return fc.boolean();
  if (type === "null") return fc.constant(null);
  const fitting = TEXTS.filter((text) => !schema.pattern || new RegExp(schema.pattern, "u").test(text));
  return fc.constantFrom(...(fitting.length > 0 ? fitting : TEXTS));
}

function requestOf(route: Route): fc.Arbitrary<Exchange> {
  const texts = (path: "query" | "path" | "headers") =>
    fc.record(
      Object.fromEntries(
        listParameters(route.operation, path).map(({ name, schema }) => [
          name,
          // Prism coerces 1e1 to a number, which a check of our own rejects.
          fc.constantFrom(...(schema?.type === "integer" ? DIGITS : [...TEXTS.slice(1), ...DIGITS, ...LISTS])),
        ]),
      ),
      { requiredKeys: [] as never[] },
    );
  const schema = route.operation.request?.body?.contents?.[0]?.schema as Schema | undefined;
  const body = schema ? fc.option(wishOf(schema), { nil: undefined, freq: 12 }) : fc.constant(undefined);
  return fc
    .record({ query: texts("query"), path: texts("path"), headers: texts("headers"), body })
    .map(({ query, path, headers, body: value }) => {
      const params = Object.fromEntries(
        listParameters(route.operation, "path").map(({ name }) => [
          name,
          String((path as Record<string, string>)[name] ?? "id"),
        ]),
      );
      const address = route.operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(params[name] ?? ""),
      );
      const lower = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]));
      const raw = value === undefined ? undefined : Buffer.from(JSON.stringify(value));
      const sent = raw ? { "content-type": "application/json", "content-length": String(raw.length) } : {};
      return {
        method: route.operation.method.toUpperCase(),
        path: address,
        query,
        params,
        headers: { ...lower, ...sent },
        body: value,
        raw,
      } as unknown as Exchange;
    });
}

/** Prism accepts a date-time with a space for the T, which none of these requests has. */
function isRejectedByPrism({ method, path, query, headers, body }: Exchange, resource: IHttpOperation): boolean {
  const element = { method: method.toLowerCase(), url: { path, query }, headers, body };
  const result = validateInput({ resource, element: structuredClone(element) as never }) as unknown;
  const { _tag, left } = result as { _tag: string; left: { severity: number }[] };
  return _tag === "Left" && left.some(({ severity }) => severity === 0);
}

const isRejected = (exchange: Exchange, route: Route): boolean => {
  const { violations, count } = describeRejection(exchange, route, findRejectedSections(exchange, route));
  expect(violations.length > 0).toBe(count > 0);
  for (const { location, message } of violations) expect(message.startsWith(location.join("."))).toBe(true);
  return count > 0;
};

describe("The compiled validators and Prism agree about", () => {
  it.each(routes.map((route) => [route.id, route] as const))("%s", async (_id, route) => {
    await fc.assert(
      fc.asyncProperty(requestOf(route), async (exchange) => {
        const before = structuredClone(exchange.body);
        expect(isRejected(exchange, route)).toBe(isRejectedByPrism(exchange, route.operation));
        expect(exchange.body).toEqual(before);
      }),
      { numRuns: extent(16, 60, 300), seed: 20300601 },
    );
  });

  it("the example of every body", async () => {
    for (const route of routes) {
      const content = route.operation.request?.body?.contents?.[0];
      for (const each of (content?.examples ?? []) as { value?: unknown }[]) {
        const params = Object.fromEntries(listParameters(route.operation, "path").map(({ name }) => [name, "id"]));
        const headers = { "accept-language": "en" };
        const { method, path } = route.operation;
        const sent = { method, path: path.replace(/[{}]/g, ""), body: each.value, raw: Buffer.from("x") };
        const exchange = { query: {}, params, headers, ...sent } as unknown as Exchange;
        expect([route.id, isRejected(exchange, route)]).toEqual([route.id, false]);
      }
    }
  });
});
