// Every violation of a request, in words. Assumption: violations.
import type { IHttpOperation } from "@stoplight/types";
import type { ErrorObject } from "ajv/dist/2020.js";
import { MOST_NAMED } from "../domain/kernel/domain-error.ts";
import type { Exchange, Violation } from "./exchange.ts";
import { parametersOf } from "./parameters.ts";
import { errorsOf, MOST_COUNTED, type Section } from "./request-validators.ts";
import { alternativesOf, kindsOf, violation, worded } from "./violation.ts";

/** Keywords whose own message only repeats that something inside them failed. */
const ECHOES = ["if", "propertyNames"];

interface FoundViolations {
  violations: Violation[];
  count: number;
  /** Whether there may be more than were counted. */
  more: boolean;
}

/** `count`: all that were found, worded or not. Only the first are worded, since a body may have thousands. */
export function violationsOf(exchange: Exchange, operation: IHttpOperation): FoundViolations {
  const parts: Section[] = ["body", "headers", "query", "path"];
  const names = parts.flatMap((part) => (part === "body" ? [] : parametersOf(operation, part)).map(({ name }) => name));
  const found: FoundViolations = { violations: [], count: 0, more: false };
  if (isBodyMissing(exchange, operation)) {
    found.violations.push(violation(["body"], "required", "body is required."));
    found.count++;
  }
  for (const part of parts) {
    const value = givenIn(exchange, operation, part);
    if (value === undefined) continue;
    const errors = errorsOf(operation, part, value);
    const telling = errors.filter(isTelling(errors));
    found.more ||= errors.length >= MOST_COUNTED;
    found.count += telling.length;
    const section = part === "headers" ? "header" : part;
    for (const error of telling.slice(0, MOST_NAMED - found.violations.length))
      found.violations.push(worded(error, section, exchange, names));
  }
  return found;
}

/** Neither an error that only repeats another one, nor one of an alternative: the error of the choice names them all. */
function isTelling(errors: readonly ErrorObject[]): (error: ErrorObject) => boolean {
  const at = ({ instancePath }: ErrorObject, schemaPath: string) => `${instancePath} ${schemaPath}`;
  // By place, so that each required member of a branch can be told to belong to its choice.
  const choices = new Set(
    errors
      .filter(({ keyword, schema }) => /^(one|any)Of$/.test(keyword) && alternativesOf(schema) !== undefined)
      .map((error) => at(error, error.schemaPath)),
  );
  const isInChoice = (error: ErrorObject) =>
    error.keyword === "required" && choices.has(at(error, error.schemaPath.replace(/\/\d+\/required$/, "")));
  const kinds = errors.filter(({ keyword, schema }) => keyword === "anyOf" && kindsOf(schema) !== undefined);
  const isOfKind = ({ instancePath, schemaPath }: ErrorObject) =>
    kinds.some((each) => each.instancePath === instancePath && schemaPath.startsWith(`${each.schemaPath}/`));
  return (error) =>
    !ECHOES.includes(error.keyword) &&
    !(choices.size > 0 && isInChoice(error)) &&
    !(kinds.length > 0 && isOfKind(error));
}

/** A body of `null` counts as missing. */
function isBodyMissing({ body }: Exchange, { request }: IHttpOperation): boolean {
  return request?.body?.required === true && (body === undefined || body === null);
}

function givenIn(exchange: Exchange, operation: IHttpOperation, part: Section): unknown {
  if (part === "body") return operation.request?.body ? (exchange.body ?? undefined) : undefined;
  if (parametersOf(operation, part).length === 0) return undefined;
  const given = { query: exchange.query, path: exchange.params, headers: exchange.headers }[part];
  const values: Record<string, unknown> = {};
  for (const { name, schema } of parametersOf(operation, part)) {
    const value = given[name] ?? given[name.toLowerCase()];
    // An empty parameter is none (assumption: parameter-empty).
    if (value === undefined || value === "") continue;
    values[name.toLowerCase()] = schema?.type === "array" && typeof value === "string" ? value.split(",") : value;
  }
  return values;
}
