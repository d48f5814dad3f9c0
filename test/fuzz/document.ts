// A served OpenAPI document as the fuzzer reads it: operations with their parameters and bodies, and, by a validator that has nothing
// to do with the sandbox's own, whether a value fits a schema of it.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Schema = { [word: string]: unknown };

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body?: { type: string; schema: Schema; required: boolean };
  statuses: readonly string[];
  /** Undefined: no schema is documented for this status. */
  fits(status: number, body: unknown): ValidateFunction | undefined;
}

export interface Description {
  operations: Operation[];
  resolve(schema: Schema): Schema;
  fits(schema: Schema, value: unknown): boolean;
}

const METHODS = ["get", "post", "put", "delete", "patch"];

export function describeApi(document: Schema): Description {
  const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
  const addFormats = (formats as unknown as { default?: typeof formats.default }).default ?? formats;
  (addFormats as typeof formats.default)(ajv);
  ajv.addSchema(document, "document");
  const compiled = new Map<Schema, ValidateFunction>();
  const validator = (schema: Schema): ValidateFunction => {
    const known = compiled.get(schema) ?? ajv.compile(absolute(schema) as Schema);
    compiled.set(schema, known);
    return known;
  };
  const resolve = (value: Schema): Schema =>
    typeof value.$ref === "string" ? { ...resolve(at(document, value.$ref)), ...without(value, "$ref") } : value;
  const operations = Object.entries(document.paths as Schema).flatMap(([path, item]) =>
    METHODS.filter((method) => method in (item as Schema)).map((method) => {
      const operation = (item as Schema)[method] as Schema;
      const shared = [(item as Schema).parameters, operation.parameters].flat().filter(Boolean) as Schema[];
      const responses = operation.responses as Record<string, Schema>;
      const schemas = new Map(Object.entries(responses).map(([status, each]) => [status, schemaIn(resolve(each))]));
      return {
        id: String(operation.operationId),
        method: method.toUpperCase(),
        path,
        parameters: shared.map((each) => resolve(each) as unknown as Parameter),
        ...bodyOf(operation.requestBody as Schema | undefined, resolve),
        statuses: Object.keys(responses).filter((status) => status !== "default"),
        fits(status: number, body: unknown) {
          const schema = schemas.get(String(status));
          const fits = schema && validator(schema);
          return fits?.(body) ? undefined : fits;
        },
      };
    }),
  );
  return { operations, resolve, fits: (schema, value) => validator(schema)(value) };
}

function bodyOf(body: Schema | undefined, resolve: (schema: Schema) => Schema): Pick<Operation, "body"> {
  if (!body) return {};
  const { content, required } = resolve(body) as { content: Record<string, { schema: Schema }>; required?: boolean };
  const [[type, { schema }] = ["", { schema: {} }]] = Object.entries(content);
  return { body: { type, schema, required: required === true } };
}

const schemaIn = (response: Schema): Schema | undefined =>
  (response.content as Record<string, { schema: Schema }> | undefined)?.["application/json"]?.schema;

function without(value: Schema, name: string): Schema {
  const { [name]: _, ...rest } = value;
  return rest;
}

function at(document: Schema, reference: string): Schema {
  const names = reference
    .slice(2)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>((found, name) => (found as Schema)[name], document) as Schema;
}

/** References into the document, wherever the schema is compiled. */
function absolute(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(absolute);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === "$ref" && String(member).startsWith("#") ? `document${String(member)}` : absolute(member),
  ]);
  return Object.fromEntries(members);
}
