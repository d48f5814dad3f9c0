// Converts a JSON schema to the fields of a form, typed text to input, and a rejection to problems of fields. Empty fields are omitted,
// so the preview is exactly what is sent.
import { nameMember, type ReportedError } from "../../client/sandbox-error.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { formatCommand } from "../../platform/format-command.ts";
import { isObject, parseJson } from "../../platform/json.ts";
import { getValue } from "../../platform/member-paths.ts";
import { toCommand } from "../../platform/shell-quoted.ts";
import { toSentenceCase } from "../to-sentence-case.ts";

export type Path = readonly (string | number)[];
export type Input = Readonly<Record<string, unknown>>;

/** `text` is also used for numbers and JSON, as `types` says. `choices` allows several of the options. */
type FieldKind = "text" | "choice" | "choices" | "group" | "list";

/** A field of a form: how it is drawn, parsed and explained. */
export interface Field {
  name: string;
  kind: FieldKind;
  types: readonly string[];
  required: boolean;
  help: string;
  example: string;
  options: readonly string[];
  /** The fields of a group. */
  fields: readonly Field[];
  /** The field of each item of a list. */
  item?: Field;
  /** The collection to which the named record belongs. */
  picks?: string;
}

/** Fields that name something other than a record. */
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

/** Returns the collection of the records that a field names. */
type FindCollection = (member: string) => string | undefined;

/** Converts a schema to fields: required fields first, otherwise in the order of the schema. */
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
  // The list of records below the field already says this.
  const text = description === "The id of an existing record." ? "" : description.replace(/\s+/g, " ").trim();
  return [text, byDefault === undefined ? "" : `Default: ${formatValue(byDefault)}.`].filter(Boolean).join(" ");
}

/** Omits values that a group or list of the form can't show, because the address may contain anything. */
export function omitMisfits(input: Input, fields: readonly Field[]): Input {
  const misfits = new Set(fields.filter((field) => !canHold(field, input[field.name])).map(({ name }) => name));
  return Object.fromEntries(Object.entries(input).filter(([name]) => !misfits.has(name)));
}

function canHold({ kind, fields, item }: Field, value: unknown): boolean {
  if (value === undefined || kind === "text" || kind === "choice") return true;
  if (kind !== "group") return Array.isArray(value) && (!item || value.every((each) => canHold(item, each)));
  return isObject(value) && fields.every((field) => canHold(field, value[field.name]));
}

/** Formats a value as text for an input field. */
export function formatValue(value: unknown): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}

/** Parses typed text: as JSON if the field accepts that type, otherwise as a string. */
export function parseText({ types }: Pick<Field, "types">, text: string): unknown {
  if (text === "") return undefined;
  const value = parseJson(text);
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const fits = types.includes(type) || (Number.isInteger(value) && types.includes("integer"));
  // A quoted string stays as it was typed, with its quotes.
  return fits && type !== "string" ? value : text;
}

/** Returns a copy with the value at the path. An empty value removes the field, and objects that become empty. */
export function withValue(input: Input, path: Path, value: unknown): Input {
  return (setAtPath(input, path, value) ?? {}) as Input;
}

/** Returns a copy with the value at the path, without objects that become empty. */
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

/** Removes a row from a list. Removing the last row removes the list. */
export function removeRow(input: Input, path: Path, row: number): Input {
  const rows = (getValue(input, path) as unknown[]).filter((_, at) => at !== row);
  return withValue(input, path, rows.length > 0 ? rows : undefined);
}

/**
 * Formats the command that sends the same input. `words` is the command and its argument, such as `act cancelBooking`. A text that could
 * be read as JSON is written as JSON.
 */
export function formatInputCommand(words: string, input: Input, world = "default"): string {
  const sets = Object.entries(input).flatMap(([name, value]) => {
    const isText = typeof value === "string" && parseJson(value) === value;
    return ["--set", `${name}=${isText ? value : JSON.stringify(value)}`];
  });
  return formatCommand(
    [words, toCommand(sets), world === "default" ? "" : `--world ${world}`].filter(Boolean).join(" "),
  );
}

export interface FieldProblem {
  /** A path such as "customer.name", or "" for the complete input. */
  path: string;
  sentence: string;
}

/**
 * Assigns the errors of a rejection to fields, by the path that the sandbox reports. An error without a path that quotes a value is shown
 * at the field that has the value, and any other error for the whole form.
 */
export function toFieldProblems({ message, violations = [] }: ReportedError, input: Input): FieldProblem[] {
  if (violations.length === 0) return [{ path: findQuotedPath(message, input) ?? "", sentence: message }];
  return violations.map((violation) => ({ path: nameMember(violation), sentence: toSentenceCase(violation.problem) }));
}

/** Finds the path of the only string of the input that the sentence quotes. */
function findQuotedPath(sentence: string, input: Input): string | undefined {
  const words = new Set(sentence.split(/[\s,;:"“”]+/).map((word) => word.replace(/[.]$/, "")));
  const quoted = listTexts(input).filter(([, text]) => words.has(text));
  return quoted.length === 1 ? quoted[0]?.[0] : undefined;
}

/** Lists every string of the input with its path. */
function listTexts(value: unknown, path = ""): [path: string, text: string][] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, of]) => listTexts(of, path ? `${path}.${name}` : name));
}

/** Returns the problems of a field, and of nested values that have no field of their own. */
export function formatFieldMessage(problems: readonly FieldProblem[], path: string, isLeaf: boolean): string {
  const own = problems.filter((problem) => problem.path === path || (isLeaf && problem.path.startsWith(`${path}.`)));
  return own.map(({ sentence }) => sentence).join(" ");
}

/** Returns the problems that no field shows, because they concern the complete input or an unknown field. */
export function formatOtherProblems(problems: readonly FieldProblem[], fields: readonly { name: string }[]): string {
  const own = problems.filter(({ path }) => !fields.some(({ name }) => path.split(".")[0] === name));
  return own.map(({ path, sentence }) => [path, sentence].filter(Boolean).join(": ")).join("\n");
}
