// An answer as a later version of the service might give it, by the schema of the operation: unknown values where the specification calls
// an enum extensible, members that nobody knows, optional members absent. The record behind it stays as it is.
import type { Fault } from "../app/application.ts";

type Change = NonNullable<Fault["answer"]>;

/** What is read of a schema. */
export interface Schema {
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  allOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  additionalProperties?: boolean | Schema;
  "x-extensible-enum"?: readonly unknown[];
}

export const UNKNOWN_VALUE = "SANDBOX_UNKNOWN";
const UNKNOWN_MEMBER = { sandbox_unknown: { note: "a member that nobody knows" } };
/** Its emptiness is what programs forget. */
const LINES = "address_lines";
/** Without it a list would end, which is another fault. */
const CURSOR = "next";
const MOST_TOLD = 8;

interface Walk {
  change: Change;
  values: Set<string>;
  absent: Set<string>;
  objects: number;
}

/** The changed copy of a body, and what was done; undefined where there is nothing to change. */
export function mutated(body: unknown, schema: Schema, change: Change): { body: unknown; did: string } | undefined {
  const walk: Walk = { change, values: new Set(), absent: new Set(), objects: 0 };
  const changed = changedAt(body, [schema], [], walk);
  const did = [
    ...told(`put ${UNKNOWN_VALUE} at`, walk.values),
    ...(walk.objects > 0 ? [`put an unknown member into ${walk.objects} objects`] : []),
    ...told("left out", walk.absent),
  ];
  return did.length === 0 ? undefined : { body: changed, did: did.join(", and ") };
}

function told(verb: string, paths: ReadonlySet<string>): string[] {
  if (paths.size === 0) return [];
  const more = paths.size > MOST_TOLD ? ` and ${paths.size - MOST_TOLD} more` : "";
  return [`${verb} ${[...paths].slice(0, MOST_TOLD).join(", ")}${more}`];
}

function changedAt(value: unknown, schemas: readonly Schema[], path: readonly string[], walk: Walk): unknown {
  const parts = schemas.flatMap(partsOf);
  if (Array.isArray(value)) {
    const items = parts.flatMap((part) => part.items ?? []);
    return value.map((each) => changedAt(each, items, path, walk));
  }
  if (typeof value === "object" && value !== null) return changedObject(value, parts, path, walk);
  return isUnknownValueWanted(value, parts, path, walk) ? put(walk.values, path, UNKNOWN_VALUE) : value;
}

function changedObject(value: object, parts: readonly Schema[], path: readonly string[], walk: Walk): object {
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const known = parts.filter(({ properties }) => properties);
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const at = [...path, name];
    const schemas = known.flatMap(({ properties }) => properties?.[name] ?? []);
    if (schemas.length > 0 && isToBeLeftOut(name, path, required, walk))
      return put(walk.absent, at, name === LINES ? [[name, []]] : []);
    return [[name, changedAt(member, schemas, at, walk)]];
  });
  // A map of the integrator's own names has no member that is unknown.
  if (!walk.change.unknown_members || known.length === 0) return Object.fromEntries(members);
  walk.objects++;
  return { ...Object.fromEntries(members), ...UNKNOWN_MEMBER };
}

function isToBeLeftOut(
  name: string,
  path: readonly string[],
  required: ReadonlySet<string>,
  { change: { leave_out } }: Walk,
): boolean {
  if (leave_out === undefined || leave_out === false) return false;
  const isWanted = leave_out === true ? !(name === CURSOR && path.length === 0) : leave_out.includes(name);
  return isWanted && (name === LINES || !required.has(name));
}

function isUnknownValueWanted(
  value: unknown,
  parts: readonly Schema[],
  path: readonly string[],
  { change: { unknown_value } }: Walk,
): boolean {
  if (typeof value !== "string" || !parts.some((part) => part["x-extensible-enum"])) return false;
  return unknown_value === true || (unknown_value !== undefined && unknown_value === path.at(-1));
}

function put<T>(into: Set<string>, path: readonly string[], value: T): T {
  into.add(path.join("."));
  return value;
}

/** A schema and what it is made of; of a choice every branch, since a value may be of any. */
function partsOf(schema: Schema): Schema[] {
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap(partsOf)];
}

/** The names of members whose values are extensible. */
export function extensibleIn(schema: Schema, name = ""): string[] {
  const parts = partsOf(schema);
  const own = parts.some((part) => part["x-extensible-enum"]) ? [name] : [];
  const members = parts.flatMap(({ properties = {} }) => Object.entries(properties));
  const items = parts.flatMap((part) => part.items ?? []);
  return [
    ...own,
    ...items.flatMap((item) => extensibleIn(item, name)),
    ...members.flatMap(([member, inner]) => extensibleIn(inner, member)),
  ];
}
