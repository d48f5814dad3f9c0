// Every error of a rejected request: AJV on the schemas of Prism's operations, with Prism's options. The work is bounded: a loop over
// members or items ends after enough errors, or a body of 1 MiB would block all other requests.

import type { IHttpOperation } from "@stoplight/types";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { JsonSchema } from "../../contract/json-schema.ts";
import formats from "./formats.cjs";
import { type Parameter, parametersOf } from "./parameters.ts";

/** At least so many errors are counted: to find them takes 20 ms or so. */
export const MOST_COUNTED = 20_000;

const OPTIONS = {
  allErrors: true,
  verbose: true,
  allowUnionTypes: true,
  allowMatchingProperties: true,
  strict: false,
  validateSchema: false,
  logger: false,
  formats: formats as never,
  code: { process: boundedLoops },
} as const;

/** For bodies: JSON has types. */
const plain = new Ajv2020({ ...OPTIONS, coerceTypes: false });
/** For parameters, which are texts. */
const coercing = new Ajv2020({ ...OPTIONS, coerceTypes: true });

/** AJV passes the code it has generated through this. Its validators count in `errors`. */
export function boundedLoops(code: string): string {
  return code.replace(/for\((?:let|const) \w+[^{;]*(?:;[^{;]*;[^{;]*)?\{/g, `$&if(errors>=${MOST_COUNTED})break;`);
}

/** By operation; overrides make new operations, which are bound once. */
const known = new WeakMap<IHttpOperation, Map<string, ValidateFunction>>();

export type Section = "query" | "path" | "headers" | "body";

/** Every error of the value in that place of the operation, in AJV's words. */
export function errorsOf(operation: IHttpOperation, section: Section, value: unknown): readonly ErrorObject[] {
  const validator = validatorOf(operation, section);
  return validator(value) ? [] : (validator.errors ?? []);
}

export const isCompiled = (operation: IHttpOperation, section: Section): boolean =>
  known.get(operation)?.has(section) === true;

/** Compiled when it is first asked for, which takes up to 50 ms. */
export function validatorOf(operation: IHttpOperation, section: Section): ValidateFunction {
  const validators = known.get(operation) ?? new Map<string, ValidateFunction>();
  known.set(operation, validators);
  const validator = validators.get(section) ?? compiled(operation, section);
  validators.set(section, validator);
  return validator;
}

function compiled(operation: IHttpOperation, section: Section): ValidateFunction {
  if (section !== "body") return coercing.compile(schemaOf(parametersOf(operation, section)));
  return plain.compile(withoutDialect(operation.request?.body?.contents?.[0]?.schema as JsonSchema | undefined));
}

/** As Prism makes one schema of an operation's parameters, whose names it lowers. */
function schemaOf(parameters: readonly Parameter[]): object {
  const named = parameters.map(({ name, schema, required }) => ({ name: name.toLowerCase(), schema, required }));
  return {
    type: "object",
    properties: Object.fromEntries(named.map(({ name, schema }) => [name, withoutDialect(schema)])),
    required: named.filter(({ required }) => required).map(({ name }) => name),
  };
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema & { $schema?: string } = {}): object {
  return schema;
}
