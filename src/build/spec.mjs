// Generates src/contract/generated/ from spec/: types, whole documents, Prism's operations, the register of assumptions. Does nothing when
// nothing changed. Refuses a document with a schema that does not compile.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
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
const DOCUMENTS = [
  {
    source: "spec/openapi.yaml",
    types: "api.ts",
    whole: "openapi.json",
    operations: "operations.json",
    validators: "validators.js",
  },
  {
    source: "spec/control.yaml",
    types: "control.ts",
    whole: "control.json",
    operations: "control-operations.json",
    validators: "control-validators.js",
  },
];
/** Schemas of files that people write: their definitions become validators. */
const FILES = [{ source: "spec/fixture.schema.json", validators: "fixture-validators.js" }];
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

/** The words of the checks of a verdict. */
const CHECKS = { source: "spec/checks.yaml", words: "checks.json" };
/** What happens in a soak, and how often. */
const SOAK = { source: "spec/soak.yaml", rates: "soak.json" };
/** The errors: their codes are the values of ErrorCode. */
const ERRORS = { source: "spec/errors.yaml", rules: "errors.json" };
/** The kinds of messages, which are the webhooks of the first document, and the values of EventKind and Kind. */
const EVENT_KINDS = "event-kinds.json";
/** What programs of a kind have to show. */
const PROFILES = { source: "spec/profiles.yaml", schema: "spec/profiles.schema.json", whole: "profiles.json" };

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
  ...DOCUMENTS.flatMap((d) => [d.types, d.whole, d.operations, d.validators]),
  REGISTER.whole,
  REGISTER.flips,
  REGISTER.values,
  ...FILES.map((f) => f.validators),
  WORLD.types,
  WORLD.validators,
  STORIES,
  CHECKS.words,
  SOAK.rates,
  ERRORS.rules,
  EVENT_KINDS,
  PROFILES.whole,
  ...Object.keys(CONTROL_TABLES),
].map((name) => join(generated, name));

/** A checkout without the specification can still run the tests that do not need it. */
const absent = () => [...DOCUMENTS, REGISTER].map((d) => d.source).filter((source) => !existsSync(join(root, source)));

/** Returns whether there was anything to generate. */
export const buildSpec = () => alone("spec", makeSpec);

async function makeSpec() {
  const missing = absent();
  if (missing.length > 0)
    throw new Error(
      `The spec cannot be built: ${missing.join(" and ")} ${missing.length > 1 ? "do" : "does"} not exist.`,
    );
  const mark = fingerprint(
    filesUnder(
      "spec",
      "scenarios",
      "src/build/spec.mjs",
      "src/build/stories.mjs",
      "src/build/checks.mjs",
      "src/build/soak.mjs",
      "src/build/errors.mjs",
      "src/build/profiles.mjs",
      "src/build/redocly.mjs",
      "src/build/schemas.mjs",
      "src/build/control-table.mjs",
      "src/build/flips.mjs",
      "src/build/overlay.mjs",
      "src/build/validators.mjs",
      "src/build/formats.cjs",
      "src/contract/document/without-unions.mjs",
      "package-lock.json",
    ),
  );
  if (isFresh(stamp, mark, OUTPUTS)) return false;
  mkdirSync(generated, { recursive: true });
  const named = await namedValues();
  const built = await Promise.all(DOCUMENTS.map((row) => buildDocument(row, named)));
  const register = await buildRegister(built[0]?.document);
  const tables = [await buildErrors(), await buildChecks(), await buildSoak(), await buildProfiles(built[0]?.document)];
  const problems = [...built, register, ...tables].flatMap((document) => document.problems);
  // All problems at once, and before the first file is written: the files of one build belong together.
  if (problems.length > 0)
    throw new Error(`The spec is refused, ${problems.length} problem(s):\n  ${problems.join("\n  ")}`);
  for (const { files } of [...built, register, ...tables]) writeAll(files);
  const { definitionsOf } = await import("./validators.mjs");
  const definitions = [
    ...FILES.map((row) => ({ ...row, schema: JSON.parse(readFileSync(join(root, row.source), "utf8")) })),
  ];
  for (const { source, validators, schema } of definitions) {
    const text = await definitionsOf(schema);
    writeWhole(join(generated, validators), `// Generated from ${source}; not edited by hand.\n${text}`);
    writeWhole(join(generated, validators.replace(/\.js$/, ".d.ts")), DEFINITION_TYPES);
  }
  const { parse } = await import("yaml");
  const { storiesOf } = await import("./stories.mjs");
  const { controlTables, faultTypes } = await import("./control-table.mjs");
  const control = withoutUnions(built[1].document);
  writeWhole(join(generated, "fault-members.ts"), faultTypes(control));
  for (const [name, table] of Object.entries(controlTables(control)))
    writeAll(jsonFiles(name, table, CONTROL_TABLES[name]));
  writeAll(jsonFiles(STORIES, storiesOf(parse), JSON_TYPES.stories));
  await buildRecords(JSON.parse(built[0].files[DOCUMENTS[0].whole]));
  writeWhole(stamp, mark);
  say(`spec: ${built.map((d) => `${d.source} ${d.operations} operations, ${d.schemas} schemas`).join("; ")}`);
  return true;
}

/** Texts by their names in the folder. */
function writeAll(files) {
  for (const [name, text] of Object.entries(files)) writeWhole(join(generated, name), text);
}

