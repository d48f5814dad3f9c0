// What the kinds of record are called: every fact and every sentence about a record is of one of them, and no member names two.
import { expect, test } from "vitest";
import control from "../../../src/contract/generated/control.json" with { type: "json" };
import { collectionCalled, collectionNames, recordKinds } from "../../../src/engine/domain/kernel/record-kinds.ts";
import { names, table } from "../../../src/engine/world/state/schema.ts";
import { pointedAt } from "../../../src/platform/member-paths.ts";

test("every collection but the tokens is a kind, and is listed by an index that it has", () => {
  expect([...collectionNames, "tokens"].sort()).toEqual([...names].sort());
  for (const name of collectionNames) {
    const [index] = recordKinds[name].order ?? [];
    if (index) expect(Object.keys(table[name]), name).toContain(index);
  }
});

test("every fact is about a record of a kind", () => {
  const facts = pointedAt(control, "#/components/schemas/FactName/enum") as string[];
  expect(facts.length).toBeGreaterThan(40);
  for (const fact of facts)
    expect(collectionCalled((fact.split(".")[0] ?? "").replaceAll("_", " ")), fact).toBeDefined();
});

test("no word and no member is of two kinds", () => {
  const kinds = Object.values(recordKinds);
  for (const words of [kinds.flatMap(({ nouns = [] }) => nouns), kinds.flatMap(({ namedBy = [] }) => namedBy)])
    expect(new Set(words).size).toBe(words.length);
});
