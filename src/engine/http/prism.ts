// Asks Prism about requests that the compiled validators reject, and describes every violation. A diagnostic of Prism
// has the keyword, the path and AJV's sentence. The schema at the path supplies the missing parts. Prism also validates
// responses, for `--strict-responses` and for every test. Assumption: violations.
import { validateInput, validateOutput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import type { ErrorObject } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { decodeStep, getValue } from "../../platform/member-paths.ts";
import { MAX_LISTED_VIOLATIONS } from "../domain/kernel/domain-error.ts";
import { type Answer, createViolation, type Route, type SentParts, type Violation } from "./exchange.ts";
import { ECHOES, findFirstError, isOverridden, type Section } from "./fast-validators.ts";
import { listParameters, readBodyType } from "./parameters.ts";
import { describeAlternatives, describeKinds, toViolation } from "./violation.ts";

/** `path` begins with the section: body, header, query or path. */
interface Diagnostic {
  severity: number;
  code: string | number;
  path?: string[];
  message: string;
}

interface RequestRejection {
  violations: Violation[];
  /** The number of violations, of which only the first MAX_LISTED_VIOLATIONS are described. */
  count: number;
  /** A sentence about violations that were not searched for. */
  remark?: string;
}

const ERROR = 0;
/** Keywords whose sentences omit parts that only the schema has. A pattern with the format date-time belongs to the format. */
const NEEDS_SCHEMA = new Set(["const", "oneOf", "anyOf", "additionalProperties", "pattern"]);

/** Prism treats these as a missing body. A truthy value of the same type fails the check of the type instead. */
const TRUTHY = new Map<unknown, unknown>([
  [false, true],
  [0, 1],
  ["", "text"],
]);

/** Prism collects every error of a body. 6,000 take 20 ms, but a body of 1 MiB can have a million, which take 4 s and 0.9 GB. */
const MAX_DESCRIBED_VALUES = 2_000;
/**
 * If an assumption that changes the body is overridden, no compiled validator can find the first error, so Prism
 * describes more of them.
 */
const MAX_OVERRIDDEN_VALUES = 20_000;
const MORE_MAY_FOLLOW = `More may follow: a body with more than ${MAX_DESCRIBED_VALUES} values is checked up to its first violation.`;

/** Returns no violations if Prism accepts these sections. An error of Prism is thrown, since it must not count as acceptance. */
export function describeRejection(sent: SentParts, route: Route, sections: readonly Section[]): RequestRejection {
  const most = isOverridden(route, "body") ? MAX_OVERRIDDEN_VALUES : MAX_DESCRIBED_VALUES;
  if (!sections.includes("body") || !hasMoreValues(sent.body, most))
    return describeSections(sent, route.operation, sections);
  const others = sections.filter((section) => section !== "body");
  const rest = describeSections(sent, route.operation, others);
  const first = describeFirst(sent, route);
  if (!first) return rest;
  const violations = [first, ...rest.violations];
  return { violations, count: violations.length, remark: MORE_MAY_FOLLOW };
}

/**
 * Describes the first violation of a body with many values; if an assumption that changes the body is overridden, only
 * its size.
 */
function describeFirst(sent: SentParts, route: Route): Violation | undefined {
  if (isOverridden(route, "body"))
    return createViolation(["body"], "size", `body has more than ${MAX_OVERRIDDEN_VALUES} values. Send fewer.`);
  const error = findFirstError(sent.body, route);
  return error && toViolation(error, "body", sent, []);
}

function hasMoreValues(body: unknown, most: number): boolean {
  let values = 0;
  const count = (value: unknown): boolean =>
    ++values > most || (typeof value === "object" && value !== null && Object.values(value).some(count));
  return count(body);
}

function describeSections(sent: SentParts, operation: IHttpOperation, sections: readonly Section[]): RequestRejection {
  if (sections.length === 0) return { violations: [], count: 0 };
  const diagnostics = dropEchoes(mergeDateTimes(validateWithPrism(sent, operation, sections), operation), operation);
  const names = (["headers", "query", "path"] as const)
    .flatMap((section) => listParameters(operation, section))
    .map(({ name }) => name);
  const violations = diagnostics.slice(0, MAX_LISTED_VIOLATIONS).map((diagnostic, index) => {
    if (diagnostic.path === undefined) return createViolation(["body"], "required", "body is required.");
    const [section = "body"] = diagnostic.path;
    const isSame = (each: Diagnostic) => each.code === diagnostic.code && formatPath(each) === formatPath(diagnostic);
    const repetition = diagnostics.slice(0, index).filter(isSame).length;
    return toViolation(toAjvError(diagnostic, operation, sent, repetition), section, sent, names);
  });
  return { violations, count: diagnostics.length };
}

function validateWithPrism(
  { body, query, params, headers }: SentParts,
  operation: IHttpOperation,
  sections: readonly Section[],
): Diagnostic[] {
  const { request = {} } = operation;
  // Prism validates only the rejected sections, because accepted ones would take it as long.
  const resource = { ...operation, request: Object.fromEntries(sections.map((name) => [name, request[name]])) };
  // Prism matches the path itself. The path is built from the decoded parameters, because the router has already
  // matched the request.
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  // readBody has checked the content type. Prism throws on a malformed one, and parses a missing one by an exception.
  const type = readBodyType(operation) ?? "application/json";
  const element = {
    method: operation.method,
    url: { path, query },
    headers: { ...headers, "content-type": type, "content-length": "0" },
    body: TRUTHY.get(body) ?? body,
  };
  return readErrors(validateInput({ resource, element } as never));
}

/** Prism returns an Either, which is read here without its library. */
function readErrors(result: unknown): Diagnostic[] {
  const { _tag, left } = result as { _tag: "Left" | "Right"; left: Diagnostic[] };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR) : [];
}

