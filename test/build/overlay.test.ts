// What an alternative changes in the document: the actions of its overlay, and the patch that is made of them beforehand.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { applyOverlay, createPatch } from "../../src/build/assumptions.mjs";
import { omitProse, readOperations } from "../../src/build/operations.mjs";
import flips from "../../src/contract/generated/flips.json" with { type: "json" };
import openapi from "../../src/contract/generated/openapi.json" with { type: "json" };
import { applyPatch } from "../../src/engine/http/in-force.ts";
import { extent } from "../extent.ts";

const document = {
  paths: { "/v1/me": { get: { responses: { "200": { description: "You." }, "404": {} } }, put: {} } },
  components: { schemas: { Me: { required: ["id", "name"], properties: { id: { type: "string" } } } } },
};

describe("An overlay", () => {
  it("merges objects, appends to lists and replaces everything else", () => {
    const update = { required: ["email"], properties: { id: { type: "integer" }, email: {} } };
    expect(applyOverlay(document, [{ target: "$.components.schemas.Me", update }]).components.schemas.Me).toEqual({
      required: ["id", "name", "email"],
      properties: { id: { type: "integer" }, email: {} },
    });
  });

  it("removes matching fields and items, and does not change the original", () => {
    const before = structuredClone(document);
    const removed = applyOverlay(document, [
      { target: "$.paths['/v1/me'].*.responses['404']", remove: true },
      { target: "$.components.schemas.Me.required[0]", remove: true },
    ]);
    expect(removed.paths["/v1/me"].get.responses).toEqual({ "200": { description: "You." } });
    expect(removed.components.schemas.Me.required).toEqual(["name"]);
    expect(document).toEqual(before);
  });

  it.each([
    [{ target: "$.paths['/v1/you']", remove: true }, "The target $.paths['/v1/you'] matches nothing in the document."],
    [{ target: "paths.get", remove: true }, "The target paths.get is not a valid path."],
    [{ target: "$.paths..get", remove: true }, "The target $.paths..get is not a valid path."],
    [{ target: "$.paths" }, "The action on $.paths must have either update or remove: true."],
    [{ target: "$.paths", update: {}, remove: true }, "The action on $.paths must have either update"],
    [
      { target: "$.paths", merge: {} },
      "Unknown field merge of an action. Use one of: target, description, update, remove.",
    ],
  ])("with %j is rejected", (action, sentence) => {
    expect(() => applyOverlay(document, [action])).toThrow(sentence);
  });
});

describe("A patch", () => {
  it.each<[unknown, unknown]>([
    [{ a: 1, b: { c: 2 } }, { b: { c: 3, d: [1] } }],
    [{ required: ["a", "b"] }, { required: ["b"] }],
    [
      [{ code: "200" }, { code: "404", text: "gone" }],
      [{ code: "404", text: "away" }, { code: "409" }],
    ],
    [{ image: { type: "object", properties: { url: {} } } }, { image: { type: "string" } }],
    [[{ name: "limit" }, { name: "limit" }], [{ name: "limit" }]],
  ])("changes %j to the intended value", (before, after) => {
    const copy = structuredClone(before);
    expect(applyPatch(before, createPatch(before, after))).toEqual(after);
    expect(before).toEqual(copy);
  });
});

describe("Each overlay of an assumption", () => {
  const register = parse(
    readFileSync(fileURLToPath(new URL("../../spec/assumptions.yaml", import.meta.url)), "utf8"),
  ) as { id: string; alternatives: { value: string; overlay?: object[] }[] }[];
  const overlays = register.flatMap(({ id, alternatives }) =>
    alternatives.flatMap(({ value, overlay }) => (overlay ? [{ name: `${id}=${value}`, id, overlay }] : [])),
  );

  it.each(overlays)("$name matches the patch that the build created", ({ name, overlay }) => {
    expect(applyPatch(openapi, flips[name]?.document)).toEqual(applyOverlay(openapi, overlay));
  });

  it("changes the operations as Prism would read them, alone and combined", async () => {
    const byDefault = await readOperations(openapi);
    const otherwise = (taken: readonly { name: string }[]) =>
      byDefault.map((operation: Operation) =>
        taken.reduce((before, { name }) => {
          const patch = flips[name]?.operations?.[operation.iid];
          return patch === undefined ? before : (applyPatch(before, patch) as Operation);
        }, operation),
      );
    const first = overlays.filter(({ id }, index) => overlays.findIndex((other) => other.id === id) === index);
    const alone = overlays.filter((_, index) => index % extent(15, 4, 1) === 0);
    for (const taken of [...alone.map((one) => [one]), first]) {
      const document = taken.reduce<object>((before, { overlay }) => applyOverlay(before, overlay), openapi);
      expect(byCode(otherwise(taken))).toEqual(byCode(await readOperations(document)));
    }
  });

  interface Operation {
    iid: string;
    responses: { code: string }[];
  }
  const byCode = (operations: readonly Operation[]) =>
    operations.map(({ responses, ...rest }) => ({
      ...rest,
      responses: responses.toSorted((a, b) => a.code.localeCompare(b.code)),
    }));

  it("can be combined with every other, because no two change the same rule differently", () => {
    const clashes = overlays.flatMap((one, index) =>
      overlays
        .slice(index + 1)
        .filter(({ id }) => id !== one.id)
        .filter(({ name }) => clash(rules(one.name), rules(name)))
        .map(({ name }) => `${one.name} and ${name}`),
    );
    expect(clashes).toEqual([]);
  });

  const rules = (name: string) => omitProse(flips[name]?.operations);

  function clash(one: unknown, other: unknown): boolean {
    if (one === undefined || other === undefined) return false;
    if (!isObject(one) || !isObject(other)) return JSON.stringify(one) !== JSON.stringify(other);
    return Object.keys(one).some((name) => clash(one[name], other[name]));
  }
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
});
