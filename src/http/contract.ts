// The specification as a gatekeeper. Prism's validators are the authority on path, query, headers and body; what they would let
// through, throw at or word badly is handled here. Assumptions: violations, limit-range, unknown-query, unknown-body-field.
import { validateInput, validateOutput } from "@stoplight/prism-http/dist/validator/index.js";
import type { HttpMethod, IHttpOperation } from "@stoplight/types";
import type { Answer, Exchange, Route, Violation } from "./exchange.ts";
import { ContractError, HttpError } from "./errors.ts";

type Diagnostic = { severity: number; code?: string | number; path?: readonly (string | number)[]; message: string };
type Parameter = { name: string; required?: boolean; schema?: Schema; explode?: boolean };
export type Schema = { type?: string | string[]; default?: unknown; minimum?: number; maximum?: number; properties?: Record<string, Schema>; items?: Schema };

const ERROR = 0;
const INTEGER = /^-?\d{1,15}$/;

/** Throws one 400 that names every violation; otherwise fills in `asked`, with types and defaults. */
export function checkRequest(exchange: Exchange, route: Route, clampLimits: boolean): void {
  const { operation } = route;
  const query = clampLimits ? clamped(exchange.query, parametersOf(operation, "query")) : exchange.query;
  exchange.violations.push(...looseNumbers(query, operation), ...prismSays({ ...exchange, query }, operation));
  if (exchange.violations.length > 0) throw new ContractError(exchange.violations);
  exchange.asked = { path: exchange.params, query: typed(query, parametersOf(operation, "query")) };
}

/** What is wrong with an answer; an undocumented status is, even where a `default` would take it. */
export function faultsOfAnswer(operation: IHttpOperation, answer: Answer): string[] {
  const documented = operation.responses.some(({ code }) => code === String(answer.status));
  if (!documented && answer.status < 400) return [`status ${answer.status} is not documented`];
  if (answer.status === 204) return answer.body === undefined ? [] : ["a 204 has no body"];
  const element = { statusCode: answer.status, headers: { "content-type": "application/json", ...answer.headers }, body: answer.body };
  return diagnosticsOf(validateOutput({ resource: operation, element: element as never })).map(({ message }) => message);
}

/** The media type of an operation's body. */
export function bodyTypeOf(operation: IHttpOperation): string | undefined {
  return operation.request?.body?.contents?.[0]?.mediaType;
}

/** Names in query and body that the specification does not know, as places. */
export function unknownNames(exchange: Exchange, operation: IHttpOperation): { query: string[]; body: string[] } {
  const known = new Set(parametersOf(operation, "query").map(({ name }) => name));
  const schema = operation.request?.body?.contents?.[0]?.schema as Schema | undefined;
  return {
    query: Object.keys(exchange.query).filter((name) => !known.has(name)),
    body: schema ? [...unknownIn(exchange.body, schema, "body")] : [],
  };
}

function* unknownIn(value: unknown, schema: Schema, place: string): Generator<string> {
  if (Array.isArray(value) && schema.items) for (const [index, item] of value.entries()) yield* unknownIn(item, schema.items, `${place}.${index}`);
  if (typeof value !== "object" || value === null || Array.isArray(value) || !schema.properties) return;
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties[name];
    if (known) yield* unknownIn(member, known, `${place}.${name}`);
    else yield `${place}.${name}`;
  }
}

function prismSays(exchange: Exchange, resource: IHttpOperation): Violation[] {
  const element = {
    method: exchange.method.toLowerCase() as HttpMethod,
    url: { path: exchange.path, query: exchange.query as Record<string, string> },
    headers: exchange.headers as Record<string, string>,
    body: exchange.body,
  };
  try {
    const diagnostics = diagnosticsOf(validateInput({ resource, element }));
    return diagnostics.filter(({ code }) => code !== "if").map((diagnostic) => worded(diagnostic, exchange, resource));
  } catch (reason) {
    throw new HttpError(400, `The request can't be read: ${(reason as Error).message.slice(0, 200)}. Compare it with the specification at /openapi.json.`);
  }
}

