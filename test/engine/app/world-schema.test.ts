// There is a schema in spec/world.yaml for each collection of an exported world; the types of records are made of them.
import { expect, it } from "vitest";
import generated from "../../../src/contract/generated/world-validators.js";
import { credentials, names } from "../../../src/engine/world/state/schema.ts";

it("each collection of an exported world has a schema", () => {
  const exported = names.filter((name) => !credentials.includes(name));
  expect(Object.keys(generated.given({})).sort()).toEqual([...exported].sort());
});
