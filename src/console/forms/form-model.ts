// What the JSON schema of an input asks for, as the fields of a form; and an input that is typed into it: members are set by their
// path, and what stays empty is left out, so that the preview is exactly what is sent.
import type { JsonSchema } from "../../contract/json-schema.ts";
import { isObject } from "../../platform/json.ts";
import { getValue } from "../../platform/member-paths.ts";

export type Path = readonly (string | number)[];
export type Input = Readonly<Record<string, unknown>>;

/** `text` also stands for numbers and JSON: `types` says what the text may mean. `choices`: any of a few. */
type FieldKind = "text" | "choice" | "choices" | "group" | "list";

/** What a form needs of a member to draw it, to read it and to say what it is for. */
export interface Field {
  name: string;
  kind: FieldKind;
  types: readonly string[];
  required: boolean;
  help: string;
  example: string;
  options: readonly string[];
  /** The members of a group. */
  fields: readonly Field[];
  /** What a list is made of. */
  item?: Field;
  /** The collection of which it names a record. */
  picks?: string;
}

/** Members that name something which is no record of its own. */
const PICKS: Readonly<Record<string, string>> = {
  operation: "operations",
  type_id: "offers",
  information_request_id: "questions",
};

interface Member {
  name: string;
  schema: JsonSchema;
  required: boolean;
}

/** The collection of which a member names a record, as the sandbox says. */
type FindCollection = (member: string) => string | undefined;

/** Required members first, otherwise as the schema has them. */
export function toFields(schema: JsonSchema, findCollection: FindCollection = () => undefined): Field[] {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, of]) =>
    toField({ name, schema: of, required: required.has(name) }, findCollection),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function toField({ name, schema, required }: Member, findCollection: FindCollection): Field {
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  const kind = chooseKind(schema, types);
  const picks = PICKS[name] ?? findCollection(name);
  const chosen = schema.items?.enum ?? schema.enum ?? (types[0] === "boolean" ? [true, false] : []);
  return {
    name,
    kind,
    types,
    required,
    help: formatHelp(schema),
    example: formatValue(schema.examples?.[0]),
    options: chosen.map(formatValue),
    fields: kind === "group" ? toFields(schema, findCollection) : [],
    ...(kind === "list" && schema.items
      ? { item: toField({ name, schema: schema.items, required: true }, findCollection) }
      : {}),
    ...(picks ? { picks } : {}),
  };
}

function chooseKind({ enum: values, items, properties }: JsonSchema, types: readonly string[]): FieldKind {
  if (types.length > 1) return "text";
  if (values || types[0] === "boolean") return "choice";
  if (types[0] === "array" && items) return items.enum ? "choices" : "list";
  return types[0] === "object" && properties ? "group" : "text";
}

function formatHelp({ description = "", default: byDefault }: JsonSchema): string {
  // The sentence says no more than the list of records under the field.
  const text = description === "The id of an existing record." ? "" : description.replace(/\s+/g, " ").trim();
  return [text, byDefault === undefined ? "" : `Default: ${formatValue(byDefault)}.`].filter(Boolean).join(" ");
}

/** Without members that are no group or list where the form has one: an address may have anything. */
export function omitMisfits(input: Input, fields: readonly Field[]): Input {
  const misfits = new Set(fields.filter((field) => !canHold(field, input[field.name])).map(({ name }) => name));
  return Object.fromEntries(Object.entries(input).filter(([name]) => !misfits.has(name)));
}

function canHold({ kind, fields, item }: Field, value: unknown): boolean {
  if (value === undefined || kind === "text" || kind === "choice") return true;
  if (kind !== "group") return Array.isArray(value) && (!item || value.every((each) => canHold(item, each)));
  return isObject(value) && fields.every((field) => canHold(field, value[field.name]));
}

/** A value as it is typed. */
export function formatValue(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** What a typed text means for a field: JSON where it parses as a type that the field takes besides a text. */
export function parseText({ types }: Pick<Field, "types">, text: string): unknown {
  if (text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    const fits = types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
    // A text that looks like a number is a text, where texts are taken.
    if (fits && type !== "string") return value;
  } catch {
    // It is a text then, and the sandbox says if it takes none.
  }
  return text;
}

/** A copy with the value at the path; an empty value takes the member away, and objects that become empty with it. */
export function withValue(input: Input, path: Path, value: unknown): Input {
  return (setAtPath(input, path, value) ?? {}) as Input;
}

/** A copy with the value at the path. What becomes empty is left out. */
function setAtPath(at: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (typeof name === "number") {
    const list = Array.isArray(at) ? [...at] : [];
    list[name] = setAtPath(list[name], rest, value) ?? (rest.length > 0 ? {} : "");
    return list;
  }
  const { [name]: before, ...others } = (at ?? {}) as Record<string, unknown>;
  const after = setAtPath(before, rest, value);
  const order = Object.keys((at ?? {}) as object);
  if (after === undefined) return Object.keys(others).length > 0 ? others : undefined;
  return order.includes(name) ? { ...(at as object), [name]: after } : { ...others, [name]: after };
}

/** The list without one of its rows; the last row takes the list with it. */
export function removeRow(input: Input, path: Path, row: number): Input {
  const rows = (getValue(input, path) as unknown[]).filter((_, at) => at !== row);
  return withValue(input, path, rows.length > 0 ? rows : undefined);
}
