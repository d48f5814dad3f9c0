// The quick yes, the no in words and Prism give the same verdict: over a large generated set of valid and invalid requests to every
// operation, whatever the quick path takes, the other two take too, and what they refuse the quick path never takes.
import { validateInput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import controlOperations from "../../../src/contract/generated/control-operations.json" with { type: "json" };
import operations from "../../../src/contract/generated/operations.json" with { type: "json" };
import type { Exchange, Route } from "../../../src/engine/http/exchange.ts";
import { plainlyFits } from "../../../src/engine/http/fast-validators.ts";
import { looseNumbers, parametersOf } from "../../../src/engine/http/parameters.ts";
import { routesOf } from "../../../src/engine/http/router.ts";
import { violationsOf } from "../../../src/engine/http/violations.ts";
import { extent } from "../../extent.ts";

const routes = [...routesOf(operations, false), ...routesOf(controlOperations, true)].filter(
  ({ id }) => id !== "createToken",
);

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
        parametersOf(route.operation, path).map(({ name }) => [
          name,
          fc.constantFrom(...TEXTS.slice(1), "7", "100", "501", "ACTIVE,MOVED", "-created_at", "de;q=0.5"),
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
        parametersOf(route.operation, "path").map(({ name }) => [
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

/** Whether Prism refuses; it takes a date-time that RFC 3339 does not, which none of these requests has. */
function prismRefuses(exchange: Exchange, resource: IHttpOperation): boolean {
  const { method, path, query, headers, body } = exchange;
  const element = { method: method.toLowerCase(), url: { path, query }, headers, body };
  const verdict = validateInput({ resource, element: structuredClone(element) as never }) as unknown;
  const { _tag, left } = verdict as { _tag: string; left: { severity: number }[] };
  return _tag === "Left" && left.some(({ severity }) => severity === 0);
}

describe("The quick yes, the no in words and Prism agree about", () => {
  it.each(routes.map((route) => [route.id, route] as const))("%s", (_id, route) => {
    let yes = 0;
    let no = 0;
    const runs = extent(8, 60, 800);
    fc.assert(
      fc.property(requestOf(route), (exchange) => {
        const quick = looseNumbers(exchange.query, route.operation).length === 0 && plainlyFits(exchange, route);
        const fits = violationsOf(structuredClone(exchange), route.operation).count === 0;
        const prism = !prismRefuses(exchange, route.operation);
        if (quick) expect([fits, prism]).toEqual([true, true]);
        if (looseNumbers(exchange.query, route.operation).length === 0) expect(fits).toBe(prism);
        if (quick) yes++;
        if (!fits) no++;
      }),
      { numRuns: runs, seed: 20300601 },
    );
    expect(yes + no).toBeGreaterThan(0);
  });

  it("the example of every body", () => {
    for (const route of routes) {
      const content = route.operation.request?.body?.contents?.[0];
      for (const each of (content?.examples ?? []) as { value?: unknown }[]) {
        const params = Object.fromEntries(parametersOf(route.operation, "path").map(({ name }) => [name, "id"]));
        const headers = { "accept-language": "en" };
        const { method, path } = route.operation;
        const sent = { method, path: path.replace(/[{}]/g, ""), body: each.value, raw: Buffer.from("x") };
        const exchange = { query: {}, params, headers, ...sent } as unknown as Exchange;
        const fits = violationsOf(structuredClone(exchange), route.operation).count === 0;
        expect([route.id, plainlyFits(exchange, route)]).toEqual([route.id, fits]);
      }
    }
  });
});
