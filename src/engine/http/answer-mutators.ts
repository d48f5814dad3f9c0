// Changes a response as a later version of the service might, by the schema of the operation: unknown values of
// extensible enums, unknown fields, and missing optional fields. The record itself doesn't change.

import type { JsonSchema } from "../../contract/json-schema.ts";
import { UNKNOWN_MEMBER } from "../../platform/unknown-member.ts";
import type { Fault } from "../app/application.ts";
import { ANY } from "../domain/kernel/fault-rules.ts";
import { publicRoutes } from "./routes.ts";

type AnswerChange = NonNullable<Fault["answer"]>;

/** The service has no such value. */
const UNKNOWN_VALUE = "SANDBOX_UNKNOWN";
/** Programs often don't expect this list to be empty. */
const ADDRESS_LINES = "address_lines";
/** A page without a cursor would end the list, which is another fault. */
const CURSOR = "next";
/** The number of paths in the log. */
const MAX_REPORTED_PATHS = 8;

/** Returns the bodies with which clients created or changed a record. */
export type SentFor = (id: string) => readonly unknown[];

interface SchemaWalk {
  change: AnswerChange;
  sentFor: SentFor;
  values: Set<string>;
  absent: Set<string>;
  objects: number;
}

/** Returns a changed copy of a body, and a description; undefined if there is nothing to change. */
export function changeBody(
  body: unknown,
  schema: JsonSchema,
  change: AnswerChange,
  sentFor: SentFor,
): { body: unknown; did: string } | undefined {
  const walk: SchemaWalk = { change, sentFor, values: new Set(), absent: new Set(), objects: 0 };
  const changed = changeValue(body, { schemas: [schema], path: [], sent: [], isInside: false }, walk);
  const did = [
    ...reportPaths(`put ${UNKNOWN_VALUE} at`, walk.values),
    ...(walk.objects > 0 ? [`put an unknown member into ${walk.objects} objects`] : []),
    ...reportPaths("left out", walk.absent),
  ];
  return did.length === 0 ? undefined : { body: changed, did: did.join(", and ") };
}

function reportPaths(verb: string, paths: ReadonlySet<string>): string[] {
  if (paths.size === 0) return [];
  const more = paths.size > MAX_REPORTED_PATHS ? ` and ${paths.size - MAX_REPORTED_PATHS} more` : "";
  return [`${verb} ${[...paths].slice(0, MAX_REPORTED_PATHS).join(", ")}${more}`];
}

/** A value that the walk visits: the schemas of the value, and the values that clients sent for it. */
interface Visit {
  schemas: readonly JsonSchema[];
  path: readonly string[];
  sent: readonly unknown[];
  /** Whether the value is inside of an optional field. */
  isInside: boolean;
}

function changeValue(value: unknown, { schemas, path, sent, isInside }: Visit, walk: SchemaWalk): unknown {
  const parts = schemas.flatMap(listParts);
  if (Array.isArray(value)) {
    // All items have the path of the list, so the log names them once.
    const items = { schemas: parts.flatMap((part) => part.items ?? []), path, sent: sent.flat(), isInside };
    return value.map((each) => changeValue(each, items, walk));
  }
  if (typeof value === "object" && value !== null)
    return changeObject(value, { schemas: parts, path, sent, isInside }, walk);
  if (typeof value !== "string" || !isUnknownValueWanted(parts, path.at(-1), walk.change)) return value;
  return recordPath(walk.values, path, UNKNOWN_VALUE);
}

