// Generates src/contract/generated/ from spec/: types, whole documents, Prism's operations, the register of assumptions. Does nothing when
// nothing changed. Refuses a document with a schema that does not compile.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import { alone } from "./alone.mjs";
import { filesUnder, fingerprint, isFresh, root, say, writeWhole } from "./changed.mjs";
import { withoutProse } from "./flips.mjs";

const generated = join(root, "src/contract/generated");
/** The fingerprint of what the folder was made from; it is written last, so that an interrupted build is done again. */
const stamp = join(generated, ".inputs");
const require = createRequire(import.meta.url);

// It warns of a tag whose alternative has two forms, PrivateCustomer, and writes what is right.
const SILENT = { silent: true };
/**
 * Options of openapi-typescript: names of schemas are exported as they are written; a member with a default may still
 * be absent.
 */
const TYPES = {
  ...SILENT,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
  defaultNonNullable: false,
};

/** One row per OpenAPI document: where it starts, and the names of what is made of it. */
const nameOutputs = (source, types, whole, prefix) => {
  const operations = `${prefix}operations.json`;
  return { source, types, whole, operations, validators: `${prefix}validators.js` };
};
const DOCUMENTS = [
  nameOutputs("spec/openapi.yaml", "api.ts", "openapi.json", ""),
  nameOutputs("spec/control.yaml", "control.ts", "control.json", "control-"),
];
/** The schema of files that people write: its definitions become validators. */
const FIXTURE = { source: "spec/fixture.schema.json", validators: "fixture-validators.js" };
/** The records of a world: its definitions win over those of the first document with the same name. */
const WORLD = { source: "spec/world.yaml", types: "world.ts", validators: "world-validators.js" };
const REGISTER = {
  source: "spec/assumptions.yaml",
  whole: "assumptions.json",
  flips: "flips.json",
  values: "assumption-values.ts",
};
/** The scenarios that are shipped, as the sandbox serves them. */
const STORIES = "stories.json";
/** The kinds of messages, which are the webhooks of the first document, and the values of EventKind and Kind. */
const EVENT_KINDS = "event-kinds.json";

/** What is made of the members of inputs and of `x-cli` and `x-mcp` of the control document: file → its type. */
const CONTROL_TABLES = {
  "fault-words.json": 'readonly import("../../engine/domain/kernel/fault-words.ts").FaultWord[]',
  "commands.json": 'import("../../cli/control-command.ts").ControlRows',
  "tools.json":
    'Readonly<Record<"books" | "clock" | "faults" | "requests" | "verdict" | "why" | "world", import("../../mcp/tool.ts").ToolRow>>',
  "fault-input.json": 'import("../../cli/input-options.ts").FaultTable',
};

/** The TypeScript types of the JSON files, which are too large to be inferred. */
const JSON_TYPES = {
  whole: "Record<string, unknown>",
  operations: 'import("@stoplight/types").IHttpOperation[]',
  register: "unknown",
  stories: 'import("../document/annotated.ts").Stories',
  flips: "Record<string, { meaning: string; document?: unknown; operations?: Record<string, unknown> }>",
};

const VALIDATOR_TYPES = `// Generated: validators by operation, and by place in a request.
import type { ErrorObject } from "ajv";
type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null };
declare const value: Record<string, { query?: Validator; headers?: Validator; path?: Validator; body?: Validator }>;
export default value;
`;

const DEFINITION_TYPES = `// Generated: a validator for each definition; the errors are those of its last call.
import type { ErrorObject } from "ajv";
declare const value: Record<string, { (value: unknown): boolean; errors?: ErrorObject[] | null }>;
export default value;
`;

const RECORD_TYPES = `// Generated: a validator for each collection, once it is given the meanings; the errors are those of its last call.
import type { ErrorObject } from "ajv";
type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null };
declare const value: { given(means: Readonly<Record<string, (value: never) => boolean>>): Readonly<Record<string, Validator>> };
export default value;
`;

/** If one of them is missing, everything is made again. */
const OUTPUTS = [
  ...[...DOCUMENTS, FIXTURE, WORLD, REGISTER].flatMap(({ source: _, ...names }) => Object.values(names)),
  ...["errors.json", "checks.json", "soak.json", "profiles.json", "removed-names.json", STORIES, EVENT_KINDS],
  ...Object.keys(CONTROL_TABLES),
].map((name) => join(generated, name));

/** Returns whether there was anything to generate. */
export const buildSpec = () => alone("spec", makeSpec);

/** Vitest calls it before the first test. */
export const setup = buildSpec;

