// What the sandbox says of itself without a token.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openHouse, routes, type TestHouse } from "../house.ts";
import { send } from "./http-kit.ts";

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ fixture: "empty" });
});
afterAll(() => house.close());

it("The specification is served as JSON and as YAML, with this sandbox as its only server", async () => {
  const [json, yaml] = [await send(house, "/openapi.json"), await send(house, "/openapi.yaml")];
  expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  expect(json.body.servers).toEqual([{ url: house.url }]);
  expect(parse(yaml.text)).toEqual(json.body);
  const ids = Object.values(json.body.paths).flatMap((item) =>
    Object.values(item as Record<string, { operationId?: string }>).map(({ operationId }) => operationId),
  );
  expect(ids.filter(Boolean).sort()).toEqual([...routes.keys()].sort());
});

it("The control surface describes itself", async () => {
  const { body } = await send(house, "/_sandbox/openapi.json");
  expect(body.servers).toEqual([{ url: house.url }]);
  expect(body.paths).toHaveProperty("/_sandbox/acts/cancelBooking");
});

it("It is well", async () => {
  expect((await send(house, "/healthz")).body).toEqual({ status: "ok" });
});

describe("HEAD", () => {
  it.each([
    "/openapi.json",
    "/openapi.yaml",
    "/healthz",
    "/.well-known/openid-configuration",
    "/_sandbox/openapi.json",
    "/_sandbox/stream",
  ])("of %s has no body", async (path) => {
    const answer = await send(house, path, { method: "HEAD" });
    expect([answer.status, answer.text]).toEqual([200, ""]);
  });
});

it("The operations are listed with their scopes and labels, and without the metadata documents", async () => {
  const { items } = (await send(house, "/_sandbox/operations")).body;
  expect(items).toHaveLength(38);
  expect(items).toContainEqual({
    operation_id: "createBooking",
    method: "POST",
    path: "/v1/bookings",
    scopes: ["booking.write"],
    maturity: "alpha",
  });
  expect(items).toContainEqual({
    operation_id: "createToken",
    method: "POST",
    path: "/oauth2/token",
    scopes: [],
    maturity: "stable",
  });
});

it("The metrics are Prometheus text", async () => {
  const world = await house.world({ fixture: "empty" });
  await world.call("getMe");
  const { headers, text } = await send(house, "/_sandbox/metrics");
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(text).toContain(`sandbox_journal_requests{world="${world.id}"} 2\n`);
  for (const line of text.trimEnd().split("\n")) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? \d+(\.\d+)?(e[+-]\d+)?)$/,
    );
  }
});
