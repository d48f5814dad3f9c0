// Formats the fields of an input from its JSON Schema, one row per field. Optional fields have a question mark.
import type { JsonSchema } from "../../contract/json-schema.ts";
import { formatColumns, type Terminal, wrap } from "./terminal.ts";

export interface InputMember {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

export function toMembers({ properties = {}, required = [] }: JsonSchema): InputMember[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.includes(name), schema }));
}

/** Returns names such as `booking_id refund? amount?`, required ones first. */
export function listNames(members: readonly InputMember[]): string[] {
  const [must, may] = [members.filter(({ required }) => required), members.filter(({ required }) => !required)];
  return [...must.map(({ name }) => name), ...may.map(({ name }) => `${name}?`)];
}

export function formatMembers(
  members: readonly InputMember[],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string[] {
  // The column of names takes about 26 characters.
  const room = Math.max(20, Math.min(width, 100) - 26);
  const rows = members.flatMap(({ name, required, schema }) => {
    const [first = "", ...rest] = wrap(describeType(schema), room);
    const label = required ? paint("bold", name) : `${name}?`;
    return [[`  ${label}`, paint("dim", first)], ...rest.map((line) => ["", paint("dim", line)])];
  });
  return formatColumns(rows);
}

function describeType({ type, enum: values, description, items }: JsonSchema): string {
  const kind = values
    ? values.join(", ")
    : items
      ? `list of ${describeType(items) || "anything"}`
      : [type ?? ""].flat().join(" or ");
  return [kind.replace(/\.$/, ""), description?.replace(/\s+/g, " ")].filter(Boolean).join(". ");
}