function diagnosticsOf(verdict: unknown): Diagnostic[] {
  // Prism's Either, taken apart without the library that made it.
  const { _tag, left } = verdict as { _tag: "Left" | "Right"; left: Diagnostic[] };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR) : [];
}

/** Prism's words, with the place first, and what came last. */
function worded({ code, path = [], message }: Diagnostic, exchange: Exchange, operation: IHttpOperation): Violation {
  const missing = /required property '([^']+)'/.exec(message)?.[1];
  const location = [...path.map(String), ...(missing && path[0] === "body" ? [missing] : [])];
  if (location[0] !== "body" && location[1] !== undefined) location[1] = spelled(operation, location[0] ?? "", location[1]);
  const expected = missing ? "is required" : (/\b(must .*|is required.*)$/.exec(message)?.[1] ?? message);
  const came = missing || code === "required" ? "" : `; it is ${shortened(valueAt(exchange, location))}`;
  const text = `${location.join(".") || "body"} ${expected}${came}.`;
  return { location: location.length > 0 ? location : ["body"], code: String(code ?? ""), message: text, severity: "Error" };
}

/** Prism lowers the names of parameters; the specification spells them. */
function spelled(operation: IHttpOperation, place: string, name: string): string {
  const known = parametersOf(operation, place === "header" ? "headers" : (place as "query" | "path"));
  return known.find((parameter) => parameter.name.toLowerCase() === name.toLowerCase())?.name ?? name;
}

function valueAt(exchange: Exchange, [place, ...names]: readonly string[]): unknown {
  const root = { body: exchange.body, query: exchange.query, path: exchange.params, header: exchange.headers }[place ?? ""];
  return names.reduce<unknown>((value, name) => (typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined), root);
}

function shortened(value: unknown): string {
  const text = value === undefined ? "missing" : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function parametersOf(operation: IHttpOperation, place: "query" | "path" | "headers"): Parameter[] {
  return (operation.request?.[place] ?? []) as unknown as Parameter[];
}

const isInteger = ({ schema }: Parameter): boolean => schema?.type === "integer";

/** AJV's coercion takes `1e1`, `0x10` and ` 7 ` for integers; we don't. */
function looseNumbers(query: Exchange["query"], operation: IHttpOperation): Violation[] {
  return parametersOf(operation, "query")
    .filter(isInteger)
    .filter(({ name }) => typeof query[name] === "string" && !INTEGER.test(query[name] as string))
    .filter(({ name }) => query[name] === "" || !Number.isNaN(Number(query[name])))
    .map(({ name }) => {
      const message = `query.${name} must be an integer written in digits; it is ${shortened(query[name])}.`;
      return { location: ["query", name], code: "type", message, severity: "Error" as const };
    });
}

function clamped(query: Exchange["query"], parameters: readonly Parameter[]): Exchange["query"] {
  const changed = parameters.filter((parameter) => isInteger(parameter) && typeof query[parameter.name] === "string").map(({ name, schema }) => {
    const number = Number(query[name]);
    const fitting = Number.isFinite(number) ? Math.min(Math.max(Math.trunc(number), schema?.minimum ?? number), schema?.maximum ?? number) : (schema?.default ?? "");
    return [name, String(fitting)];
  });
  return { ...query, ...Object.fromEntries(changed) };
}

/** The query as the specification types it: integers, lists, defaults; an absent member stays absent. */
function typed(query: Exchange["query"], parameters: readonly Parameter[]): Record<string, unknown> {
  const asked: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const { name, schema } = parameter;
    const raw = query[name];
    if (raw === undefined) {
      if (schema?.default !== undefined) asked[name] = schema.default;
    } else if (schema?.type === "array") asked[name] = Array.isArray(raw) ? raw : raw === "" ? [] : raw.split(",");
    else asked[name] = isInteger(parameter) ? Number(raw) : raw;
  }
  return asked;
}
