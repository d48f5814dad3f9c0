// Generates src/contract/generated/ from spec/: types, complete documents, Prism's operations and the list of assumptions. If nothing
// changed, the build does nothing.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import { runExclusively } from "./alone.mjs";
import { computeFingerprint, isFresh, listFiles, root, say, writeAtomically } from "./changed.mjs";
import { omitProse } from "./flips.mjs";

const generated = join(root, "src/contract/generated");
/** Contains the fingerprint of the sources. The build writes it last, so that an interrupted build is repeated. */
const stamp = join(generated, ".inputs");
const require = createRequire(import.meta.url);

// openapi-typescript warns of PrivateCustomer, an alternative with two forms, although its output is correct.
const SILENT = { silent: true };
/** Options of openapi-typescript: names of schemas are exported unchanged, and a field with a default can be missing. */
const TYPES = {
  ...SILENT,
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  rootTypesKeepCasing: true,
  defaultNonNullable: false,
};

/** Returns the source of an OpenAPI document and the names of its generated files. */
const nameOutputs = (source, types, whole, prefix) => {
  const operations = `${prefix}operations.json`;
  return { source, types, whole, operations, validators: `${prefix}validators.js` };
};
const DOCUMENTS = [
  nameOutputs("spec/openapi.yaml", "api.ts", "openapi.json", ""),
  nameOutputs("spec/control.yaml", "control.ts", "control.json", "control-"),
];
/** The schema of fixtures. Its definitions become validators. */
const FIXTURE = { source: "spec/fixture.schema.json", validators: "fixture-validators.js" };
/** The records of a world. Its definitions replace those of the first document with the same name. */
const WORLD = { source: "spec/world.yaml", types: "world.ts", validators: "world-validators.js" };
const REGISTER = {
  source: "spec/assumptions.yaml",
  whole: "assumptions.json",
  flips: "flips.json",
  values: "assumption-values.ts",
};
/** The scenarios in the package, as the sandbox serves them. */
const STORIES = "stories.json";
/** The kinds of messages: the webhooks of the first document, and the values of EventKind and Kind. */
const EVENT_KINDS = "event-kinds.json";

/** The type of each file that is generated from the inputs and from `x-cli` and `x-mcp` of the control document. */
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

const VALIDATOR_TYPES = `// Generated: the validators of each operation, by section of the request.
import type { ErrorObject } from "ajv";
type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null };
declare const value: Record<string, { query?: Validator; headers?: Validator; path?: Validator; body?: Validator }>;
export default value;
`;

const DEFINITION_TYPES = `// Generated: a validator for each definition. Its errors are those of the last call.
import type { ErrorObject } from "ajv";
declare const value: Record<string, { (value: unknown): boolean; errors?: ErrorObject[] | null }>;
export default value;
`;

const RECORD_TYPES = `// Generated: a validator for each collection, after given() has received the meanings. Its errors are those of the last call.
import type { ErrorObject } from "ajv";
type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null };
declare const value: { given(means: Readonly<Record<string, (value: never) => boolean>>): Readonly<Record<string, Validator>> };
export default value;
`;

/** If one of these files is missing, the build generates all files again. */
const OUTPUTS = [
  ...[...DOCUMENTS, FIXTURE, WORLD, REGISTER].flatMap(({ source: _, ...names }) => Object.values(names)),
  ...["errors.json", "checks.json", "soak.json", "profiles.json", "removed-names.json", STORIES, EVENT_KINDS],
  ...Object.keys(CONTROL_TABLES),
].map((name) => join(generated, name));

/** Returns whether anything had changed. */
export const buildSpec = () => runExclusively("spec", makeSpec);

/** Vitest calls this function before the first test. */
export const setup = buildSpec;

