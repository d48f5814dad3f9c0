// What spec/soak.yaml may be: rows with how often and what, and those of the weather with a fault, whose members are checked where it is armed.
import Ajv2020 from "ajv/dist/2020.js";

const row = (more = {}) => ({
  type: "object",
  additionalProperties: false,
  required: ["per_day", "does", ...Object.keys(more)],
  properties: {
    per_day: { type: "number", exclusiveMinimum: 0 },
    does: { type: "string", pattern: "^[A-Z].*\\.$" },
    ...more,
  },
});
const table = (more) => ({
  type: "object",
  minProperties: 1,
  propertyNames: { pattern: "^[a-z0-9-]+$" },
  additionalProperties: row(more),
});
const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["business", "weather"],
  properties: { business: table(), weather: table({ fault: { type: "object", required: ["times"] } }) },
};

/** One sentence per problem. */
export function problemsOfSoak(rates, source) {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  if (ajv.validate(SCHEMA, rates)) return [];
  return ajv.errors.map(
    ({ instancePath, message }) => `${source}: ${instancePath.slice(1).replaceAll("/", ".")} ${message}.`,
  );
}
