// Parameters as the specification types them: loose numbers that AJV's coercion would accept are rejected, limits are clamped where a
// world assumes that, defaults are applied. Assumptions: limit-range, list-parameter-repeated, parameter-brackets, null-member,
// parameter-empty.

import type { IHttpOperation } from "@stoplight/types";
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { Exchange, Violation } from "./exchange.ts";
import { shorten } from "./violation.ts";

type Parameter = { name: string; required?: boolean; schema?: JsonSchema; explode?: boolean };
type RawQuery = Exchange["query"];

/** Fifteen digits are exact as a number of JavaScript. */
const INTEGER = /^-?\d{1,15}$/;

/** As Prism has them; none where the operation has no such section. */
export function parametersOf(operation: IHttpOperation, location: "query" | "path" | "headers"): Parameter[] {
  return (operation.request?.[location] ?? []) as unknown as Parameter[];
}

/** The media type of an operation's body. */
export function bodyTypeOf(operation: IHttpOperation): string | undefined {
  return operation.request?.body?.contents?.[0]?.mediaType;
}

const isInteger = ({ schema }: Parameter): boolean => schema?.type === "integer";

/**
 * The query with each parameter once: an empty one counts as absent, a repeated one is a violation, or a longer list
 * (`union`). Asked lazily, since most queries need no answer.
 */
export function givenOnce(
  query: RawQuery,
  operation: IHttpOperation,
  union: () => boolean,
): { query: RawQuery; repeated: Violation[] } {
  const repeated: Violation[] = [];
  // Most queries have neither.
  if (!Object.values(query).some((value) => value === "" || Array.isArray(value))) return { query, repeated };
  const once: RawQuery = { ...query };
  for (const { name, schema } of parametersOf(operation, "query")) {
    const values = [query[name] ?? []].flat().filter((value) => value !== "");
    const isList = schema?.type === "array";
    const isOnce = values.length === 1 || (values.length > 1 && isList && union());
    if (isOnce) once[name] = values.join(",");
    else delete once[name];
    if (values.length > 1 && !isOnce) repeated.push(tooOften(name, values, isList));
  }
  return { query: once, repeated };
}

function tooOften(name: string, values: readonly string[], isList: boolean): Violation {
  const advice = isList ? `Write the values in one parameter, separated by commas: ${name}=` : "Send it once.";
  const example = isList ? `${values.slice(0, 4).join(",").slice(0, 60)}.` : "";
  const message = `query.${name} was sent ${values.length} times. ${advice}${example}`;
  return { location: ["query", name], code: "repeated", message, severity: "Error" };
}

/** `status[]`, `status[0]` and `filter[status]` name a documented parameter in a form that would be read as no parameter at all. */
export function bracketed(query: RawQuery, operation: IHttpOperation, ignored: () => boolean): Violation[] {
  const names = Object.keys(query).filter((name) => name.includes("["));
  if (names.length === 0 || ignored()) return [];
  const parameters = parametersOf(operation, "query");
  return names.flatMap((name) => {
    const parts = name.split(/[[\]]+/);
    const meant = parameters.find((parameter) => parts.includes(parameter.name));
    return meant && !parameters.some((parameter) => parameter.name === name) ? [inBrackets(name, meant, query)] : [];
  });
}

function inBrackets(name: string, meant: Parameter, query: RawQuery): Violation {
  const values = [query[name] ?? []].flat();
  const example = `${meant.name}=${values.slice(0, 4).join(",").slice(0, 60)}`;
  const how = meant.schema?.type === "array" ? ", with its values in one parameter, separated by commas" : "";
  const message = `query.${name.slice(0, 200)} is not read. Write the name without brackets${how}: ${example}.`;
  return { location: ["query", name], code: "brackets", message, severity: "Error" };
}

/** Objects without their members that are null, at any depth. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

/** AJV's coercion accepts `1e1`, `0x10` and ` 7 ` as integers; the service does not. */
export function looseNumbers(query: RawQuery, operation: IHttpOperation): Violation[] {
  return parametersOf(operation, "query")
    .filter(isInteger)
    .filter(({ name }) => typeof query[name] === "string" && !INTEGER.test(query[name]))
    .map(({ name }) => ({
      location: ["query", name],
      code: "type",
      message: `query.${name} must be an integer written in digits; it is ${shorten(query[name])}.`,
      severity: "Error",
    }));
}

/** Numbers out of range are set to the nearest bound; to what is no number nothing is near (assumption: limit-range). */
export function clamped(query: RawQuery, operation: IHttpOperation): RawQuery {
  const changed = parametersOf(operation, "query")
    .filter((parameter) => isInteger(parameter) && !Number.isNaN(Number(query[parameter.name])))
    .map(({ name, schema = {} }) => [name, String(fitted(Number(query[name]), schema))]);
  return { ...query, ...Object.fromEntries(changed) };
}

/** The same for a `limit` in a body. */
export function clampedBody(body: unknown, operation: IHttpOperation): unknown {
  const schema = operation.request?.body?.contents?.[0]?.schema as JsonSchema | undefined;
  const { limit } = (body ?? {}) as { limit?: unknown };
  if (typeof limit !== "number" || !schema?.properties?.limit) return body;
  return { ...(body as object), limit: fitted(limit, schema.properties.limit) };
}

function fitted(number: number, { minimum = number, maximum = number }: JsonSchema): number {
  return Math.trunc(Math.min(Math.max(number, minimum), maximum));
}

/** The query with integers, lists and defaults; each parameter was sent once. */
export function typed(query: RawQuery, operation: IHttpOperation): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const parameter of parametersOf(operation, "query")) {
    const { name, schema } = parameter;
    const raw = query[name];
    if (typeof raw !== "string") {
      if (schema?.default !== undefined) values[name] = schema.default;
    } else if (schema?.type === "array") values[name] = raw.split(",");
    else values[name] = isInteger(parameter) ? Number(raw) : raw;
  }
  return values;
}
