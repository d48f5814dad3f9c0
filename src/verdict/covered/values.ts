// What an answer shows, read beside its schema: the named records, the values of enums, and the assumptions that are cited on the way.
import { readPointer } from "../../platform/member-paths.ts";

export type DocumentNode = Readonly<Record<string, unknown>>;

/** The reader gets each thing as it is found. */
export interface SeenValues {
  /** Of a named schema: its name and the record. */
  record?(schema: string, value: DocumentNode): void;
  value(path: string, value: string): void;
  assumption(id: string): void;
}

interface At {
  schema: unknown;
  value: unknown;
  path: string;
}

export const targetOf = (document: DocumentNode, ref: string) => readPointer(document, ref) as DocumentNode | undefined;

const isObject = (value: unknown): value is DocumentNode =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readValues(document: DocumentNode, { schema, value, path }: At, seen: SeenValues): void {
  if (!isObject(schema) || value === undefined) return;
  // An assumption is met where something that rests on it is read.
  if (typeof schema["x-assumption"] === "string") seen.assumption(schema["x-assumption"]);
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    if (isObject(value)) seen.record?.(name, value);
    // A named object begins a path of its own, so that its members have one name wherever it stands.
    const isPart = isObject(value) || Array.isArray(value);
    readValues(document, { schema: targetOf(document, schema.$ref), value, path: isPart ? name : path }, seen);
  }
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : [])
    readValues(document, { schema: part, value, path }, seen);
  if (typeof value === "string" && enumOf(schema).includes(value)) seen.value(path, value);
  if (Array.isArray(value))
    for (const item of value) readValues(document, { schema: schema.items, value: item, path }, seen);
  else if (isObject(value) && isObject(schema.properties))
    for (const [name, member] of Object.entries(schema.properties))
      readValues(document, { schema: member, value: value[name], path: `${path}.${name}` }, seen);
}

const enumOf = (schema: DocumentNode): readonly string[] => {
  const values = schema.enum ?? schema["x-extensible-enum"];
  return Array.isArray(values) ? values.filter((each) => typeof each === "string") : [];
};

/** All that answers with this schema can show, by place. */
export function possible(
  document: DocumentNode,
  schema: unknown,
  { path, on = [] }: { path: string; on?: readonly string[] },
  seen: SeenValues,
): void {
  if (!isObject(schema)) return;
  if (typeof schema["x-assumption"] === "string") seen.assumption(schema["x-assumption"]);
  const name = typeof schema.$ref === "string" ? (schema.$ref.split("/").at(-1) ?? "") : undefined;
  if (name !== undefined && !on.includes(name)) {
    const target = targetOf(document, String(schema.$ref));
    const isPart = target?.type === "object" || target?.allOf !== undefined;
    possible(document, target, { path: isPart ? name : path, on: [...on, name] }, seen);
  }
  for (const value of enumOf(schema)) seen.value(path, value);
  for (const part of Array.isArray(schema.allOf) ? schema.allOf : []) possible(document, part, { path, on }, seen);
  possible(document, schema.items, { path, on }, seen);
  if (isObject(schema.properties))
    for (const [member, each] of Object.entries(schema.properties))
      possible(document, each, { path: `${path}.${member}`, on }, seen);
}
