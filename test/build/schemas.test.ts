// A schema that does not compile would let everything pass at run time; the build refuses it by name.
import { describe, expect, it } from "vitest";
import { problemsOfDocument, problemsOfOperations } from "../../src/build/schemas.mjs";

const document = (schemas: Record<string, unknown>, more: object = {}) => ({
  openapi: "3.1.0",
  jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
  components: { schemas },
  ...more,
});

const problems = (schemas: Record<string, unknown>, more?: object): string[] =>
  problemsOfDocument(document(schemas, more), "it").problems;

describe("The build refuses a document", () => {
  it.each([
    ["a pattern that is no expression", { type: "string", pattern: "(" }, /Booking.*Invalid regular expression/],
    ["an unknown type", { type: "text" }, /Booking is not a JSON Schema/],
    ["a misspelt keyword", { type: "string", maxlength: 3 }, /Booking does not compile.*maxlength/],
    ["an unknown format", { type: "string", format: "date_time" }, /Booking does not compile.*date_time/],
    ["a discriminator", { type: "object", discriminator: { propertyName: "kind" } }, /discriminator/],
    ["a reference to nothing", { $ref: "#/components/schemas/Gone" }, /Booking does not compile.*Gone/],
  ])("with %s", (_fault, schema, sentence) => {
    expect(problems({ Booking: schema }).join("\n")).toMatch(sentence);
  });

  it("with a problem in the schema of a query parameter", () => {
    const limit = { name: "limit", in: "query", schema: { type: "integer", minimum: "1" } };
    const paths = { "/v1/bookings": { get: { parameters: [limit] } } };
    expect(problems({}, { paths }).join("\n")).toContain("it#/paths/~1v1~1bookings/get/parameters/0/schema");
  });

  it("without the dialect that Prism needs", () => {
    expect(problems({}, { jsonSchemaDialect: undefined })).toEqual([expect.stringContaining("jsonSchemaDialect")]);
  });
});

it("The build takes annotations, extensions, unions and schemas that contain themselves", () => {
  const Booking = {
    type: "object",
    "x-assumption": "anything",
    properties: {
      example: { type: ["string", "null"], deprecated: true, readOnly: true, examples: ["a"], example: "a" },
      children: { type: "array", items: { $ref: "#/components/schemas/Booking" } },
    },
  };
  expect(problems({ Booking })).toEqual([]);
});

it("The build refuses an operation that Prism could not compile", () => {
  const body = { contents: [{ schema: { type: "string", pattern: "[" } }] };
  const found = problemsOfOperations([{ iid: "createBooking", request: { body }, responses: [] }], "operations");
  expect(found).toEqual([expect.stringContaining("createBooking request/body/contents/0")]);
});
