// Parameters as the specification types them: what Prism's coercion takes too loosely is refused, limits are clamped where a
// world wants that, defaults are applied. Assumption: limit-range.
import type { IHttpOperation } from "@stoplight/types";
import type { Exchange, Violation } from "./exchange.ts";
import { shortened } from "./violation.ts";

export type Schema = {
  type?: string | string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
};
export type Parameter = { name: string; required?: boolean; schema?: Schema; explode?: boolean };
type Query = Exchange["query"];

const INTEGER = /^-?\d{1,15}$/;

export function parametersOf(operation: IHttpOperation, place: "query" | "path" | "headers"): Parameter[] {
  return (operation.request?.[place] ?? []) as unknown as Parameter[];
}

/** The media type of an operation's body. */
export function bodyTypeOf(operation: IHttpOperation): string | undefined {
  return operation.request?.body?.contents?.[0]?.mediaType;
}

const isInteger = ({ schema }: Parameter): boolean => schema?.type === "integer";

/** AJV's coercion takes `1e1`, `0x10` and ` 7 ` for integers; we don't. */
export function looseNumbers(query: Query, operation: IHttpOperation): Violation[] {
  return parametersOf(operation, "query")
    .filter(isInteger)
    .filter(({ name }) => typeof query[name] === "string" && !INTEGER.test(query[name]))
    .map(({ name }) => ({
      location: ["query", name],
      code: "type",
      message: `query.${name} must be an integer written in digits; it is ${shortened(query[name])}.`,
      severity: "Error",
    }));
}

export function clamped(query: Query, operation: IHttpOperation): Query {
  const changed = parametersOf(operation, "query")
    .filter((parameter) => isInteger(parameter) && typeof query[parameter.name] === "string")
    .map(({ name, schema = {} }) => {
      const fitting = fitted(query[name] === "" ? Number.NaN : Number(query[name]), schema);
      return [name, String(fitting ?? "")];
    });
  return { ...query, ...Object.fromEntries(changed) };
}

/** The same for the limit of a list that is asked for in a body. */
export function clampedBody(body: unknown, operation: IHttpOperation): unknown {
  const schema = operation.request?.body?.contents?.[0]?.schema as Schema | undefined;
  const { limit } = (body ?? {}) as { limit?: unknown };
  if (typeof limit !== "number" || !schema?.properties?.limit) return body;
  return { ...(body as object), limit: fitted(limit, schema.properties.limit) };
}

function fitted(number: number, { minimum = number, maximum = number, default: usual }: Schema): unknown {
  return Number.isNaN(number) ? usual : Math.trunc(Math.min(Math.max(number, minimum), maximum));
}

/** The query with integers, lists and defaults; what is empty counts as absent, as it does for Prism. */
export function typed(query: Query, operation: IHttpOperation): Record<string, unknown> {
  const asked: Record<string, unknown> = {};
  for (const parameter of parametersOf(operation, "query")) {
    const { name, schema } = parameter;
    const raw = query[name];
    if (raw === undefined || raw === "") {
      if (schema?.default !== undefined) asked[name] = schema.default;
    } else if (schema?.type === "array") asked[name] = Array.isArray(raw) ? raw : raw.split(",");
    else asked[name] = isInteger(parameter) ? Number(raw) : raw;
  }
  return asked;
}
