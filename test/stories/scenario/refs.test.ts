// References take values from earlier answers, with their types.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../../../src/platform/json.ts";
import { ReferenceTable as Recorded } from "../../../src/stories/recording/story-builder.ts";
import { findReferences, parseReference, ReferenceUnknown, resolve } from "../../../src/stories/scenario/refs.ts";

const memory = new Map<string, Json>([
  ["anna books", { status: 201, body: { id: "bkg-1", seats: 2, items: [{ id: "x" }, { id: "y" }] } }],
  ["anna books again", { body: { id: "bkg-2" } }],
  ["v1.0", { body: "dots" }],
  ["env", { NAME: "Bo" }],
]);

test("a text that is one reference becomes the value with its type", () => {
  expect(resolve({ n: `\${anna books.body.seats}`, all: `\${anna books.body.items}` }, memory)).toEqual({
    n: 2,
    all: [{ id: "x" }, { id: "y" }],
  });
});

test("elsewhere the value is inserted into the text", () => {
  expect(resolve(`id \${anna books.body.id}, \${anna books.body.seats} seats, \${env.NAME}`, memory)).toBe(
    "id bkg-1, 2 seats, Bo",
  );
});

test("items are referenced by position, in both notations", () => {
  expect(resolve([`\${anna books.body.items[1].id}`, `\${anna books.body.items.0.id}`], memory)).toEqual(["y", "x"]);
});

test("the longest matching step name is used, including dots", () => {
  expect(resolve(`\${anna books again.body.id}`, memory)).toBe("bkg-2");
  expect(resolve(`\${v1.0.body}`, memory)).toBe("dots");
  expect(parseReference("anna books.body", (name) => memory.has(name))).toEqual({
    name: "anna books",
    members: ["body"],
  });
});

test("a doubled dollar writes literal braces", () => {
  expect(resolve(`costs $\${five}`, memory)).toBe(`costs \${five}`);
  expect(findReferences(`$\${five} \${env.NAME}`)).toEqual([{ text: "env.NAME", path: [] }]);
});

test("an unknown path reports where it ended and the available names", () => {
  expect(() => resolve(`\${anna books.body.name}`, memory)).toThrow(ReferenceUnknown);
  expect(() => resolve(`\${anna books.body.name}`, memory)).toThrow(
    "anna books.body has no name; it has id, seats, items",
  );
  expect(() => resolve(`\${anna books.body.items.7}`, memory)).toThrow("items has no 7; it is a list of 2");
});

test("a word that is no number is no position in a list", () => {
  for (const word of ["oops", "1x", "0x1", "-"])
    expect(() => resolve(`\${anna books.body.items[${word}]}`, memory)).toThrow(ReferenceUnknown);
  expect(resolve(`\${anna books.body.items[-1].id}`, memory)).toBe("y");
});

test("any recorded text is read unchanged, and none of it is a reference", () => {
  const part = fc.oneof(fc.constantFrom("$", "{", "}", "${", "$${", `\${env.NAME}`, "env.NAME"), fc.string());
  const texts = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (text) => {
      const written = new Recorded(() => false).withReferences({ text, list: [text] });
      expect(findReferences(written)).toEqual([]);
      expect(resolve(written as Json, memory)).toEqual({ text, list: [text] });
    }),
  );
});

test.each([
  ["a cursor", "Zk-gi0PAdJgNPBgWyIyMDMw", true],
  ["a cursor that begins with a hyphen", "-zk-gi0PAdJgNPBgWyIyMDMw", true],
  ["an id", "8d8ea3758174b90cba3272621ec7d1ee", true],
  ["a date", "2030-06-01T09:00:00.000Z", false],
  ["a kind", "v1.booking.created", false],
  ["an order of a list", "-created_at", false],
  ["a name", "Guest 1 of the boat", false],
])("a recording refers to generated values: %s", (_, text, isNamed) => {
  const recorded = new Recorded(() => false);
  recorded.learn({ value: text }, "list.body");
  expect(recorded.withReferences({ cursor: text })).toEqual({ cursor: isNamed ? `\${list.body.value}` : text });
});
