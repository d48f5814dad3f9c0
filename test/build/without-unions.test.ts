// A union of the specification as the validators have it: it takes what the document takes and refuses what the document refuses, with the
// errors of the alternative that the tag names only.
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import { withoutUnions } from "../../src/contract/document/without-unions.mjs";
import openapi from "../../src/contract/generated/openapi.json" with { type: "json" };
import { unions } from "../examples/generated-clients/unions.js";

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(openapi, "union").addSchema(withoutUnions(openapi), "object");

const fits = (made: string, name: string, value: unknown) => {
  const validate = ajv.getSchema(`${made}#/components/schemas/${name}`);
  if (!validate) throw new Error(`There is no ${name}.`);
  return validate(value) ? [] : (validate.errors ?? []);
};

const named = Object.entries(unions.openapi as Record<string, { accepted: unknown[]; refused: unknown[] }>);

it.each(named)("%s and its merged object accept and reject the same values", (name, { accepted, refused }) => {
  for (const value of accepted) expect([fits("union", name, value), fits("object", name, value)]).toEqual([[], []]);
  for (const value of refused) {
    expect(fits("union", name, value)).not.toEqual([]);
    const reported = fits("object", name, value).filter(({ keyword }) => keyword !== "if");
    expect(reported).not.toEqual([]);
    expect(reported.filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf")).toEqual([]);
  }
});

it("leaves no alternative and no discriminator in the copy", () => {
  expect(JSON.stringify(withoutUnions(openapi))).not.toMatch(/"discriminator"|PrivateCustomer/);
  expect(JSON.stringify(openapi)).toMatch(/"discriminator"/);
});

it("merges a union of different types into one schema of several types, and keeps other unions", () => {
  const made = (oneOf: object[]) => withoutUnions({ components: { schemas: { A: { description: "A.", oneOf } } } });
  expect(
    made([
      { type: "integer", minimum: 0 },
      { type: "object", required: ["value"] },
    ]),
  ).toEqual({
    components: {
      schemas: { A: { description: "A.", type: ["integer", "object"], minimum: 0, required: ["value"] } },
    },
  });
  const alike = [{ type: "integer" }, { type: "number" }];
  expect(made(alike)).toEqual({ components: { schemas: { A: { description: "A.", oneOf: alike } } } });
});
