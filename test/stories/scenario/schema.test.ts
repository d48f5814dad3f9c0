// The schema of scenarios, which editors complete from, knows the verbs and the matchers. What it has from the specifications is made of
// them (test/docs/scenario-schema.ts).
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/platform/json.ts";
import { matchers } from "../../../src/stories/scenario/match.ts";
import { listAllowedNames } from "../../../src/stories/scenario/schema.ts";
import { verbs } from "../../../src/stories/scenario/steps/index.ts";

test("verbs and matchers", () => {
  const schema = JSON.parse(readFileSync("spec/scenario.schema.json", "utf8")) as JsonObject & { $defs: JsonObject };
  expect(listAllowedNames("Verb")).toEqual(verbs.map(({ name }) => name));
  for (const name of Object.keys(matchers)) expect(JSON.stringify(schema.$defs.Expect)).toContain(name);
});
