// The schema of scenarios, which editors complete from, knows the names that the specifications know.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import control from "../../src/generated/control.json" with { type: "json" };
import openapi from "../../src/generated/openapi.json" with { type: "json" };
import { matchers } from "../../src/scenario/match.ts";
import { operationsOf } from "../../src/scenario/operations.ts";
import type { JsonObject } from "../../src/scenario/scenario.ts";
import { namesOf } from "../../src/scenario/schema.ts";
import { verbs } from "../../src/scenario/steps/index.ts";

interface Document extends JsonObject {
  webhooks: JsonObject;
  components: { securitySchemes: { oauth2: { flows: { clientCredentials: { scopes: JsonObject } } } } };
}
const document = openapi as unknown as Document;
const sorted = (names: Iterable<string>) => [...names].sort();

test("operations", () => {
  expect(sorted(namesOf("Operation"))).toEqual(sorted(operationsOf(document).keys()));
});

test("acts", () => {
  const acts = Object.keys(control.paths as JsonObject).flatMap(
    (path) => /^\/_sandbox\/acts\/(\w+)$/.exec(path)?.[1] ?? [],
  );
  expect(sorted(namesOf("Act"))).toEqual(sorted(acts));
});

test("webhook kinds", () => {
  expect(sorted(namesOf("Kind"))).toEqual(sorted(Object.keys(document.webhooks)));
});

test("scopes", () => {
  const { scopes } = document.components.securitySchemes.oauth2.flows.clientCredentials;
  expect(sorted(namesOf("Scope"))).toEqual(sorted(Object.keys(scopes)));
});

test("verbs and matchers", () => {
  const schema = JSON.parse(readFileSync("spec/scenario.schema.json", "utf8")) as JsonObject & { $defs: JsonObject };
  expect(namesOf("Verb")).toEqual(verbs.map(({ name }) => name));
  for (const name of Object.keys(matchers)) expect(JSON.stringify(schema.$defs.Expect)).toContain(name);
});
