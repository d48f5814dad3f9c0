// What spec/errors.yaml may be, and the type of its rows: those with advice and those without.
import { problemsBy } from "./checks.mjs";

const text = { type: "string", minLength: 1, pattern: "\\S$" };
const object = (properties, required) => ({ type: "object", additionalProperties: false, required, properties });
const CODE = "^[A-Z]+(_[A-Z]+)*$";

const BASIS = {
  ...object({ assumption: { type: "string", pattern: "^[a-z-]+$" }, sentence: text }, []),
  ...{ minProperties: 1, maxProperties: 1 },
};
const ROW = object(
  {
    ...{
      status: { type: "integer", minimum: 400, maximum: 599 },
      message: text,
      answered_as: { type: "string", pattern: CODE },
    },
    ...{ rests_on: { type: "array", minItems: 1, items: BASIS }, looked: text, advice: text },
  },
  ["status", "message"],
);
const SCHEMA = object(
  {
    rules: { type: "object", propertyNames: { pattern: CODE }, additionalProperties: ROW },
    others: { type: "array", uniqueItems: true, items: { type: "string", pattern: CODE } },
  },
  ["rules", "others"],
);

/** One sentence per problem. */
export const problemsOfErrors = (errors, source) => problemsBy(SCHEMA, errors, source);

/** Every code of an answer. */
export const codesOf = ({ rules, others }) =>
  [...Object.keys(rules).filter((code) => !rules[code].answered_as), ...others].sort();

export function errorsType({ rules }) {
  const row = 'import("../../engine/domain/kernel/domain-error.ts").ErrorRow';
  const named = (isAdvised) =>
    Object.keys(rules)
      .filter((code) => "advice" in rules[code] === isAdvised)
      .map((code) => JSON.stringify(code))
      .join(" | ");
  return `{ rules: Readonly<Record<${named(true)}, ${row} & { advice: string }> & Record<${named(false)}, ${row}>> }`;
}
