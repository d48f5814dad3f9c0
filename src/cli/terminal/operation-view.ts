// Formats the fields of an input from its JSON Schema, and operations of the public API: as a list, and one in full.
import type { Json, Operation } from "../../contract/document/document.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { quote } from "../../platform/shell-quoted.ts";
import type { Look } from "./line.ts";
import { formatColumns } from "./terminal.ts";

interface InputMember {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

export interface PublicOperation extends Omit<Operation, "scopes"> {
  scopes: readonly string[];
  members: readonly InputMember[];
  /** An example for `--data`. */
  example: Json;
}

export function toMembers({ properties = {}, required = [] }: JsonSchema): InputMember[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.includes(name), schema }));
}

const formatName = ({ name, required }: InputMember): string => (required ? name : `${name}?`);

/** Returns names such as `booking_id refund? amount?`, required ones first. */
export const listNames = (members: readonly InputMember[]): string[] =>
  [...members].sort((one, other) => Number(other.required) - Number(one.required)).map(formatName);

/** Formats a row per field, with its type and description. */
export const formatMembers = (members: readonly InputMember[], { paint }: Look): string[] =>
  formatColumns(
    members.map((member) => [
      `  ${member.required ? paint("bold", member.name) : formatName(member)}`,
      paint("dim", describeType(member.schema)),
    ]),
  );

function describeType({ type, enum: values, description, items }: JsonSchema): string {
  const list = items && `list of ${describeType(items) || "anything"}`;
  const kind = values?.join(", ") ?? list ?? [type ?? ""].flat().join(" or ");
  return [kind.replace(/\.$/, ""), description?.replace(/\s+/g, " ")].filter(Boolean).join(". ");
}

/** Formats one operation per line with its required fields. */
export const formatOperationList = (operations: readonly PublicOperation[], { paint }: Look): string[] =>
  formatColumns(
    operations.map(({ id, method, path, members }) => [
      paint("bold", id),
      `${method.padEnd(6)} ${path}`,
      paint("dim", listNames(members.filter(({ required }) => required)).join(" ")),
    ]),
  );

export function formatOperation(operation: PublicOperation, look: Look): string {
  const { id, method, path, summary, description, scopes, members, example } = operation;
  // Paragraphs are separated by blank lines; other line breaks are not kept.
  const about = description.split(/\n{2,}/).map((paragraph) => paragraph.replace(/\s+/g, " ").trim());
  const sets = Object.entries(example);
  // Few, short values are easier to type with --set.
  const isFlat = sets.length <= 2 && sets.every(([, value]) => typeof value === "string");
  const words = isFlat
    ? sets.map(([name, value]) => ` --set ${name}=${value}`).join("")
    : ` --data ${quote(JSON.stringify(example))}`;
  return [
    `${look.paint("bold", id)}  ${method} ${path}`,
    summary,
    ...about.filter(Boolean),
    ...(scopes.length > 0 ? [look.paint("dim", `Scopes: ${scopes.join(", ")}`)] : []),
    "",
    ...formatMembers(members, look),
    ...(members.length > 0 ? [""] : []),
    `  sandbox call ${id}${words}`,
  ].join("\n");
}
