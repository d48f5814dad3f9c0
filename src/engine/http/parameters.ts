// Converts parameters to the types of the specification, applies defaults, and clamps limits if a world assumes that.
// Rejects numbers that only AJV's coercion accepts. Assumptions: limit-range, list-parameter-repeated,
// parameter-brackets, null-member, parameter-empty.

import type { IHttpOperation } from "@stoplight/types";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { createViolation, type Exchange, type Violation } from "./exchange.ts";
import { shorten } from "./violation.ts";

type Parameter = { name: string; required?: boolean; schema?: JsonSchema; explode?: boolean };
type RawQuery = Exchange["query"];

/** Numbers of fifteen digits are exact in JavaScript. */
const INTEGER = /^-?\d{1,15}$/;

/** Lists the parameters of a section of the operation. */
export function listParameters(operation: IHttpOperation, location: "query" | "path" | "headers"): Parameter[] {
  return (operation.request?.[location] ?? []) as unknown as Parameter[];
}

export function readBodyType(operation: IHttpOperation): string | undefined {
  return operation.request?.body?.contents?.[0]?.mediaType;
}

const isInteger = ({ schema }: Parameter): boolean => schema?.type === "integer";

/**
 * Returns the query with each parameter once. An empty parameter counts as missing. A repeated one is a violation, or a
 * longer list (`union`).
 */
export function mergeRepeated(
  query: RawQuery,
  operation: IHttpOperation,
  union: () => boolean,
): { query: RawQuery; repeated: Violation[] } {
  const repeated: Violation[] = [];
  // Most queries have neither.
  if (!Object.values(query).some((value) => value === "" || Array.isArray(value))) return { query, repeated };
  const once: RawQuery = { ...query };
  for (const { name, schema } of listParameters(operation, "query")) {
    const values = [query[name] ?? []].flat().filter((value) => value !== "");
    const isList = schema?.type === "array";
    const isOnce = values.length === 1 || (values.length > 1 && isList && union());
    if (isOnce) once[name] = values.join(",");
    else delete once[name];
    if (values.length > 1 && !isOnce) repeated.push(createRepeatedViolation(name, values, isList));
  }
  return { query: once, repeated };
}

function createRepeatedViolation(name: string, values: readonly string[], isList: boolean): Violation {
  const advice = isList ? `Write the values in one parameter, separated by commas: ${name}=` : "Send it once.";
  const example = isList ? `${values.slice(0, 4).join(",").slice(0, 60)}.` : "";
  const message = `query.${name} was sent ${values.length} times. ${advice}${example}`;
  return createViolation(["query", name], "repeated", message);
}

/** `status[]`, `status[0]` and `filter[status]` mean a documented parameter, but would not be read. */
export function findBracketed(query: RawQuery, operation: IHttpOperation, ignored: () => boolean): Violation[] {
  const names = Object.keys(query).filter((name) => name.includes("["));
  if (names.length === 0 || ignored()) return [];
  const parameters = listParameters(operation, "query");
  return names.flatMap((name) => {
    const parts = name.split(/[[\]]+/);
    const meant = parameters.find((parameter) => parts.includes(parameter.name));
    return meant && !parameters.some((parameter) => parameter.name === name)
      ? [createBracketViolation(name, meant, query)]
      : [];
  });
}

function createBracketViolation(name: string, meant: Parameter, query: RawQuery): Violation {
  const values = [query[name] ?? []].flat();
  const example = `${meant.name}=${values.slice(0, 4).join(",").slice(0, 60)}`;
  const how = meant.schema?.type === "array" ? ", with its values in one parameter, separated by commas" : "";
  const message = `query.${name.slice(0, 200)} is not read. Write the name without brackets${how}: ${example}.`;
  return createViolation(["query", name], "brackets", message);
}

/** Returns the value without members that are null, at any depth. */
export function omitNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, omitNulls(member)]));
}

/** AJV's coercion accepts `1e1`, `0x10` and ` 7 ` as integers; the service does not. */
export function findLooseNumbers(query: RawQuery, operation: IHttpOperation): Violation[] {
  return listParameters(operation, "query")
    .filter(isInteger)
    .filter(({ name }) => typeof query[name] === "string" && !INTEGER.test(query[name]))
    .map(({ name }) => {
      const message = `query.${name} must be an integer written in digits; it is ${shorten(query[name])}.`;
      return createViolation(["query", name], "type", message);
    });
}

/** Sets numbers out of range to the nearest bound (assumption: limit-range). */
export function limitNumbers(query: RawQuery, operation: IHttpOperation): RawQuery {
  const changed = listParameters(operation, "query")
    .filter((parameter) => isInteger(parameter) && !Number.isNaN(Number(query[parameter.name])))
    .map(({ name, schema = {} }) => [name, String(fitNumber(Number(query[name]), schema))]);
  return { ...query, ...Object.fromEntries(changed) };
}

/** Does the same for a `limit` in a body. */
export function limitBody(body: unknown, operation: IHttpOperation): unknown {
  const schema = operation.request?.body?.contents?.[0]?.schema as JsonSchema | undefined;
  const { limit } = (body ?? {}) as { limit?: unknown };
  if (typeof limit !== "number" || !schema?.properties?.limit) return body;
  return { ...(body as object), limit: fitNumber(limit, schema.properties.limit) };
}

function fitNumber(number: number, { minimum = number, maximum = number }: JsonSchema): number {
  return Math.trunc(Math.min(Math.max(number, minimum), maximum));
}

/** Returns the query with integers, lists and defaults. Each parameter was sent once. */
export function convertQuery(query: RawQuery, operation: IHttpOperation): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const parameter of listParameters(operation, "query")) {
    const { name, schema } = parameter;
    const raw = query[name];
    if (typeof raw !== "string") {
      if (schema?.default !== undefined) values[name] = schema.default;
    } else if (schema?.type === "array") values[name] = raw.split(",");
    else values[name] = isInteger(parameter) ? Number(raw) : raw;
  }
  return values;
}