function changeObject(value: object, { schemas: parts, path, sent, isInside }: Visit, walk: SchemaWalk): object {
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const known = parts.filter(({ properties }) => properties);
  const { id } = value as { id?: unknown };
  // Every version of the service returns the values that clients sent, so they are not omitted.
  const given = [...sent, ...(typeof id === "string" ? walk.sentFor(id) : [])];
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const spot: Visit = {
      schemas: known.flatMap(({ properties }) => properties?.[name] ?? []),
      path: [...path, name],
      sent: given.flatMap((each) => readMember(each, name)),
      isInside: isInside || !required.has(name),
    };
    const field = { isRequired: required.has(name), isInside };
    if (spot.schemas.length > 0 && isLeftOut(member, spot, field, walk.change))
      // Only this field is emptied instead of omitted.
      return recordPath(walk.absent, spot.path, name === ADDRESS_LINES ? [[name, []]] : []);
    return [[name, changeValue(member, spot, walk)]];
  });
  // A map with names of the integrator has no unknown fields.
  if (!walk.change.unknown_members || known.length === 0) return Object.fromEntries(members);
  walk.objects++;
  return { ...Object.fromEntries(members), ...UNKNOWN_MEMBER };
}

const readMember = (value: unknown, name: string): unknown[] =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? [(value as Readonly<Record<string, unknown>>)[name]]
    : [];

/**
 * Whether to omit a field. Unless the fault names it, a value that a client sent stays, because every version of the
 * service returns it. Parts of an optional field that have fields of their own stay, so that those can be omitted.
 */
function isLeftOut(
  value: unknown,
  { path, sent }: Visit,
  { isRequired, isInside }: { isRequired: boolean; isInside: boolean },
  { leave_out, leave_out_inside }: AnswerChange,
): boolean {
  const name = path.at(-1) as string;
  const isOptional = name === ADDRESS_LINES || !isRequired;
  if ([leave_out].flat().includes(name)) return isOptional;
  if (sent.length > 0) return false;
  const isCursor = name === CURSOR && path.length === 1;
  if (leave_out === true && isOptional && !isCursor) return true;
  const hasParts = [value].flat().some((each) => typeof each === "object" && each !== null);
  return leave_out_inside === true && isInside && isOptional && !(hasParts && name !== ADDRESS_LINES);
}

function isUnknownValueWanted(parts: readonly JsonSchema[], name: string | undefined, change: AnswerChange): boolean {
  const { unknown_value } = change;
  if (unknown_value === undefined || !parts.some((part) => part["x-extensible-enum"])) return false;
  return unknown_value === true || unknown_value === name;
}

function recordPath<T>(into: Set<string>, path: readonly string[], value: T): T {
  into.add(path.join("."));
  return value;
}

/** Lists a schema with its parts, including every alternative of a choice. */
function listParts(schema: JsonSchema): JsonSchema[] {
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap(listParts)];
}

type IsField = (name: string, schema: JsonSchema, required: ReadonlySet<string>) => boolean;

/** Whether the values of the field are extensible, or are lists of such values. */
export const isExtensibleField: IsField = (_, schema) => isExtensible(schema);

/** Whether the field may be omitted. */
export const isOptionalField: IsField = (name, _, required) => name === ADDRESS_LINES || !required.has(name);

function isExtensible(schema: JsonSchema): boolean {
  const parts = listParts(schema);
  const items = parts.flatMap((part) => part.items ?? []);
  return parts.some((part) => part["x-extensible-enum"]) || items.some(isExtensible);
}

/** Finds the names of matching fields at any depth. */
function findNames(schema: JsonSchema, isOne: IsField): string[] {
  const parts = listParts(schema);
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const members = parts.flatMap(({ properties = {} }) => Object.entries(properties));
  const items = parts.flatMap((part) => part.items ?? []);
  const found = members.filter(([name, member]) => isOne(name, member, required)).map(([name]) => name);
  const inner = [...members.map(([, member]) => member), ...items];
  return [...found, ...inner.flatMap((each) => findNames(each, isOne))];
}

/**
 * Lists the names of fields in the successful responses of an operation, or of all for `*`. Error responses have other
 * faults.
 */
export function listResponseFields(operation: string, isOne: IsField): string[] {
  const responses = publicRoutes
    .filter(({ id }) => operation === ANY || operation === id)
    .flatMap((route) => route.operation.responses.filter(({ code }) => code.startsWith("2")));
  const schemas = responses.flatMap(({ contents = [] }) => contents.map(({ schema }) => (schema ?? {}) as JsonSchema));
  return [...new Set(schemas.flatMap((schema) => findNames(schema, isOne)))].sort();
}
