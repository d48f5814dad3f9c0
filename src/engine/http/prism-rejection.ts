// Asks Prism about requests that the compiled validators reject, and describes every violation. A diagnostic of Prism has the keyword, the path and
// AJV's sentence. The schema at the path supplies the missing parts. Assumption: violations.
import { validateInput } from "@stoplight/prism-http/dist/validator/index.js";
import type { IHttpOperation } from "@stoplight/types";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { decodeStep, getValue } from "../../platform/member-paths.ts";
import { MAX_LISTED_VIOLATIONS } from "../domain/kernel/domain-error.ts";
import { createViolation, type Route, type SentParts, type Violation } from "./exchange.ts";
import { ECHOES, findFirstError, isOverridden, readFirstError, type Section } from "./fast-validators.ts";
import { listParameters, readBodyType } from "./parameters.ts";
import { findSchemasAt } from "./schemas-at.ts";
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
const MORE_MAY_FOLLOW = `More may follow: a body with more than ${MAX_DESCRIBED_VALUES} values is checked up to its first violation.`;

/** Returns no violations if Prism accepts these sections. An error of Prism is thrown, since it must not count as acceptance. */
export async function describeRejection(
  sent: SentParts,
  route: Route,
  sections: readonly Section[],
): Promise<RequestRejection> {
  if (!sections.includes("body") || !hasManyValues(sent.body)) return describeSections(sent, route.operation, sections);
  const error = isOverridden(route, "body")
    ? await findFirstErrorOfOverridden(sent.body, route.operation)
    : findFirstError(sent.body, route);
  const others = sections.filter((section) => section !== "body");
  const rest = describeSections(sent, route.operation, others);
  if (!error) return rest;
  const violations = [toViolation(error, "body", sent, []), ...rest.violations];
  return { violations, count: violations.length, remark: MORE_MAY_FOLLOW };
}

function hasManyValues(body: unknown): boolean {
  let values = 0;
  const count = (value: unknown): boolean =>
    ++values > MAX_DESCRIBED_VALUES ||
    (typeof value === "object" && value !== null && Object.values(value).some(count));
  return count(body);
}

const overriddenValidators = new WeakMap<IHttpOperation, ValidateFunction>();

/** Does the same as findFirstError for an operation that the build has not compiled. */
async function findFirstErrorOfOverridden(body: unknown, operation: IHttpOperation): Promise<ErrorObject | undefined> {
  const { $schema: _, ...schema } = operation.request?.body?.contents?.[0]?.schema ?? {};
  const validator = overriddenValidators.get(operation) ?? (await compileFirstError(schema));
  overriddenValidators.set(operation, validator);
  return validator(body) ? undefined : readFirstError(validator, schema);
}

async function compileFirstError(schema: object): Promise<ValidateFunction> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const { fullFormats: formats } = await import("ajv-formats/dist/formats.js");
  return new Ajv2020({ strict: false, allowUnionTypes: true, logger: false, formats }).compile(schema);
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
  // Prism matches the path itself. The path is built from the decoded parameters, because the router has already matched the request.
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  // readBody has checked the content type. Prism throws on a malformed one, and parses a missing one by an exception.
  const checkedHeaders = {
    ...headers,
    "content-type": readBodyType(operation) ?? "application/json",
    "content-length": "0",
  };
  const element = {
    method: operation.method,
    url: { path, query },
    headers: checkedHeaders,
    body: TRUTHY.get(body) ?? body,
  };
  // Prism returns an Either, which is read here without its library.
  const result = validateInput({ resource, element } as never) as unknown;
  const { _tag, left } = result as { _tag: "Left" | "Right"; left: Diagnostic[] };
  return _tag === "Left" ? left.filter(({ severity }) => severity === ERROR) : [];
}

/** Reports the pattern that the build adds to each date-time as its format, once for each path. */
function mergeDateTimes(diagnostics: readonly Diagnostic[], operation: IHttpOperation): Diagnostic[] {
  const isPattern = (diagnostic: Diagnostic) =>
    diagnostic.code === "pattern" && findSchemas(diagnostic, operation).some(({ format }) => format === "date-time");
  const formats = new Set(diagnostics.filter(({ code }) => code === "format").map(formatPath));
  return diagnostics.flatMap((diagnostic) => {
    if (!isPattern(diagnostic)) return [diagnostic];
    if (formats.has(formatPath(diagnostic))) return [];
    return [
      { ...diagnostic, code: "format", message: diagnostic.message.replace(/pattern ".*/s, 'format "date-time"') },
    ];
  });
}

/** Drops diagnostics that repeat another one, and those of single alternatives, since the one of the choice names all alternatives. */
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

/** Finds the keys that violate the schema for keys; undefined if it doesn't have the keyword. Prism reports a diagnostic for each, without the key. */
function findRejectedKeys(value: object, keyword: string, schemas: readonly JsonSchema[]): string[] | undefined {
  const { maxLength, pattern } =
    schemas.find(({ propertyNames = {} }) => keyword in propertyNames)?.propertyNames ?? {};
  if (keyword === "maxLength" && maxLength !== undefined)
    return Object.keys(value).filter((key) => [...key].length > maxLength);
  if (keyword !== "pattern" || pattern === undefined) return undefined;
  const expression = new RegExp(pattern, "u");
  return Object.keys(value).filter((key) => !expression.test(key));
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
