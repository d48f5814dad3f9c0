// Finds the parts of a JSON Schema that apply to the value at a path.
import type { JsonSchema } from "../../contract/json-schema.ts";
import { decodeStep } from "../../platform/member-paths.ts";

/** Finds every schema for the value at the path, including those in allOf, anyOf, oneOf, then and else. `segments`: steps of a JSON pointer. */
export function findSchemasAt(schema: JsonSchema, segments: readonly string[]): JsonSchema[] {
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
