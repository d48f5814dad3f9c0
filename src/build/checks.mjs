// What spec/checks.yaml may be: by its id each check of a verdict, with all its words and nothing else.
import Ajv2020 from "ajv/dist/2020.js";

const sentence = { type: "string", minLength: 1, pattern: "\\S$" };
const row = (properties) => ({
  ...{ type: "object", additionalProperties: false, required: Object.keys(properties) },
  properties,
});

const SCHEMA = {
  type: "object",
  minProperties: 1,
  propertyNames: { pattern: "^[A-Z]+-[0-9]{2}$" },
  additionalProperties: row({
    ...{ level: { enum: ["must", "should"] }, title: sentence, done: sentence, rule: sentence, advice: sentence },
    explain: row({ happens: sentence, instead: sentence, code: sentence }),
  }),
};

/** One sentence per problem. */
export const problemsOfChecks = (words, source) => problemsBy(SCHEMA, words, source);

export function problemsBy(schema, words, source) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  if (ajv.validate(schema, words)) return [];
  return ajv.errors.map(({ instancePath, message, params }) => {
    const { additionalProperty, allowedValues, propertyName } = params;
    const about = [additionalProperty, propertyName, allowedValues?.join(", ")].filter(Boolean).join(" ");
    const path = instancePath.slice(1).replaceAll("/", ".");
    return `${[`${source}:`, path, message].filter(Boolean).join(" ")}${about && ` (${about})`}.`;
  });
}
