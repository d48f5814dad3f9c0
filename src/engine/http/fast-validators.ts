// Validates requests with validators that the build compiles from Prism's operations. They accept valid requests fast.
// Prism decides about the rejected ones (prism.ts). A test compares the two.
import type { ErrorObject } from "ajv/dist/2020.js";
import control from "../../contract/generated/control-validators.js";
import service from "../../contract/generated/validators.js";
import { getValue, splitPointer } from "../../platform/member-paths.ts";
import type { Route, SentParts } from "./exchange.ts";

/** The sections in the order in which Prism reports them. */
const SECTIONS = ["body", "headers", "query", "path"] as const;
export type Section = (typeof SECTIONS)[number];
/** Keywords whose errors only repeat that a schema inside them failed. */
export const ECHOES: readonly string[] = ["if", "propertyNames"];

type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null };
type Validators = Partial<Record<Section, Validator>>;

const findValidators = ({ control: isControl, id }: Route): Validators => (isControl ? control : service)[id] ?? {};

/** Finds the sections that Prism has to validate; none for a valid request. */
export function findRejectedSections(sent: SentParts, route: Route): readonly Section[] {
  const validators = findValidators(route);
  return SECTIONS.filter(
    (section) => isOverridden(route, section) || !passes[section](sent, route, validators[section]),
  );
}

/** Whether an overridden assumption changes the section. Such a section has no compiled validator. */
export const isOverridden = ({ operation, documented = operation }: Route, section: Section): boolean =>
  operation.request?.[section] !== documented.request?.[section];

/**
 * Finds the first violation of the body, with its schema; undefined for a valid body. The last error is used, because
 * the error of a choice follows those of its alternatives.
 */
export function findFirstError(body: unknown, route: Route): ErrorObject | undefined {
  const validator = findValidators(route).body;
  if (!validator || validator(body)) return undefined;
  const error = validator.errors?.findLast(({ keyword }) => !ECHOES.includes(keyword));
  if (!error) return undefined;
  const schema = (route.documented ?? route.operation).request?.body?.contents?.[0]?.schema;
  const steps = splitPointer(error.schemaPath);
  return { ...error, schema: getValue(schema, steps), parentSchema: Object(getValue(schema, steps.slice(0, -1))) };
}

type Passes = (sent: SentParts, route: Route, validator: Validator | undefined) => boolean;

const passes: Readonly<Record<Section, Passes>> = {
  body({ body, raw }, { operation: { request } }, validator) {
    if (!request?.body) return true;
    // A body that was sent and can't be read is not missing.
    if (body === undefined) return !request.body.required && (raw === undefined || raw.length === 0);
    return validator?.(body) ?? false;
  },
  // Other headers are validated where they are used.
  headers: ({ headers }, _, validator) =>
    validator?.({ "accept-language": headers["accept-language"], "sandbox-world": headers["sandbox-world"] }) ?? true,
  query({ query }, { operation: { request } }, validator) {
    if (!validator) return true;
    const values: Record<string, unknown> = {};
    for (const { name, schema } of request?.query ?? []) {
      const value = query[name];
      if (value === undefined) continue;
      // Prism decides about a parameter that was sent several times.
      if (typeof value !== "string") return false;
      values[name.toLowerCase()] = schema?.type === "array" ? value.split(",") : value;
    }
    return validator(values);
  },
  path({ params }, _, validator) {
    if (!validator) return true;
    const values: Record<string, string> = {};
    // Prism uses lower-case names of parameters.
    for (const name in params) values[name.toLowerCase()] = params[name] ?? "";
    return validator(values);
  },
};
