// Reads the operations of a document as Prism does.
import { createRequire } from "node:module";
import { withoutUnions } from "../contract/document/without-unions.mjs";

const { getHttpOperationsFromSpec } = createRequire(import.meta.url)("@stoplight/prism-http/dist/utils/operations");

/** Enums that the operations omit, because each error response would contain them. The compiler checks their values. */
const OMITTED_ENUMS = ["ErrorCode", "FactName"];

/**
 * Returns the operations as Prism reads them, without unions, because the errors of a union describe every alternative. Prism changes the
 * document, so it gets a copy.
 */
export async function readOperations(document) {
  const copy = structuredClone(withoutUnions(document));
  for (const name of OMITTED_ENUMS) delete copy.components?.schemas?.[name]?.enum;
  return omitProse(await getHttpOperationsFromSpec(copy));
}

/** The format of RFC 3339. Prism accepts a space in place of the T (assumption: datetime-strictness). */
const DATE_TIME_PATTERN =
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$";

/** Copies the operations and adds the pattern to each date-time of a request. */
export const addDateTimePatterns = (operations) =>
  operations.map(({ request, ...operation }) => ({ ...operation, ...(request && { request: addPatterns(request) }) }));

function addPatterns(node) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map(addPatterns);
  const members = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, addPatterns(value)]));
  return node.format === "date-time" ? { ...members, pattern: DATE_TIME_PATTERN } : members;
}

const PROSE = ["description", "example", "examples", "x-assumption", "x-stoplight"];
/** The fields from which the control tables are generated. */
const TABLE_FIELDS = ["x-cli", "x-mcp", "x-words", "x-default", "x-counted"];
const OMITTED_FIELDS = [...PROSE, ...TABLE_FIELDS];

/** Copies a document without descriptions and examples, which do not affect validation. A property of a schema can have any name. */
export function omitProse(node, isProperties = false) {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((each) => omitProse(each));
  const entries = Object.entries(node).filter(
    ([name, value]) => value !== undefined && (isProperties || !OMITTED_FIELDS.includes(name)),
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, omitProse(value, name === "properties")]));
}
