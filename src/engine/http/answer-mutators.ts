// An answer as a later version of the service might give it, by the schema of the operation: unknown values where the specification calls
// an enum extensible, members that nobody knows, optional members absent. The record behind it stays as it is.
import type { JsonSchema } from "../../contract/json-schema.ts";
import { UNKNOWN_MEMBER } from "../../platform/unknown-member.ts";
import type { Fault } from "../app/application.ts";

type AnswerChange = NonNullable<Fault["answer"]>;

/** No value of the service is called so. */
const UNKNOWN_VALUE = "SANDBOX_UNKNOWN";
/** Its emptiness is what programs forget. */
const LINES = "address_lines";
/** Without it a list would end, which is another fault. */
const CURSOR = "next";
/** Paths named in the log. */
const MOST_REPORTED = 8;

/** The bodies by which clients made or changed a record. */
export type SentFor = (id: string) => readonly unknown[];

interface SchemaWalk {
  change: AnswerChange;
  sentFor: SentFor;
  values: Set<string>;
  absent: Set<string>;
  objects: number;
}

/** The changed copy of a body, and what was done; undefined where there is nothing to change. */
export function changeBody(
  body: unknown,
  schema: JsonSchema,
  change: AnswerChange,
  sentFor: SentFor,
): { body: unknown; did: string } | undefined {
  // Filled on the way: what was done, by the paths of the specification.
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
  const more = paths.size > MOST_REPORTED ? ` and ${paths.size - MOST_REPORTED} more` : "";
  return [`${verb} ${[...paths].slice(0, MOST_REPORTED).join(", ")}${more}`];
}

/** Where the walk is: what the specification says of it, and what clients sent for it. */
interface Spot {
  schemas: readonly JsonSchema[];
  path: readonly string[];
  sent: readonly unknown[];
  /** Inside of an optional member. */
  isInside: boolean;
}

function changeValue(value: unknown, { schemas, path, sent, isInside }: Spot, walk: SchemaWalk): unknown {
  const parts = schemas.flatMap(listParts);
  if (Array.isArray(value)) {
    // The path of a list is that of its items: one line in the log for all of them.
    const items = { schemas: parts.flatMap((part) => part.items ?? []), path, sent: sent.flat(), isInside };
    return value.map((each) => changeValue(each, items, walk));
  }
  if (typeof value === "object" && value !== null)
    return changeObject(value, { schemas: parts, path, sent, isInside }, walk);
  return isUnknownValueWanted(value, parts, path, walk) ? put(walk.values, path, UNKNOWN_VALUE) : value;
}

function changeObject(value: object, { schemas: parts, path, sent, isInside }: Spot, walk: SchemaWalk): object {
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const known = parts.filter(({ properties }) => properties);
  const { id } = value as { id?: unknown };
  // What clients sent comes back in every version of the service, so it is not left out.
  const given = [...sent, ...(typeof id === "string" ? walk.sentFor(id) : [])];
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const spot: Spot = {
      schemas: known.flatMap(({ properties }) => properties?.[name] ?? []),
      path: [...path, name],
      sent: given.flatMap((each) => readMember(each, name)),
      isInside: isInside || !required.has(name),
    };
    const isLeftOut =
      isToBeLeftOut(spot, required, walk.change) || (isInside && isPartLeftOut(member, spot, required, walk.change));
    if (spot.schemas.length > 0 && isLeftOut)
      // The one member that may be there and empty.
      return put(walk.absent, spot.path, name === LINES ? [[name, []]] : []);
    return [[name, changeValue(member, spot, walk)]];
  });
  // A map of the integrator's own names has no member that is unknown.
  if (!walk.change.unknown_members || known.length === 0) return Object.fromEntries(members);
  walk.objects++;
  return { ...Object.fromEntries(members), ...UNKNOWN_MEMBER };
}

const readMember = (value: unknown, name: string): unknown[] =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? [(value as Readonly<Record<string, unknown>>)[name]]
    : [];

/** Without a name, what a client sent stays: the service gives it back in every version. */
function isToBeLeftOut({ path, sent }: Spot, required: ReadonlySet<string>, { leave_out }: AnswerChange): boolean {
  if (leave_out === undefined || leave_out === false) return false;
  const name = path.at(-1) as string;
  const isCursor = name === CURSOR && path.length === 1;
  const isWanted = leave_out === true ? !isCursor && sent.length === 0 : leave_out.includes(name);
  return isWanted && (name === LINES || !required.has(name));
}

/** Of a part of an optional member; what has parts of its own stays as well, so that they can be absent. */
function isPartLeftOut(value: unknown, { path, sent }: Spot, required: ReadonlySet<string>, change: AnswerChange) {
  if (!change.leave_out_inside || sent.length > 0) return false;
  const name = path.at(-1) as string;
  const hasParts = [value].flat().some((each) => typeof each === "object" && each !== null);
  return name === LINES || !(hasParts || required.has(name));
}

function isUnknownValueWanted(
  value: unknown,
  parts: readonly JsonSchema[],
  path: readonly string[],
  { change: { unknown_value } }: SchemaWalk,
): boolean {
  if (typeof value !== "string" || !parts.some((part) => part["x-extensible-enum"])) return false;
  return unknown_value === true || (unknown_value !== undefined && unknown_value === path.at(-1));
}

function put<T>(into: Set<string>, path: readonly string[], value: T): T {
  into.add(path.join("."));
  return value;
}

/** A schema and what it is made of; of a choice every branch, since a value may be of any. */
function listParts(schema: JsonSchema): JsonSchema[] {
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap(listParts)];
}

/** The names of members whose values are extensible, or that are lists of such values. */
export const findExtensible = (schema: JsonSchema): string[] => findNames(schema, (_, member) => isExtensible(member));

/** The names of members that may be left out. */
export const findOptional = (schema: JsonSchema): string[] =>
  findNames(schema, (name, _, required) => name === LINES || !required.has(name));

function isExtensible(schema: JsonSchema): boolean {
  const parts = listParts(schema);
  const items = parts.flatMap((part) => part.items ?? []);
  return parts.some((part) => part["x-extensible-enum"]) || items.some(isExtensible);
}

/** At any depth. */
function findNames(
  schema: JsonSchema,
  isOne: (name: string, member: JsonSchema, required: ReadonlySet<string>) => boolean,
): string[] {
  const parts = listParts(schema);
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const members = parts.flatMap(({ properties = {} }) => Object.entries(properties));
  const items = parts.flatMap((part) => part.items ?? []);
  return [
    ...members.flatMap(([name, member]) => [
      ...(isOne(name, member, required) ? [name] : []),
      ...findNames(member, isOne),
    ]),
    ...items.flatMap((item) => findNames(item, isOne)),
  ];
}
