// The tables of spec/ that become JSON with a type of its own: errors, checks of a verdict, rates of a soak, profiles. A table that its
// schema rejects stops the build.
import Ajv2020 from "ajv/dist/2020.js";

const text = { type: "string", minLength: 1, pattern: "\\S$" };
const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const map = (names, row) => ({ type: "object", propertyNames: { pattern: names }, additionalProperties: row });

const CODE = "^[A-Z]+(_[A-Z]+)*$";
const code = { type: "string", pattern: CODE };
const BASIS = {
  ...object({ assumption: { type: "string", pattern: "^[a-z-]+$" }, sentence: text }, []),
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
const ERRORS = object({
  rules: map(CODE, object(ERROR, ["status", "message"])),
  others: { type: "array", uniqueItems: true, items: code },
});

const EXPLANATION = object({ happens: text, instead: text, code: text });
const CHECK = object({
  level: { enum: ["must", "should"] },
  title: text,
  done: text,
  rule: text,
  harm: text,
  advice: text,
  explain: EXPLANATION,
});
const CHECKS = { ...map("^[A-Z]+-[0-9]{2}$", CHECK), minProperties: 1 };

/** The members of a fault are checked where it is armed. */
const FAULT = { type: "object", required: ["times"], properties: { times: {} } };
const rates = (more = {}) => {
  const per_day = { type: "number", exclusiveMinimum: 0 };
  const row = object({ per_day, does: { type: "string", pattern: "^[A-Z].*\\.$" }, ...more });
  return { ...map("^[a-z0-9-]+$", row), minProperties: 1 };
};
const SOAK = object({ business: rates(), weather: rates({ fault: FAULT }) });

const REMOVED_KINDS = ["command", "argument", "option", "key", "variable"];
const REMOVED = object(
  Object.fromEntries(REMOVED_KINDS.map((kind) => [kind, map("\\S", { type: ["string", "null"] })])),
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

export const problemsOfChecks = (checks, source) => findProblems(CHECKS, checks, source);
export const problemsOfProfiles = (profiles, schema, source) => findProblems(schema, profiles, source);

/** The schema of profiles with the checks and the operations that exist, so that no profile asks for another. */
export function profilesSchema(schema, { checks, document }) {
  const operations = Object.values(document.paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  const { $id: _, $defs, ...rest } = schema;
  const among = (name, values) => ({ [name]: { ...$defs[name], enum: values } });
  return { ...rest, $defs: { ...among("operation", operations), ...among("check", Object.keys(checks)) } };
}

/** Every code of an error response. */
export const listCodes = ({ rules, others }) =>
  [...Object.keys(rules).filter((name) => !rules[name].answered_as), ...others].sort();

const union = (names) => names.map((name) => JSON.stringify(name)).join(" | ");

/** No error without advice or proposals compiles. */
function errorsType({ rules }) {
  const row = 'import("../../engine/domain/kernel/domain-error.ts").ErrorRow';
  const named = (isAdvised) => union(Object.keys(rules).filter((name) => "advice" in rules[name] === isAdvised));
  return `{ rules: Readonly<Record<${named(true)}, ${row} & { advice: string }> & Record<${named(false)}, ${row}>> }`;
}

/** No row of business without a maker compiles. */
function soakType({ business, weather }) {
  const of = (rows, row) =>
    `Readonly<Record<${union(Object.keys(rows))}, import("../../verdict/soak/rates.ts").${row}>>`;
  return `{ business: ${of(business, "BusinessRow")}; weather: ${of(weather, "WeatherRow")} }`;
}

/** `read` returns the YAML of a file. Each table has its JSON file, its value, the type of that, and its problems. */
export async function buildTables(read, document) {
  const [errors, checks, soak] = await Promise.all(
    ["errors", "checks", "soak"].map((name) => read(`spec/${name}.yaml`)),
  );
  const profiles = await read("spec/profiles.yaml");
  const removed = await read("spec/removed-names.yaml");
  const schema = profilesSchema(await read("spec/profiles.schema.json"), { checks, document });
  const check = 'import("../../verdict/check.ts").CheckWords';
  const requirements = 'import("../../verdict/profiles/profile.ts").Requirements';
  const tables = [
    { name: "errors", schema: ERRORS, source: errors, value: { rules: errors.rules }, type: errorsType },
    {
      name: "checks",
      schema: CHECKS,
      source: checks,
      type: () => `Readonly<Record<${union(Object.keys(checks))}, ${check}>>`,
    },
    { name: "soak", schema: SOAK, source: soak, type: soakType },
    {
      name: "removed-names",
      schema: REMOVED,
      source: removed,
      type: () => `Readonly<Record<${union(REMOVED_KINDS)}, Readonly<Record<string, string | null>>>>`,
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
    // The type is made of the table, which has to be right.
    return { file: `${name}.json`, value, problems, type: problems.length === 0 ? type(source) : "unknown" };
  });
}
