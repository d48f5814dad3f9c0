// Compiles the schemas of Prism's operations to code, the fast validators. They use the same operations and options as Prism, so Prism
// accepts each request that they accept. If they reject a request, Prism validates it and describes its errors.
import { createRequire } from "node:module";
import { join } from "node:path";
import { _ } from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { root } from "./step.mjs";

const require = createRequire(import.meta.url);
const formats = require("./formats.cjs");
/** The options of Prism, except that validation stops at the first error, because Prism finds all errors. */
const PRISM_OPTIONS = { allowUnionTypes: true, allowMatchingProperties: true, strict: false, logger: false };

/** Creates an Ajv whose compiled code can be written to a file. */
function createAjv(options) {
  const ajv = new Ajv2020({ ...options, code: { source: true, formats: _`require("./formats.cjs")` } });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

/** Returns the text of a module that exports `{ [operationId]: { query, headers, path, body } }`. */
export async function compileValidators(operations) {
  // A body is JSON and has types. Parameters are texts, so their validators convert them, as those of Prism do.
  const plain = createCompiler(false);
  const coercing = createCompiler(true);
  const table = {};
  for (const operation of operations) {
    const row = {};
    for (const section of ["query", "headers", "path"]) {
      const parameters = operation.request?.[section] ?? [];
      if (parameters.length > 0) row[section] = coercing.add(createParameterSchema(parameters));
    }
    // The token endpoint parses forms itself.
    const body = operation.request?.body?.contents?.[0];
    if (body?.mediaType === "application/json") row.body = plain.add(body.schema);
    table[operation.iid] = row;
  }
  const contents = [
    `const plain = (() => { ${plain.code()} return exports; })();`,
    `const coercing = (() => { ${coercing.code()} return exports; })();`,
    `module.exports = ${formatTable(table)};`,
  ].join("\n");
  return buildModule(contents);
}

/** Returns the text of a module that exports a validator for each definition of a JSON Schema. They report every error with its data. */
export async function compileDefinitions(schema) {
  const ajv = createAjv({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false });
  // All validators come from one schema, so that definitions with common parts share code.
  ajv.addSchema(schema, "document");
  const ids = Object.fromEntries(Object.keys(schema.$defs).map((name) => [name, `document#/$defs/${name}`]));
  return buildModule(`${standalone.default(ajv, ids)}\nmodule.exports = exports;`);
}

/**
 * Returns the text of a module with a validator for each collection of a world, which stops at the first error. The keyword `means` is for
 * checks that a schema can't express, such as `means: instant`. `given` receives these checks: `{ [meaning]: (value) => boolean }`.
 */
export async function compileRecords(schemas) {
  const strictness = { allowUnionTypes: true, strictRequired: false, strictTypes: false };
  const ajv = createAjv({ verbose: true, discriminator: true, ...strictness });
  // The strict mode of Ajv rejects unknown keywords.
  ajv.addVocabulary([...new Set(JSON.stringify(schemas).match(/(?<=")x-[\w-]+(?=":)/g))]);
  ajv.addKeyword({
    keyword: "means",
    schemaType: "string",
    // The value already has the type that the schema requires.
    post: true,
    code: (context) => context.fail(_`!means[${context.schema}](${context.data})`),
    error: { message: "has another meaning", params: ({ schema }) => _`{ means: ${schema} }` },
  });
  const $defs = JSON.parse(JSON.stringify(schemas).replaceAll('"#/components/schemas/', '"#/$defs/'));
  ajv.addSchema({ $defs }, "world");
  const ids = Object.fromEntries(
    Object.keys(schemas)
      // Names of collections begin with a lower-case letter, and names of their parts with a capital.
      .filter((name) => /^[a-z]/.test(name))
      .map((name) => [name, `world#/$defs/${name}`]),
  );
  return buildModule(
    `module.exports.given = (means) => { const exports = {};\n${standalone.default(ajv, ids)}\nreturn exports; };`,
  );
}

/** Bundles the code, so that the module does not need Ajv at run time. */
async function buildModule(contents) {
  const made = await build({
    stdin: { contents, resolveDir: join(root, "src/build"), sourcefile: "validators.cjs", loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    minify: true,
    logLevel: "silent",
  });
  return made.outputFiles[0].text;
}

/** Creates a compiler that compiles equal schemas once. Conversion is an option of an Ajv instance, so there are two compilers. */
function createCompiler(coerceTypes) {
  const ajv = createAjv({ ...PRISM_OPTIONS, coerceTypes });
  const ids = {};
  const known = new Map();
  return {
    add(schema) {
      const { $schema: _dialect, ...rest } = schema;
      const text = JSON.stringify(rest);
      const id = known.get(text) ?? `v${known.size}`;
      if (!known.has(text)) {
        known.set(text, id);
        ajv.addSchema({ ...rest, $id: id });
        ids[id] = id;
      }
      return `${coerceTypes ? "coercing" : "plain"}.${id}`;
    },
    code: () => `const exports = {}; ${standalone.default(ajv, ids).replace('"use strict";', "")}`,
  };
}

/** Joins the parameters of an operation in one schema, as Prism does. */
function createParameterSchema(parameters) {
  const entries = parameters.map(({ name, schema }) => [name.toLowerCase(), schema ?? {}]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name.toLowerCase());
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { $schema: _dialect, ...schema }]) => [name, schema])),
    required,
  };
}

/** Formats the table as code and not as JSON, because its values are names in the generated code. */
function formatTable(table) {
  const rows = Object.entries(table).map(
    ([id, row]) =>
      `${JSON.stringify(id)}: { ${Object.entries(row)
        .map(([section, code]) => `${section}: ${code}`)
        .join(", ")} }`,
  );
  return `{ ${rows.join(", ")} }`;
}
