// Compiles every schema of an OpenAPI document strictly. A schema that does not compile must fail the build: at run
// time Prism swallows the failure, and everything passes that schema unseen.
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";
/** Keywords of OpenAPI in a schema, which validate nothing. */
const ANNOTATIONS = ["example", "externalDocs", "xml"];

/** It names the member that tells the alternatives of a union apart. */
const discriminator = {
  keyword: "discriminator",
  compile(_, { oneOf }) {
    if (!Array.isArray(oneOf)) throw new Error("a discriminator stands beside oneOf");
    return () => true;
  },
};

/** The paths in an OpenAPI document that hold a schema, by their shape. */
const SCHEMA_POINTERS = [
  /^\/components\/schemas\/[^/]+$/,
  /\/(parameters|headers)\/[^/]+\/schema$/,
  /\/content\/[^/]+\/schema$/,
];

/** RFC 6901. */
const escaped = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
/** An example has any form, also that of a schema. A property may have the name `example`. */
const isExample = (pointer) => /\/(examples?|x-[^/]+)$/.test(pointer) && !/\/properties\/[^/]+$/.test(pointer);

/** Those that stand by themselves; what is inside one is compiled with it. */
function schemasOf(document) {
  const found = [];
  const visit = (node, pointer) => {
    if (node === null || typeof node !== "object" || isExample(pointer)) return;
    if (SCHEMA_POINTERS.some((pattern) => pattern.test(pointer))) return void found.push({ pointer, schema: node });
    for (const [key, value] of Object.entries(node)) visit(value, `${pointer}/${escaped(key)}`);
  };
  visit(document, "");
  return found;
}

/** Strict mode refuses a keyword that nobody has announced. */
function extensionsOf(schemas) {
  const names = new Set();
  const visit = (node) => {
    if (node === null || typeof node !== "object") return;
    for (const [key, value] of Object.entries(node)) {
      if (/^x-/.test(key)) names.add(key);
      visit(value);
    }
  };
  for (const { schema } of schemas) visit(schema);
  return [...names];
}

const dateTime = (text) => /^\d{4}-\d\d-\d\d/.test(text);

/** Returns one sentence per problem; none when the document is valid. */
export function problemsOfDocument(document, name) {
  const problems = [];
  if (document.jsonSchemaDialect !== DIALECT)
    problems.push(`${name}: jsonSchemaDialect must be ${DIALECT}, or Prism ignores newer keywords.`);
  const schemas = schemasOf(document);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
    validateSchema: false,
    logger: false,
  });
  addFormats(ajv);
  ajv.addVocabulary([discriminator, ...ANNOTATIONS, ...extensionsOf(schemas)]);
  const sound = schemas.filter(({ pointer, schema }) => {
    const isSchema = ajv.validateSchema(schema);
    if (!isSchema) problems.push(`${name}#${pointer} is not a JSON Schema: ${ajv.errorsText()}`);
    return isSchema;
  });
  // All are added before one is compiled, since they refer to each other.
  for (const { pointer, schema } of sound) ajv.addSchema(standingAlone(schema), idOf(pointer), false, false);
  for (const { pointer } of sound) tryTo(() => ajv.getSchema(idOf(pointer)), `${name}#${pointer}`, problems);
  return { problems, count: schemas.length };
}

const idOf = (pointer) => `schema:${encodeURIComponent(pointer)}`;

/** A copy with absolute references, so that it compiles without the document around it. */
function standingAlone(node) {
  if (node === null || typeof node !== "object") return node;
  if (Array.isArray(node)) return node.map(standingAlone);
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "$ref" ? named(value) : standingAlone(value)]),
  );
}

function named(reference) {
  const [, pointer, rest] = /^#(\/components\/schemas\/[^/]+)(\/.*)?$/.exec(reference) ?? [];
  return pointer ? `${idOf(pointer)}${rest ? `#${rest}` : ""}` : reference;
}

/** The same check for what Prism itself compiles: the converted operations, with Prism's own lenient options. */
export function problemsOfOperations(operations, name) {
  const problems = [];
  const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, allowMatchingProperties: true, logger: false });
  addFormats(ajv);
  ajv.addFormat("date-time", dateTime);
  for (const operation of operations) {
    const bundled = operation.__bundled__;
    const visit = (node, pointer) => {
      if (node === null || typeof node !== "object") return;
      if (node.schema && typeof node.schema === "object") {
        const { $id, id, ...schema } = node.schema;
        tryTo(
          () => ajv.compile({ ...schema, ...(bundled ? { __bundled__: bundled } : {}) }),
          `${name} ${operation.iid} ${pointer}`,
          problems,
        );
      }
      for (const [key, value] of Object.entries(node))
        if (key !== "schema" && key !== "examples") visit(value, `${pointer}/${key}`);
    };
    visit(operation.request, "request");
    visit(operation.responses, "responses");
  }
  return problems;
}

function tryTo(compile, at, problems) {
  try {
    compile();
  } catch (error) {
    problems.push(`${at} does not compile: ${error.message}`);
  }
}
