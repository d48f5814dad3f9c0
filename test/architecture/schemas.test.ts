// Compiles every schema of both API descriptions strictly, with each alternative of an assumption too. At run time, Prism ignores a schema
// that does not compile, and accepts every value in its place.
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, it } from "vitest";
import control from "../../src/contract/generated/control.json" with { type: "json" };
import controlOperations from "../../src/contract/generated/control-operations.json" with { type: "json" };
import flips from "../../src/contract/generated/flips.json" with { type: "json" };
import openapi from "../../src/contract/generated/openapi.json" with { type: "json" };
import operations from "../../src/contract/generated/operations.json" with { type: "json" };
import { applyPatch } from "../../src/engine/http/in-force.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
const isSchemaPointer = (pointer: string) =>
  /^\/components\/schemas\/[^/]+$|\/(parameters|headers)\/[^/]+\/schema$|\/content\/[^/]+\/schema$/.test(pointer);
/** Examples can have any form, also that of a schema. A property can have the name `example`. */
const isExample = (pointer: string) => /\/(examples?|x-[^/]+)$/.test(pointer) && !/\/properties\/[^/]+$/.test(pointer);

function* findSchemas(node: unknown, pointer = ""): Generator<string> {
  if (typeof node !== "object" || node === null || isExample(pointer)) return;
  if (isSchemaPointer(pointer)) yield pointer;
  else
    for (const [key, value] of Object.entries(node))
      yield* findSchemas(value, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

function findProblems(document: object): string[] {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, validateSchema: false });
  addFormats(ajv);
  ajv.addKeyword({ keyword: "discriminator", dependencies: ["oneOf"] });
  const extensions = JSON.stringify(document).match(/(?<=")x-[\w-]+(?=":)/g) ?? [];
  // Ajv compiles the document itself too, so its fields are keywords.
  const keywords = ["example", "externalDocs", "xml", ...Object.keys(document), ...extensions];
  ajv.addVocabulary([...new Set(keywords)]);
  ajv.addSchema(document, "document");
  return [...findSchemas(document)].flatMap((pointer) => {
    try {
      const compiled = ajv.getSchema(`document#${encodeURI(pointer)}`);
      const isSchema = compiled && ajv.validateSchema(compiled.schema);
      return isSchema ? [] : `${pointer} is not a JSON Schema: ${ajv.errorsText()}`;
    } catch (error) {
      return `${pointer} does not compile: ${(error as Error).message}`;
    }
  });
}

// Alternatives without operations only change descriptions.
const alternatives = Object.entries(flips)
  .filter(([, { operations }]) => operations)
  .map(([name, { document }]) => [name, applyPatch(openapi, document) as object] as const);

it.each<readonly [string, object]>([["openapi.json", openapi], ["control.json", control], ...alternatives])(
  "compiles every schema of %s",
  (_name, document) => {
    expect(document).toMatchObject({ jsonSchemaDialect: DIALECT });
    expect(findProblems(document)).toEqual([]);
  },
);

it.each([
  ["an invalid pattern", { type: "string", pattern: "(" }, /Invalid regular expression/],
  ["an unknown type", { type: "text" }, /type/],
  ["an unknown keyword", { type: "string", maxlength: 3 }, /maxlength/],
  ["an unknown format", { type: "string", format: "date_time" }, /date_time/],
  ["a discriminator without oneOf", { type: "object", discriminator: { propertyName: "kind" } }, /discriminator/],
  ["an unknown reference", { $ref: "#/components/schemas/Gone" }, /Gone/],
])("finds %s", (_problem, schema, sentence) => {
  const found = findProblems({ paths: { "/v1/me": { parameters: [{ schema }] } } });
  expect(found).toEqual([expect.stringMatching(sentence)]);
});

type ConvertedOperation = { iid?: string; __bundled__?: unknown; request?: unknown; responses?: unknown };

/** Finds the schemas of a converted operation that don't compile with the options of Prism. */
function findOperationProblems({ iid, __bundled__, request, responses }: ConvertedOperation): string[] {
  const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, allowMatchingProperties: true, logger: false });
  addFormats(ajv);
  const visit = (node: unknown, path: string): string[] => {
    if (typeof node !== "object" || node === null) return [];
    const { schema, examples: _, ...members } = node as { schema?: { $id?: string; id?: string }; examples?: unknown };
    const { $id, id, ...body } = schema ?? {};
    const problems = Object.entries(members).flatMap(([name, member]) => visit(member, `${path}/${name}`));
    try {
      ajv.compile({ ...body, ...(__bundled__ ? { __bundled__ } : {}) });
      return problems;
    } catch (error) {
      return [`${path} does not compile: ${(error as Error).message}`, ...problems];
    }
  };
  return visit({ request, responses }, String(iid));
}

it.each(Object.entries({ operations, controlOperations }))("compiles every schema of %s", (_, converted) => {
  expect(converted.length).toBeGreaterThan(30);
  expect((converted as ConvertedOperation[]).flatMap(findOperationProblems)).toEqual([]);
});

it("finds a schema of a converted operation that does not compile", () => {
  const body = { contents: [{ schema: { type: "string", pattern: "[" } }] };
  expect(findOperationProblems({ iid: "createBooking", request: { body }, responses: [] })).toEqual([
    expect.stringContaining("createBooking/request/body/contents/0 does not compile"),
  ]);
});
