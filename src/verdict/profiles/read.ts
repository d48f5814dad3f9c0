// Reads a company's own profiles from a file in the format of spec/profiles.yaml. Each error names the line and
// suggests the intended name.
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import table from "../../contract/generated/profiles.json" with { type: "json" };
import { PATTERNS } from "../../engine/domain/index.ts";
import { suggest } from "../../platform/nearest.ts";
import { readPositioned } from "../../platform/positions.ts";
import { createProfile, type Profile, type Requirements } from "./profile.ts";

/** The message has the form `file:line: sentence`. */
export class ProfileError extends Error {}

/** Throws a ProfileError for the first mistake. */
export function readProfiles(text: string, file: string): Profile[] {
  const { document, errors, positionOf } = readPositioned(text);
  const [error] = errors;
  if (error) throw new ProfileError(`${file}:${error.line}: ${error.message}`);
  const rows: unknown = document.toJS();
  const validate = new Ajv2020({ strict: true, verbose: true }).compile(table.schema);
  if (!validate(rows)) {
    // An unknown name explains more than the errors that it causes.
    const violation = validate.errors?.find(({ params }) => "allowedValues" in params) ?? validate.errors?.[0];
    throw new ProfileError(formatError(violation as ErrorObject, file, positionOf));
  }
  return Object.entries(rows as Record<string, Requirements>).map(([name, row]) => createProfile(name, row));
}

function formatError(
  { instancePath, message, params, data, propertyName }: ErrorObject,
  file: string,
  positionOf: ReturnType<typeof readPositioned>["positionOf"],
): string {
  const path = instancePath.split("/").slice(1);
  const { line } = positionOf(path.map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
  const where = path.length === 0 ? "the file" : path.join(".");
  const { allowedValues, additionalProperty, pattern } = params as Record<string, unknown>;
  if (Array.isArray(allowedValues) && typeof data === "string")
    return `${file}:${line}: ${where}: unknown ${path[1] === "operations" ? "operation" : "check"} ${data}.${suggest(data, allowedValues)}`;
  const named = propertyName ?? additionalProperty;
  return `${file}:${line}: ${where} ${describePattern(pattern) ?? message}${named === undefined ? "" : ` (${String(named)})`}.`;
}

/** No message shows a regular expression. */
const describePattern = (pattern: unknown): string | undefined => {
  const form = typeof pattern === "string" ? PATTERNS[pattern] : undefined;
  return form && `must be ${form}`;
};
