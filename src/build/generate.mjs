// Generates the files of src/contract/generated/: types, complete documents, Prism's operations, validators, and tables.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";
import { withoutUnions } from "../contract/document/without-unions.mjs";
import { buildFlips, formatValueTypes } from "./assumptions.mjs";
import { buildControlTables } from "./control-table.mjs";
import { addDateTimePatterns, readOperations } from "./operations.mjs";
import { joinFiles } from "./redocly.mjs";
import { root, say } from "./step.mjs";
import { readStories } from "./stories.mjs";
import { compileDefinitions, compileRecords, compileValidators } from "./validators.mjs";

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

const VALIDATOR = '{ (value: unknown): boolean; errors?: import("ajv").ErrorObject[] | null }';

/** The TypeScript types of the generated values, which are too large to be inferred. */
const VALUE_TYPES = {
  document: "Record<string, unknown>",
  operations: 'import("@stoplight/types").IHttpOperation[]',
  // By operation, and by section of the request.
  validators: `Record<string, { query?: ${VALIDATOR}; headers?: ${VALIDATOR}; path?: ${VALIDATOR}; body?: ${VALIDATOR} }>`,
  definitions: `Record<string, ${VALIDATOR}>`,
  records: `{ given(means: Readonly<Record<string, (value: never) => boolean>>): Readonly<Record<string, ${VALIDATOR}>> }`,
  register: "unknown",
  stories: 'import("../document/annotated.ts").Stories',
  eventKinds: 'readonly import("../../engine/domain/kernel/kinds.ts").EventKind[]',
  flips: "Record<string, { meaning: string; document?: unknown; operations?: Record<string, unknown> }>",
  profiles:
    '{ schema: object; profiles: Readonly<Record<string, import("../../verdict/profiles/index.ts").Requirements>> }',
};

/** The types of the tables that are generated from the inputs and from `x-cli` and `x-mcp` of the control document. */
const CONTROL_TYPES = {
  "fault-words.json": 'readonly import("../../engine/domain/kernel/fault-words.ts").FaultWord[]',
  "commands.json": 'import("../../cli/control-command.ts").ControlRows',
  "tools.json":
    'Readonly<Record<"books" | "clock" | "faults" | "requests" | "verdict" | "why" | "world", import("../../mcp/tool.ts").ToolRow>>',
  "fault-input.json":
    "{ chosen: readonly string[]; members: Readonly<Record<string, object>>; defaults: Readonly<Record<string, unknown>> }",
};

/** Returns the text of each file by its name. */
export async function generateFiles() {
  const errors = readYaml("spec/errors.yaml");
  const kinds = Object.keys(readYaml("spec/webhooks.yaml"));
  const enums = { ErrorCode: listCodes(errors), EventKind: kinds, Kind: kinds };
  const [openapi, control] = await Promise.all([
    readDocument("spec/openapi.yaml", enums),
    readDocument("spec/control.yaml", enums),
  ]);
  const files = {
    ...(await generateContract(openapi, "api.ts", "openapi.json", "")),
    ...(await generateContract(control, "control.ts", "control.json", "control-")),
    ...(await generateFixtures("spec/fixture.schema.json")),
    ...(await generateRecords(openapi.document, "spec/world.yaml")),
    ...(await generateAssumptions(openapi.document, "spec/assumptions.yaml")),
    ...generateControlTables(control.document),
    ...generateTables(errors, openapi.document),
    ...generateJson("event-kinds.json", kinds, VALUE_TYPES.eventKinds),
    ...generateJson("stories.json", readStories(readScenarios()), VALUE_TYPES.stories),
  };
  say(`spec: ${[openapi, control].map((each) => `${each.source} ${each.operations.length} operations`).join("; ")}`);
  return files;
}

/** Reads a YAML or JSON file. */
const readYaml = (source) => parse(readFileSync(join(root, source), "utf8"));

/** Returns the content of each scenario in the package by its name, the file name without `.yaml`. */
function readScenarios() {
  const names = readdirSync(join(root, "scenarios")).flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? []);
  return Object.fromEntries(names.sort().map((name) => [name, readYaml(`scenarios/${name}.yaml`)]));
}

/** Reads a document with its operations. `enums` are rows of other files, by the name of the schema. */
async function readDocument(source, enums) {
  const document = await joinFiles(source);
  for (const [name, schema] of Object.entries(document.components.schemas)) if (enums[name]) schema.enum = enums[name];
  return { source, document, operations: await readOperations(document) };
}

const createMark = (source) => `// Generated from ${source}; do not edit.\n`;

const generateJson = (name, value, type) => ({
  [name]: `${JSON.stringify(value)}\n`,
  ...declareType(name, name.replace(/\.json$/, ".d.json.ts"), type),
});

const generateValidators = (name, source, code, type) => ({
  [name]: `${createMark(source)}${code}`,
  ...declareType(name, name.replace(/\.js$/, ".d.ts"), type),
});

const declareType = (name, file, type) => ({
  [file]: `// Generated: the type of ${name}.\ndeclare const value: ${type};\nexport default value;\n`,
});

/** Generates a table as a module with a type, so that the compiler finds an invalid row. */
const generateTable = (name, source, value, type) => ({
  [name]: `${createMark(source)}const value: ${type} = ${JSON.stringify(value, null, 2)};\nexport default value;\n`,
});