async function makeSpec() {
  const sources = filesUnder("spec", "scenarios", "src/build", "src/contract/document", "package-lock.json");
  const mark = fingerprint(sources);
  if (isFresh(stamp, mark, OUTPUTS)) return false;
  mkdirSync(generated, { recursive: true });
  const { buildTables } = await import("./tables.mjs");
  const named = await namedValues();
  const built = await Promise.all(DOCUMENTS.map((row) => buildDocument(row, named)));
  rejectProblems(built);
  const [publicApi, control] = built.map(({ document }) => document);
  const register = await buildRegister(publicApi);
  const tables = await buildTables(readYaml, publicApi);
  // Before the first file is written: the files of one build belong together.
  rejectProblems([register, ...tables]);
  for (const { files } of [...built, register]) writeAll(files);
  for (const { file, value, type } of tables) writeAll(jsonFiles(file, value, type));
  writeAll(
    jsonFiles(EVENT_KINDS, named.EventKind, 'readonly import("../../engine/domain/kernel/kinds.ts").EventKind[]'),
  );
  await writeControlTables(withoutUnions(control));
  await writeFixtureValidators();
  await writeRecords(publicApi);
  const { parse } = await import("yaml");
  const { storiesOf } = await import("./stories.mjs");
  writeAll(jsonFiles(STORIES, storiesOf(parse), JSON_TYPES.stories));
  writeWhole(stamp, mark);
  say(`spec: ${built.map((d) => `${d.source} ${d.operations} operations, ${d.schemas} schemas`).join("; ")}`);
  return true;
}

/** Throws an error with all problems at once. */
function rejectProblems(parts) {
  const problems = parts.flatMap((part) => part.problems);
  if (problems.length === 0) return;
  throw new Error(`The spec is rejected, ${problems.length} problem(s):\n  ${problems.join("\n  ")}`);
}

/** Texts by their names in the folder. */
function writeAll(files) {
  for (const [name, text] of Object.entries(files)) writeWhole(join(generated, name), text);
}

async function writeControlTables(document) {
  const { controlTables, faultTypes } = await import("./control-table.mjs");
  writeAll({ "fault-members.ts": faultTypes(document) });
  for (const [name, table] of Object.entries(controlTables(document)))
    writeAll(jsonFiles(name, table, CONTROL_TABLES[name]));
}

async function writeFixtureValidators() {
  const { definitionsOf } = await import("./validators.mjs");
  const { source, validators } = FIXTURE;
  const text = await definitionsOf(await readYaml(source));
  writeAll({ [validators]: `${createMark(source)}${text}`, [validators.replace(/\.js$/, ".d.ts")]: DEFINITION_TYPES });
}

const createMark = (source) => `// Generated from ${source}; not edited by hand.\n`;

/** The list of assumptions as it is served, and the changes that each alternative makes in the first document. */
async function buildRegister(document) {
  const { flipsOf } = await import("./flips.mjs");
  const register = await readYaml(REGISTER.source);
  const { flips, problems } = await flipsOf(register, document, async (other) =>
    withStrictDateTimes(await operationsOf(other)),
  );
  // What only the build reads of an entry is not served.
  const entries = register.map((entry) => ({
    ...entry,
    alternatives: entry.alternatives.map(({ overlay: _, ...alternative }) => alternative),
  }));
  const files = {
    ...jsonFiles(REGISTER.whole, entries, JSON_TYPES.register),
    ...jsonFiles(REGISTER.flips, flips, JSON_TYPES.flips),
    [REGISTER.values]: valuesText(register),
  };
  return { problems, files };
}

/** Reads JSON, too. */
async function readYaml(source) {
  const { parse } = await import("yaml");
  return parse(readFileSync(join(root, source), "utf8"));
}

/** Enums whose values are what another file has rows for, by the name of the schema. */
async function namedValues() {
  const { listCodes } = await import("./tables.mjs");
  const kinds = Object.keys(await readYaml("spec/webhooks.yaml"));
  return { ErrorCode: listCodes(await readYaml("spec/errors.yaml")), EventKind: kinds, Kind: kinds };
}

/** The values of each assumption as a TypeScript type; one with a single value can't be given another. */
function valuesText(register) {
  const rows = register.map(({ id, default: byDefault, alternatives }) => {
    const values = [byDefault, ...alternatives.map(({ value }) => value)].map((value) => JSON.stringify(`${value}`));
    return `  ${JSON.stringify(id)}?: ${values.join(" | ")};`;
  });
  return `${createMark(REGISTER.source)}export interface AssumptionValues {\n${rows.join("\n")}\n}\n`;
}