async function makeSpec() {
  const sources = listFiles("spec", "scenarios", "src/build", "src/contract/document", "package-lock.json");
  const mark = computeFingerprint(sources);
  if (isFresh(stamp, mark, OUTPUTS)) return false;
  mkdirSync(generated, { recursive: true });
  const { buildTables } = await import("./tables.mjs");
  const enums = await readEnums();
  const built = await Promise.all(DOCUMENTS.map((row) => buildDocument(row, enums)));
  throwProblems(built);
  const [publicApi, control] = built.map(({ document }) => document);
  const register = await buildRegister(publicApi);
  const tables = await buildTables(readYaml, publicApi);
  // No file is written if there is a problem, because the files of one build belong together.
  throwProblems([register, ...tables]);
  for (const { files } of [...built, register]) writeAll(files);
  for (const { file, value, type } of tables) writeAll(formatJsonFiles(file, value, type));
  writeAll(
    formatJsonFiles(EVENT_KINDS, enums.EventKind, 'readonly import("../../engine/domain/kernel/kinds.ts").EventKind[]'),
  );
  await writeControlTables(withoutUnions(control));
  await writeFixtureValidators();
  await writeRecords(publicApi);
  const { parse } = await import("yaml");
  const { readStories } = await import("./stories.mjs");
  writeAll(formatJsonFiles(STORIES, readStories(parse), JSON_TYPES.stories));
  writeAtomically(stamp, mark);
  say(`spec: ${built.map(({ source, operations }) => `${source} ${operations} operations`).join("; ")}`);
  return true;
}

/** Throws an error with all problems at once. */
function throwProblems(parts) {
  const problems = parts.flatMap((part) => part.problems);
  if (problems.length === 0) return;
  throw new Error(`spec/ has ${problems.length} problem(s):\n  ${problems.join("\n  ")}`);
}

/** Writes the text of each file into the folder. */
function writeAll(files) {
  for (const [name, text] of Object.entries(files)) writeAtomically(join(generated, name), text);
}

async function writeControlTables(document) {
  const { buildControlTables, formatFaultTypes } = await import("./control-table.mjs");
  writeAll({ "fault-members.ts": formatFaultTypes(document) });
  for (const [name, table] of Object.entries(buildControlTables(document)))
    writeAll(formatJsonFiles(name, table, CONTROL_TABLES[name]));
}

async function writeFixtureValidators() {
  const { compileDefinitions } = await import("./validators.mjs");
  const { source, validators } = FIXTURE;
  const text = await compileDefinitions(await readYaml(source));
  writeAll({ [validators]: `${createMark(source)}${text}`, [validators.replace(/\.js$/, ".d.ts")]: DEFINITION_TYPES });
}

const createMark = (source) => `// Generated from ${source}; do not edit.\n`;

/** Returns the list of assumptions that the sandbox serves, and the changes of each alternative to the first document. */
async function buildRegister(document) {
  const { buildFlips } = await import("./flips.mjs");
  const register = await readYaml(REGISTER.source);
  const { flips, problems } = await buildFlips(register, document, async (changed) =>
    addDateTimePatterns(await readOperations(changed)),
  );
  // Only the build needs the overlays, so the sandbox does not serve them.
  const entries = register.map((entry) => ({
    ...entry,
    alternatives: entry.alternatives.map(({ overlay: _, ...alternative }) => alternative),
  }));
  const files = {
    ...formatJsonFiles(REGISTER.whole, entries, JSON_TYPES.register),
    ...formatJsonFiles(REGISTER.flips, flips, JSON_TYPES.flips),
    [REGISTER.values]: formatValueTypes(register),
  };
  return { problems, files };
}

/** Reads a YAML or JSON file. */
async function readYaml(source) {
  const { parse } = await import("yaml");
  return parse(readFileSync(join(root, source), "utf8"));
}

/** Returns the values of enums that are rows of another file, by the name of the schema. */
async function readEnums() {
  const { listCodes } = await import("./tables.mjs");
  const kinds = Object.keys(await readYaml("spec/webhooks.yaml"));
  return { ErrorCode: listCodes(await readYaml("spec/errors.yaml")), EventKind: kinds, Kind: kinds };
}

/** Formats the values of each assumption as a TypeScript type. */
function formatValueTypes(register) {
  const rows = register.map(({ id, default: byDefault, alternatives }) => {
    const values = [byDefault, ...alternatives.map(({ value }) => value)].map((value) => JSON.stringify(`${value}`));
    return `  ${JSON.stringify(id)}?: ${values.join(" | ")};`;
  });
  return `${createMark(REGISTER.source)}export interface AssumptionValues {\n${rows.join("\n")}\n}\n`;
}

/** Enums that the operations omit, because each error response would contain them. The compiler checks their values. */
const OMITTED_ENUMS = ["ErrorCode", "FactName"];