/** What vitest calls before the first test. */
export async function setup() {
  if (absent().length > 0)
    return say(`spec: ${absent().join(", ")} missing; tests that need src/contract/generated will fail`);
  await buildSpec();
}

/** The register as it is served, and the changes that each of its alternatives makes in the first document. */
async function buildRegister(document) {
  const { flipsOf } = await import("./flips.mjs");
  const register = await readYaml(REGISTER.source);
  if (!document) return { problems: [] };
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

async function readYaml(source) {
  const { parse } = await import("yaml");
  return parse(readFileSync(join(root, source), "utf8"));
}

/** Enums whose values are what another file has rows for, by the name of the schema. */
async function namedValues() {
  const { codesOf } = await import("./errors.mjs");
  const kinds = Object.keys(await readYaml("spec/webhooks.yaml"));
  return { ErrorCode: codesOf(await readYaml(ERRORS.source)), EventKind: kinds, Kind: kinds };
}

/** The errors of the rules, by their codes, which are a type: no error without advice or proposals compiles. */
async function buildErrors() {
  const { errorsType, problemsOfErrors } = await import("./errors.mjs");
  const errors = await readYaml(ERRORS.source);
  const problems = problemsOfErrors(errors, ERRORS.source);
  if (problems.length > 0) return { problems };
  const kinds = 'readonly import("../../engine/domain/kernel/kinds.ts").EventKind[]';
  const files = {
    ...jsonFiles(ERRORS.rules, { rules: errors.rules }, errorsType(errors)),
    ...jsonFiles(EVENT_KINDS, (await namedValues()).EventKind, kinds),
  };
  return { problems, files };
}

/** The words of the checks, by their ids, which are a type: no check without a judge compiles. */
async function buildChecks() {
  const { problemsOfChecks } = await import("./checks.mjs");
  const words = await readYaml(CHECKS.source);
  const problems = problemsOfChecks(words, CHECKS.source);
  if (problems.length > 0) return { problems };
  const ids = Object.keys(words).map((id) => JSON.stringify(id));
  const type = `Readonly<Record<${ids.join(" | ")}, import("../../verdict/check.ts").CheckWords>>`;
  return { problems, files: jsonFiles(CHECKS.words, words, type) };
}

/** The rates of a soak; the names of its rows are a type: no row of business without a maker compiles. */
async function buildSoak() {
  const { problemsOfSoak } = await import("./soak.mjs");
  const rates = await readYaml(SOAK.source);
  const problems = problemsOfSoak(rates, SOAK.source);
  if (problems.length > 0) return { problems };
  const names = (rows) =>
    Object.keys(rows)
      .map((name) => JSON.stringify(name))
      .join(" | ");
  const rows = 'import("../../verdict/soak/rates.ts")';
  const type = `{ business: Readonly<Record<${names(rates.business)}, ${rows}.BusinessRow>>; weather: Readonly<Record<${names(rates.weather)}, ${rows}.WeatherRow>> }`;
  return { problems, files: jsonFiles(SOAK.rates, rates, type) };
}

/** The profiles, and the schema that a company's own are held by: with the checks and operations that there are. */
async function buildProfiles(document) {
  if (!document) return { problems: [] };
  const { problemsOfProfiles, profilesSchema } = await import("./profiles.mjs");
  const checks = await readYaml(CHECKS.source);
  const schema = profilesSchema(await readYaml(PROFILES.schema), { checks, document });
  const profiles = await readYaml(PROFILES.source);
  const problems = problemsOfProfiles(profiles, schema, PROFILES.source);
  const type =
    '{ schema: object; profiles: Readonly<Record<string, import("../../verdict/profiles/profile.ts").Requirements>> }';
  return { problems, files: jsonFiles(PROFILES.whole, { schema, profiles }, type) };
}

/** The values of each assumption as a TypeScript type; one with a single value can't be given another. */
function valuesText(register) {
  const rows = register.map(({ id, default: byDefault, alternatives }) => {
    const values = [byDefault, ...alternatives.map(({ value }) => value)].map((value) => JSON.stringify(`${value}`));
    return `  ${JSON.stringify(id)}?: ${values.join(" | ")};`;
  });
  return `// Generated from ${REGISTER.source}; not edited by hand.\nexport interface AssumptionValues {\n${rows.join("\n")}\n}\n`;
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
  const mark = `// Generated from ${row.source}; not edited by hand.\n`;
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
async function buildRecords(document) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  const { recordsOf } = await import("./validators.mjs");
  const own = JSON.stringify((await readYaml(WORLD.source)).schemas);
  const ownSchemas = JSON.parse(own.replaceAll('"#/schemas/', '"#/components/schemas/'));
  const { discriminator: _, ...clock } = ownSchemas.clock;
  const components = { schemas: { ...document.components.schemas, ...ownSchemas, clock } };
  const whole = { openapi: document.openapi, info: document.info, paths: {}, components };
  const checked = { ...withoutUnions(document).components.schemas, ...ownSchemas };
  const mark = `// Generated from ${WORLD.source}; not edited by hand.\n`;
  writeWhole(join(generated, WORLD.validators), `${mark}${await recordsOf(checked)}`);
  writeWhole(join(generated, WORLD.validators.replace(/\.js$/, ".d.ts")), RECORD_TYPES);
  writeWhole(join(generated, WORLD.types), `${mark}${astToString(await openapiTS(whole, SILENT))}`);
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
