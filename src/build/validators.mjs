// Compiles the schemas of Prism's operations to plain code, the fast validators: what they accept, Prism accepts too. They are made from
// the same operations with the same options; Prism decides about a request that they reject, and describes it.
import { createRequire } from "node:module";
import { _ } from "ajv";
import Ajv2020 from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import { root } from "./changed.mjs";

const require = createRequire(import.meta.url);
const formats = require("./formats.cjs");
/** Prism's options, but stopping at the first error: Prism finds the others. */
const OPTIONS = { allowUnionTypes: true, allowMatchingProperties: true, strict: false, logger: false };

/** Its code can be printed. */
function createAjv(options) {
  const ajv = new Ajv2020({ ...options, code: { source: true, formats: _`require("./formats.cjs")` } });
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  return ajv;
}

/** The text of a module that exports `{ [operationId]: { query, headers, path, body } }`. */
export async function validatorsOf(operations) {
  // A body is JSON and has types; parameters are texts, which are coerced as Prism does.
  const plain = compilerOf(false);
  const coercing = compilerOf(true);
  const table = {};
  for (const operation of operations) {
    const row = {};
    for (const section of ["query", "headers", "path"]) {
      const parameters = operation.request?.[section] ?? [];
      if (parameters.length > 0) row[section] = coercing.add(schemaOf(parameters));
    }
    // A form is a text, which the token endpoint reads by itself.
    const body = operation.request?.body?.contents?.[0];
    if (body?.mediaType === "application/json") row.body = plain.add(body.schema);
    table[operation.iid] = row;
  }
  const contents = [
    `const plain = (() => { ${plain.code()} return exports; })();`,
    `const coercing = (() => { ${coercing.code()} return exports; })();`,
    `module.exports = ${tableText(table)};`,
  ].join("\n");
  return asModule(contents);
}

/** The same for a plain JSON Schema: `{ [name of a definition]: validator }`, with every error and its data. */
export async function definitionsOf(schema) {
  const ajv = createAjv({ allErrors: true, verbose: true, allowUnionTypes: true, strictRequired: false });
  // All from one schema, so that definitions which share parts share their code.
  ajv.addSchema(schema, "whole");
  const ids = Object.fromEntries(Object.keys(schema.$defs).map((name) => [name, `whole#/$defs/${name}`]));
  return asModule(`${standalone.default(ajv, ids)}\nmodule.exports = exports;`);
}

/**
 * The same for the records of a world, by collection: it stops at the first error of a record. A check that a schema can't express is a
 * keyword, `means: instant`, and `given` takes the checks: `{ [meaning]: (value) => boolean }`.
 */
export async function recordsOf(schemas) {
  const strictness = { allowUnionTypes: true, strictRequired: false, strictTypes: false };
  const ajv = createAjv({ verbose: true, discriminator: true, ...strictness });
  // The strict mode of ajv refuses keywords that it does not know.
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
      // Collections begin with a small letter, the schemas of their parts with a capital.
      .filter((name) => /^[a-z]/.test(name))
      .map((name) => [name, `world#/$defs/${name}`]),
  );
  return asModule(
    `module.exports.given = (means) => { const exports = {};\n${standalone.default(ajv, ids)}\nreturn exports; };`,
  );
}

/** Bundled, so that the module needs nothing of ajv at run time. */
async function asModule(contents) {
  const made = await build({
    stdin: { contents, resolveDir: `${root}/src/build`, sourcefile: "validators.cjs", loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    minify: true,
    logLevel: "silent",
  });
  return made.outputFiles[0].text;
}

/** Coercing is an option of a whole instance of ajv, so there are two. Equal schemas are compiled once. */
function compilerOf(coerceTypes) {
  const ajv = createAjv({ ...OPTIONS, coerceTypes });
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

/** As Prism makes one schema of an operation's parameters. */
function schemaOf(parameters) {
  const entries = parameters.map(({ name, schema }) => [name.toLowerCase(), schema ?? {}]);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name.toLowerCase());
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, { $schema: _dialect, ...schema }]) => [name, schema])),
    required,
  };
}

/** JSON does not do: the values are names in the generated code. */
function tableText(table) {
  const rows = Object.entries(table).map(
    ([id, row]) =>
      `${JSON.stringify(id)}: { ${Object.entries(row)
        .map(([section, code]) => `${section}: ${code}`)
        .join(", ")} }`,
  );
  return `{ ${rows.join(", ")} }`;
}