async function generateContract({ source, document, operations }, types, whole, prefix) {
  // openapi-typescript resolves references in place, so it gets a copy.
  const text = astToString(await openapiTS(structuredClone(document), TYPES));
  const code = await compileValidators(operations);
  return {
    [types]: `${createMark(source)}${text}`,
    ...generateJson(whole, document, VALUE_TYPES.document),
    ...generateValidators(`${prefix}validators.js`, source, code, VALUE_TYPES.validators),
    ...generateJson(`${prefix}operations.json`, addDateTimePatterns(operations), VALUE_TYPES.operations),
  };
}

async function generateFixtures(source) {
  const code = await compileDefinitions(readYaml(source));
  return generateValidators("fixture-validators.js", source, code, VALUE_TYPES.definitions);
}

/** Generates types and validators of the records of a world. Its schemas replace those of the document; only the types have unions. */
async function generateRecords(document, source) {
  const text = JSON.stringify(readYaml(source).schemas);
  const ownSchemas = JSON.parse(text.replaceAll('"#/schemas/', '"#/components/schemas/'));
  const { discriminator: _, ...clock } = ownSchemas.clock;
  const components = { schemas: { ...document.components.schemas, ...ownSchemas, clock } };
  const merged = { openapi: document.openapi, info: document.info, paths: {}, components };
  const code = await compileRecords({ ...withoutUnions(document).components.schemas, ...ownSchemas });
  return {
    ...generateValidators("world-validators.js", source, code, VALUE_TYPES.records),
    "world.ts": `${createMark(source)}${astToString(await openapiTS(merged, SILENT))}`,
  };
}

/** Generates the list of assumptions that the sandbox serves, and the changes of each alternative to the document. */
async function generateAssumptions(document, source) {
  const register = readYaml(source);
  // Only the build needs the overlays, so the sandbox does not serve them.
  const served = register.map((entry) => ({
    ...entry,
    alternatives: entry.alternatives.map(({ overlay: _, ...alternative }) => alternative),
  }));
  return {
    ...generateJson("assumptions.json", served, VALUE_TYPES.register),
    ...generateJson("flips.json", await buildFlips(register, document), VALUE_TYPES.flips),
    "assumption-values.ts": `${createMark(source)}${formatValueTypes(register)}`,
  };
}

function generateControlTables(document) {
  const tables = buildControlTables(withoutUnions(document));
  const effects = tables["fault-input.json"].chosen.map((path) => path.split(".")[0]);
  // A fault of deliveries has other fields, and is never combined with a fault of requests.
  const ofRequests = [...new Set(effects)].filter((name) => name !== "delivery");
  const files = Object.entries(tables).map(([name, table]) => generateJson(name, table, CONTROL_TYPES[name]));
  const mark = createMark("spec/control/schemas/faults.yaml");
  return Object.assign(...files, {
    "fault-members.ts": `${mark}export type OfRequests = ${formatUnion(ofRequests)};\n`,
  });
}

const formatUnion = (names) => names.map((name) => JSON.stringify(name)).join(" | ");
const formatRows = (names, row) => `Readonly<Record<${formatUnion(names)}, ${row}>>`;

function generateTables(errors, document) {
  const [checks, soak, removed, profiles] = ["checks", "soak", "removed-names", "profiles"].map((name) =>
    readYaml(`spec/${name}.yaml`),
  );
  const schema = fillProfileSchema(readYaml("spec/profiles.schema.json"), checks, document);
  const checksType = formatRows(Object.keys(checks), 'import("../../verdict/check.ts").CheckWords');
  const removedType = formatRows(Object.keys(removed), "Readonly<Record<string, string | null>>");
  return {
    ...generateTable("errors.ts", "spec/errors.yaml", { rules: errors.rules }, formatErrorsType(errors.rules)),
    ...generateTable("checks.ts", "spec/checks.yaml", checks, checksType),
    ...generateTable("soak.ts", "spec/soak.yaml", soak, formatSoakType(soak)),
    ...generateTable("removed-names.ts", "spec/removed-names.yaml", removed, removedType),
    ...generateJson("profiles.json", { schema, profiles }, VALUE_TYPES.profiles),
  };
}

/** Adds the known checks and operations to the schema of profiles, so that a profile with an unknown one is rejected. */
function fillProfileSchema({ $id: _, $defs, ...schema }, checks, document) {
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const operation = { ...$defs.operation, enum: operations };
  return { ...schema, $defs: { operation, check: { ...$defs.check, enum: Object.keys(checks) } } };
}

/** Lists every code of an error response. */
const listCodes = ({ rules, others }) =>
  [...Object.keys(rules).filter((name) => !rules[name].answered_as), ...others].sort();

/** Formats the type of the errors. The compiler requires proposals for each error without advice. */
function formatErrorsType(rules) {
  const row = 'import("../../engine/domain/kernel/domain-error.ts").ErrorRow';
  const [advised, others] = [true, false].map((isAdvised) =>
    Object.keys(rules).filter((name) => "advice" in rules[name] === isAdvised),
  );
  return `{ rules: ${formatRows(advised, `${row} & { advice: string }`)} & ${formatRows(others, row)} }`;
}

/** Formats the type of the soak. The compiler requires an implementation of each row of business. */
function formatSoakType({ business, weather }) {
  const plan = 'import("../../verdict/soak/plan.ts")';
  const ofBusiness = formatRows(Object.keys(business), `${plan}.BusinessRow`);
  return `{ business: ${ofBusiness}; weather: ${formatRows(Object.keys(weather), `${plan}.WeatherRow`)} }`;
}
