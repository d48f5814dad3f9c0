// Builds the tables of spec/ that become JSON with a type of their own: errors, checks of a verdict, rates of a soak, and profiles. The
// build fails if a table does not match its schema.
import Ajv2020 from "ajv/dist/2020.js";

const text = { type: "string", minLength: 1, pattern: "\\S$" };
const createObject = (properties, required = Object.keys(properties)) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const createMap = (names, row) => ({ type: "object", propertyNames: { pattern: names }, additionalProperties: row });

const CODE = "^[A-Z]+(_[A-Z]+)*$";
const code = { type: "string", pattern: CODE };
const BASIS = {
  ...createObject({ assumption: { type: "string", pattern: "^[a-z-]+$" }, sentence: text }, []),
  minProperties: 1,
  maxProperties: 1,
};
const ERROR = {
  status: { type: "integer", minimum: 400, maximum: 599 },
  message: text,
  answered_as: code,
  rests_on: { type: "array", minItems: 1, items: BASIS },
  looked: text,
  advice: text,
};
const ERRORS = createObject({
  rules: createMap(CODE, createObject(ERROR, ["status", "message"])),
  others: { type: "array", uniqueItems: true, items: code },
});

const EXPLANATION = createObject({ happens: text, instead: text, code: text });
const CHECK = createObject({
  level: { enum: ["must", "should"] },
  title: text,
  done: text,
  rule: text,
  harm: text,
  advice: text,
  explain: EXPLANATION,
});
const CHECKS = { ...createMap("^[A-Z]+-[0-9]{2}$", CHECK), minProperties: 1 };

/** The control API checks the fields of a fault when the fault is armed. */
const FAULT = { type: "object", required: ["times"], properties: { times: {} } };
const createRates = (more = {}) => {
  const per_day = { type: "number", exclusiveMinimum: 0 };
  const row = createObject({ per_day, does: { type: "string", pattern: "^[A-Z].*\\.$" }, ...more });
  return { ...createMap("^[a-z0-9-]+$", row), minProperties: 1 };
};
const SOAK = createObject({ business: createRates(), weather: createRates({ fault: FAULT }) });

const REMOVED_KINDS = ["command", "argument", "option", "key", "variable"];
const REMOVED = createObject(
  Object.fromEntries(REMOVED_KINDS.map((kind) => [kind, createMap("\\S", { type: ["string", "null"] })])),
);

/** Returns one sentence for each problem. */
function findProblems(schema, value, source) {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  if (ajv.validate(schema, value)) return [];
  return ajv.errors.map(({ instancePath, message, params }) => {
    const { additionalProperty, allowedValues, propertyName } = params;
    const about = [additionalProperty, propertyName, allowedValues?.join(", ")].filter(Boolean).join(" ");
    const path = instancePath.slice(1).replaceAll("/", ".");
    return `${[`${source}:`, path, message].filter(Boolean).join(" ")}${about && ` (${about})`}.`;
  });
}

export const findCheckProblems = (checks, source) => findProblems(CHECKS, checks, source);
export const findProfileProblems = (profiles, schema, source) => findProblems(schema, profiles, source);

/** Adds the known checks and operations to the schema of profiles, so that a profile with an unknown one is rejected. */
export function extendProfileSchema(schema, { checks, document }) {
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const { $id: _, $defs, ...rest } = schema;
  const addValues = (name, values) => ({ [name]: { ...$defs[name], enum: values } });
  return { ...rest, $defs: { ...addValues("operation", operations), ...addValues("check", Object.keys(checks)) } };
}

/** Lists every code of an error response. */
export const listCodes = ({ rules, others }) =>
  [...Object.keys(rules).filter((name) => !rules[name].answered_as), ...others].sort();

const formatUnion = (names) => names.map((name) => JSON.stringify(name)).join(" | ");

/** Formats the type of the errors. The compiler requires proposals for each error without advice. */
function formatErrorsType({ rules }) {
  const row = 'import("../../engine/domain/kernel/domain-error.ts").ErrorRow';
  const formatNames = (isAdvised) =>
    formatUnion(Object.keys(rules).filter((name) => "advice" in rules[name] === isAdvised));
  return `{ rules: Readonly<Record<${formatNames(true)}, ${row} & { advice: string }> & Record<${formatNames(false)}, ${row}>> }`;
}

/** Formats the type of the soak. The compiler requires an implementation of each row of business. */
function formatSoakType({ business, weather }) {
  const formatRows = (rows, row) =>
    `Readonly<Record<${formatUnion(Object.keys(rows))}, import("../../verdict/soak/plan.ts").${row}>>`;
  return `{ business: ${formatRows(business, "BusinessRow")}; weather: ${formatRows(weather, "WeatherRow")} }`;
}

/** `read` parses a YAML file. Returns the JSON file of each table with its value, its type and its problems. */
export async function buildTables(read, document) {
  const [errors, checks, soak] = await Promise.all(
    ["errors", "checks", "soak"].map((name) => read(`spec/${name}.yaml`)),
  );
  const profiles = await read("spec/profiles.yaml");
  const removed = await read("spec/removed-names.yaml");
  const schema = extendProfileSchema(await read("spec/profiles.schema.json"), { checks, document });
  const check = 'import("../../verdict/check.ts").CheckWords';
  const requirements = 'import("../../verdict/profiles/index.ts").Requirements';
  const tables = [
    { name: "errors", schema: ERRORS, source: errors, value: { rules: errors.rules }, type: formatErrorsType },
    {
      name: "checks",
      schema: CHECKS,
      source: checks,
      type: () => `Readonly<Record<${formatUnion(Object.keys(checks))}, ${check}>>`,
    },
    { name: "soak", schema: SOAK, source: soak, type: formatSoakType },
    {
      name: "removed-names",
      schema: REMOVED,
      source: removed,
      type: () => `Readonly<Record<${formatUnion(REMOVED_KINDS)}, Readonly<Record<string, string | null>>>>`,
    },
    {
      name: "profiles",
      schema,
      source: profiles,
      value: { schema, profiles },
      type: () => `{ schema: object; profiles: Readonly<Record<string, ${requirements}>> }`,
    },
  ];
  return tables.map(({ name, source, value = source, type, ...table }) => {
    const problems = findProblems(table.schema, source, `spec/${name}.yaml`);
    // A type can be formatted only from a valid table.
    return { file: `${name}.json`, value, problems, type: problems.length === 0 ? type(source) : "unknown" };
  });
}