/**
 * Returns the operations as Prism reads them, without unions, because the errors of a union describe every alternative. Prism changes the
 * document, so it gets a copy.
 */
export async function readOperations(document) {
  const { getHttpOperationsFromSpec } = require("@stoplight/prism-http/dist/utils/operations");
  const copy = structuredClone(withoutUnions(document));
  for (const name of OMITTED_ENUMS) delete copy.components?.schemas?.[name]?.enum;
  const operations = await getHttpOperationsFromSpec(copy);
  return omitProse(operations);
}

/** The format of RFC 3339. Prism accepts a space in place of the T (assumption: datetime-strictness). */
const DATE_TIME_PATTERN =
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$";

/** Copies the operations and adds the pattern to each date-time of a request. */
const addDateTimePatterns = (operations) =>
  operations.map(({ request, ...operation }) => ({ ...operation, ...(request && { request: addPatterns(request) }) }));

function addPatterns(node) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(addPatterns);
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, addPatterns(value)]));
  return node.format === "date-time" ? { ...members, pattern: DATE_TIME_PATTERN } : members;
}

async function buildDocument(row, enums) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { joinFiles } = await import("./redocly.mjs");
  const document = await joinFiles(row.source);
  for (const [name, schema] of Object.entries(document.components.schemas)) if (enums[name]) schema.enum = enums[name];
  const operations = await readOperations(document);
  const { compileValidators } = await import("./validators.mjs");
  const mark = createMark(row.source);
  const files = {
    // openapi-typescript resolves references in place, so it gets a copy.
    [row.types]: `${mark}${astToString(await openapiTS(structuredClone(document), TYPES))}`,
    ...formatJsonFiles(row.whole, document, JSON_TYPES.whole),
    [row.validators]: `${mark}${await compileValidators(operations)}`,
    [row.validators.replace(/\.js$/, ".d.ts")]: VALIDATOR_TYPES,
    ...formatJsonFiles(row.operations, addDateTimePatterns(operations), JSON_TYPES.operations),
  };
  const problems = findIdProblems(operations, row.source);
  return { problems, files, document, source: row.source, operations: operations.length };
}

/** Writes types and validators of the records of a world. Only the types contain unions. */
async function writeRecords(document) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { compileRecords } = await import("./validators.mjs");
  const worldText = JSON.stringify((await readYaml(WORLD.source)).schemas);
  const ownSchemas = JSON.parse(worldText.replaceAll('"#/schemas/', '"#/components/schemas/'));
  const { discriminator: _, ...clock } = ownSchemas.clock;
  const components = { schemas: { ...document.components.schemas, ...ownSchemas, clock } };
  const merged = { openapi: document.openapi, info: document.info, paths: {}, components };
  const schemas = { ...withoutUnions(document).components.schemas, ...ownSchemas };
  const mark = createMark(WORLD.source);
  writeAll({
    [WORLD.validators]: `${mark}${await compileRecords(schemas)}`,
    [WORLD.validators.replace(/\.js$/, ".d.ts")]: RECORD_TYPES,
    [WORLD.types]: `${mark}${astToString(await openapiTS(merged, SILENT))}`,
  });
}

/** Returns one problem for each operation with a missing or duplicate operationId, because tables of operations use it as the key. */
function findIdProblems(operations, source) {
  const seen = new Set();
  return operations.flatMap(({ iid, id, method, path }) => {
    const name = iid ?? id;
    if (!iid) return [`${source}: ${method} ${path} has no operationId.`];
    if (seen.has(name)) return [`${source}: the operationId ${name} is used twice.`];
    seen.add(name);
    return [];
  });
}

/** Returns a JSON file and the declaration of its type, which the compiler would infer slowly. */
const formatJsonFiles = (name, value, type) => ({
  [name]: `${JSON.stringify(value)}\n`,
  [name.replace(/\.json$/, ".d.json.ts")]:
    `// Generated: the type of ${name}.\ndeclare const value: ${type};\nexport default value;\n`,
});

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  buildSpec().then(
    (isChanged) => isChanged || say("spec: nothing changed"),
    (error) => {
      say(error.message);
      process.exitCode = 1;
    },
  );
}