/** Lists that would stand once for each error response, and whose values the compiler holds: every code and fact has their type. */
const TYPED = ["ErrorCode", "FactName"];

/**
 * The operations as Prism reads them, without unions, whose errors would speak of every alternative. Its reader dereferences the document
 * in place, so it gets a copy.
 */
export async function operationsOf(document) {
  const { getHttpOperationsFromSpec } = require("@stoplight/prism-http/dist/utils/operations");
  const copy = structuredClone(withoutUnions(document));
  for (const name of TYPED) delete copy.components?.schemas?.[name]?.enum;
  const operations = await getHttpOperationsFromSpec(copy);
  return withoutProse(operations);
}

/** RFC 3339, where Prism accepts a space for the T (assumption: datetime-strictness). */
const DATE_TIME_PATTERN =
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$";

/** A copy in which each date-time of a request has that pattern. */
const withStrictDateTimes = (operations) =>
  operations.map(({ request, ...operation }) => ({ ...operation, ...(request && { request: withPatterns(request) }) }));

function withPatterns(node) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(withPatterns);
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withPatterns(value)]));
  return node.format === "date-time" ? { ...members, pattern: DATE_TIME_PATTERN } : members;
}

async function buildDocument(row, named) {
  const { problemsOfDocument, problemsOfOperations } = await import("./schemas.mjs");
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { joined } = await import("./redocly.mjs");
  const document = await joined(row.source);
  for (const [name, schema] of Object.entries(document.components.schemas)) if (named[name]) schema.enum = named[name];
  const { problems, count } = problemsOfDocument(document, row.source);
  if (problems.length > 0) return { problems };
  const operations = await operationsOf(document);
  problems.push(...nameless(operations, row.source), ...problemsOfOperations(operations, row.operations));
  const { validatorsOf } = await import("./validators.mjs");
  const mark = createMark(row.source);
  const files = {
    // Its maker resolves references in place.
    [row.types]: `${mark}${astToString(await openapiTS(structuredClone(document), TYPES))}`,
    ...jsonFiles(row.whole, document, JSON_TYPES.whole),
    [row.validators]: `${mark}${await validatorsOf(operations)}`,
    [row.validators.replace(/\.js$/, ".d.ts")]: VALIDATOR_TYPES,
    ...jsonFiles(row.operations, withStrictDateTimes(operations), JSON_TYPES.operations),
  };
  return { problems, files, document, source: row.source, operations: operations.length, schemas: count };
}

/** Types and validators of the records of a world. The validators see no unions, the types do. */
async function writeRecords(document) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { recordsOf } = await import("./validators.mjs");
  const own = JSON.stringify((await readYaml(WORLD.source)).schemas);
  const ownSchemas = JSON.parse(own.replaceAll('"#/schemas/', '"#/components/schemas/'));
  const { discriminator: _, ...clock } = ownSchemas.clock;
  const components = { schemas: { ...document.components.schemas, ...ownSchemas, clock } };
  const whole = { openapi: document.openapi, info: document.info, paths: {}, components };
  const checked = { ...withoutUnions(document).components.schemas, ...ownSchemas };
  const mark = createMark(WORLD.source);
  writeAll({
    [WORLD.validators]: `${mark}${await recordsOf(checked)}`,
    [WORLD.validators.replace(/\.js$/, ".d.ts")]: RECORD_TYPES,
    [WORLD.types]: `${mark}${astToString(await openapiTS(whole, SILENT))}`,
  });
}

/** The tables of operations go by operationId, so each has one, and it occurs once. */
function nameless(operations, source) {
  const seen = new Set();
  return operations.flatMap(({ iid, id, method, path }) => {
    const name = iid ?? id;
    if (!iid) return [`${source}: ${method} ${path} has no operationId.`];
    if (seen.has(name)) return [`${source}: the operationId ${name} is used twice.`];
    seen.add(name);
    return [];
  });
}

/** A file of JSON, and beside it the declaration of its type: the compiler would take long to infer it from the text. */
const jsonFiles = (name, value, type) => ({
  [name]: `${JSON.stringify(value)}\n`,
  [name.replace(/\.json$/, ".d.json.ts")]:
    `// Generated: what ${name} holds.\ndeclare const value: ${type};\nexport default value;\n`,
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  buildSpec().then(
    (did) => did || say("spec: nothing changed"),
    (error) => {
      say(error.message);
      process.exitCode = 1;
    },
  );
}