/** Reports the pattern that the build adds to each date-time as its format, once for each path. */
function mergeDateTimes(diagnostics: readonly Diagnostic[], operation: IHttpOperation): Diagnostic[] {
  const formats = new Set<string>();
  return diagnostics.flatMap((diagnostic) => {
    const isPattern =
      diagnostic.code === "pattern" && findSchemas(diagnostic, operation).some(({ format }) => format === "date-time");
    if (diagnostic.code !== "format" && !isPattern) return [diagnostic];
    const path = formatPath(diagnostic);
    if (formats.has(path)) return [];
    formats.add(path);
    const message = diagnostic.message.replace(/pattern ".*/s, 'format "date-time"');
    return [isPattern ? { ...diagnostic, code: "format", message } : diagnostic];
  });
}

/**
 * Drops diagnostics that repeat another one, and those of single alternatives, since the one of the choice names all
 * alternatives.
 */
function dropEchoes(diagnostics: readonly Diagnostic[], operation: IHttpOperation): Diagnostic[] {
  const choices = new Map<string, { required: Set<string>; isKinds: boolean }>();
  for (const diagnostic of diagnostics) {
    if (diagnostic.code !== "oneOf" && diagnostic.code !== "anyOf") continue;
    const keyword = diagnostic.code;
    const alternatives = findSchemas(diagnostic, operation).find((schema) => keyword in schema)?.[keyword];
    const isChoice = describeAlternatives(alternatives) !== undefined;
    choices.set(formatPath(diagnostic), {
      required: new Set(isChoice ? alternatives?.flatMap(({ required = [] }) => required) : []),
      isKinds: keyword === "anyOf" && describeKinds(alternatives) !== undefined,
    });
  }
  return diagnostics.filter((diagnostic) => {
    if (ECHOES.includes(String(diagnostic.code))) return false;
    const choice = choices.get(formatPath(diagnostic));
    if (choice === undefined || diagnostic.code === "oneOf" || diagnostic.code === "anyOf") return true;
    if (diagnostic.code === "required") return !choice.required.has(readMissingProperty(diagnostic.message));
    return !choice.isKinds;
  });
}

const formatPath = ({ path = [] }: Diagnostic): string => path.join("/");

/** Restores the parts of AJV's error that our sentences need. `repetition`: the number of equal diagnostics before this one. */
function toAjvError(
  diagnostic: Diagnostic,
  operation: IHttpOperation,
  sent: SentParts,
  repetition: number,
): ErrorObject {
  const [section = "body", ...segments] = diagnostic.path ?? [];
  const keyword = String(diagnostic.code);
  const noun =
    segments.length === 0 ? "" : `${section === "body" ? "property" : "parameter"} ${segments.join(".").trim()} `;
  const sentence = diagnostic.message.slice(`Request ${section} ${noun}`.length);
  const value = section === "body" ? getValue(sent.body, segments.map(decodeStep)) : undefined;
  const isObject = typeof value === "object" && value !== null;
  const schemas = isObject || NEEDS_SCHEMA.has(keyword) ? findSchemas(diagnostic, operation) : [];
  const schema = schemas.find((each) => keyword in each)?.[keyword as keyof JsonSchema];
  const keys = isObject ? findRejectedKeys(value, keyword, schemas) : undefined;
  return {
    keyword,
    instancePath: segments.map((segment) => `/${segment}`).join(""),
    schemaPath: "",
    params: readParams(sentence, schema),
    // Prism has appended the values of an enum, and the name of an additional property.
    message: sentence.split(/: |; found '/, 1)[0] ?? "",
    schema,
    parentSchema: { properties: Object.assign({}, ...schemas.map(({ properties }) => properties)) },
    ...(keys ? { propertyName: keys[repetition] ?? "" } : {}),
  };
}

/**
 * Finds the keys that violate the schema for keys; undefined if it doesn't have the keyword. Prism reports a diagnostic
 * for each, without the key.
 */
function findRejectedKeys(value: object, keyword: string, schemas: readonly JsonSchema[]): string[] | undefined {
  const { maxLength, pattern } =
    schemas.find(({ propertyNames = {} }) => keyword in propertyNames)?.propertyNames ?? {};
  const keys = Object.keys(value);
  if (keyword === "maxLength" && maxLength !== undefined) return keys.filter((key) => [...key].length > maxLength);
  if (keyword !== "pattern" || pattern === undefined) return undefined;
  const expression = new RegExp(pattern, "u");
  return keys.filter((key) => !expression.test(key));
}

/** Reads AJV's `params` from its sentence. Only those of the keyword are valid. */
const readParams = (sentence: string, schema: unknown): Record<string, unknown> => ({
  missingProperty: readMissingProperty(sentence),
  additionalProperty: readQuoted(sentence, "; found '"),
  type: sentence.replace(/^must be /, ""),
  allowedValue: schema,
  allowedValues: [sentence.slice(sentence.indexOf(": ") + 2)],
  limit: Number(/-?\d[\d.e+]*/.exec(sentence)?.[0]),
  format: readQuoted(sentence, '"'),
  pattern: readQuoted(sentence, '"'),
});

/** Reads the value from the mark to the closing quotation mark, which ends the sentence. */
const readQuoted = (sentence: string, mark: string): string => sentence.slice(sentence.indexOf(mark) + mark.length, -1);

const readMissingProperty = (message: string): string => readQuoted(message, "must have required property '");

function findSchemas(
  { path: [section = "body", ...segments] = [] }: Diagnostic,
  operation: IHttpOperation,
): JsonSchema[] {
  if (section === "body") return findSchemasAt(operation.request?.body?.contents?.[0]?.schema as JsonSchema, segments);
  const [name = "", ...rest] = segments;
  const parameters = listParameters(operation, section === "header" ? "headers" : (section as "query" | "path"));
  const schema = parameters.find((parameter) => parameter.name.toLowerCase() === name)?.schema;
  return schema === undefined ? [] : findSchemasAt(schema, rest);
}

/**
 * Finds every schema for the value at the path, including those in allOf, anyOf, oneOf, then and else. `segments`:
 * steps of a JSON pointer.
 */
function findSchemasAt(schema: JsonSchema, segments: readonly string[]): JsonSchema[] {
  let schemas = expand(schema);
  for (const segment of segments)
    schemas = schemas.flatMap((each) => selectPart(each, decodeStep(segment))).flatMap(expand);
  return schemas;
}

function expand(schema: JsonSchema): JsonSchema[] {
  const { allOf = [], anyOf = [], oneOf = [], then, else: otherwise } = schema as JsonSchema & Record<string, never>;
  const inner = [...allOf, ...anyOf, ...oneOf, ...[then, otherwise].filter((each) => each !== undefined)];
  return [schema, ...inner.flatMap(expand)];
}

function selectPart(schema: JsonSchema, segment: string): JsonSchema[] {
  const { properties = {}, items, additionalProperties } = schema as JsonSchema & Record<string, JsonSchema>;
  if (items !== undefined && /^\d+$/.test(segment)) return [items];
  if (Object.hasOwn(properties, segment)) return [properties[segment] as JsonSchema];
  return typeof additionalProperties === "object" ? [additionalProperties] : [];
}

/** Lists the violations of a response. An undocumented success is a violation, even if `default` covers it. */
export function listProblems(operation: IHttpOperation, answer: Answer): string[] {
  const documented = operation.responses.some(({ code }) => code === String(answer.status));
  if (!documented && answer.status < 400) return [`status ${answer.status} is not documented`];
  if (answer.status === 204) return answer.body === undefined ? [] : ["a 204 has no body"];
  const headers = { "content-type": "application/json", ...answer.headers };
  const element = { statusCode: answer.status, headers, body: answer.body };
  return readErrors(validateOutput({ resource: operation, element } as never)).map(({ message }) => message);
}
