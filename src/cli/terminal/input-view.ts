// Formats the fields of an input from its JSON Schema, one row per field. Optional fields have a question mark.
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { Look } from "./line.ts";
import { formatColumns } from "./terminal.ts";

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

export const formatMembers = (members: readonly InputMember[], { paint }: Look): string[] =>
  formatColumns(
    members.map(({ name, required, schema }) => [
      `  ${required ? paint("bold", name) : `${name}?`}`,
      paint("dim", describeType(schema)),
    ]),
  );

function describeType({ type, enum: values, description, items }: JsonSchema): string {
  const list = items && `list of ${describeType(items) || "anything"}`;
  const kind = values?.join(", ") ?? list ?? [type ?? ""].flat().join(" or ");
  return [kind.replace(/\.$/, ""), description?.replace(/\s+/g, " ")].filter(Boolean).join(". ");
}
