// Reads a response together with its schema: the records, the values of enums, and the assumptions that the schema
// cites.
import { isObject } from "../../platform/json.ts";
import { readPointer } from "../../platform/member-paths.ts";

export type DocumentNode = Readonly<Record<string, unknown>>;

export interface SeenValues {
  /** Receives the name of a schema and a record of it. */
  record?(schema: string, value: DocumentNode): void;
  value(path: string, value: string): void;
  assumption(id: string): void;
}

interface SchemaValue {
  schema: unknown;
  value: unknown;
  path: string;
}

export const resolveReference = (document: DocumentNode, ref: string) =>
  readPointer(document, ref) as DocumentNode | undefined;

export function readValues(document: DocumentNode, { schema, value, path }: SchemaValue, seen: SeenValues): void {
  if (!isObject(schema) || value === undefined) return;
  // A value counts for the assumption that its schema cites.
  if (typeof schema["x-assumption"] === "string") seen.assumption(schema["x-assumption"]);
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    if (isObject(value)) seen.record?.(name, value);
    // The path of a named object starts with its name, so that its fields have the same path in every response.
    const isPart = isObject(value) || Array.isArray(value);
    readValues(document, { schema: resolveReference(document, schema.$ref), value, path: isPart ? name : path }, seen);
  }
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : [])
    readValues(document, { schema: part, value, path }, seen);
  if (typeof value === "string" && listEnumValues(schema).includes(value)) seen.value(path, value);
  if (Array.isArray(value))
    for (const item of value) readValues(document, { schema: schema.items, value: item, path }, seen);
  else if (isObject(value) && isObject(schema.properties))
    for (const [name, member] of Object.entries(schema.properties))
      readValues(document, { schema: member, value: value[name], path: `${path}.${name}` }, seen);
}

const listEnumValues = (schema: DocumentNode): readonly string[] => {
  const values = schema.enum ?? schema["x-extensible-enum"];
  return Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
};

/** Collects everything that a response with this schema can contain. */
export function collectPossible(
  document: DocumentNode,
  schema: unknown,
  { path, on = [] }: { path: string; on?: readonly string[] },
  seen: SeenValues,
): void {
  if (!isObject(schema)) return;
  if (typeof schema["x-assumption"] === "string") seen.assumption(schema["x-assumption"]);
  const name = typeof schema.$ref === "string" ? (schema.$ref.split("/").at(-1) ?? "") : undefined;
  if (name !== undefined && !on.includes(name)) {
    const target = resolveReference(document, String(schema.$ref));
    const isPart = target?.type === "object" || target?.allOf !== undefined;
    collectPossible(document, target, { path: isPart ? name : path, on: [...on, name] }, seen);
  }
  for (const value of listEnumValues(schema)) seen.value(path, value);
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : [])
    collectPossible(document, part, { path, on }, seen);
  collectPossible(document, schema.items, { path, on }, seen);
  if (isObject(schema.properties))
    for (const [member, each] of Object.entries(schema.properties))
      collectPossible(document, each, { path: `${path}.${member}`, on }, seen);
}
