// The members of an input, from its JSON Schema, for a person: a row each; one that may be left out has a question mark.
import type { JsonSchema } from "../../contract/json-schema.ts";
import { columns, type Terminal, wrap } from "./terminal.ts";

export interface InputMember {
  name: string;
  required: boolean;
  schema: JsonSchema;
}

export function membersOf({ properties = {}, required = [] }: JsonSchema): InputMember[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, required: required.includes(name), schema }));
}

/** `booking_id refund? amount?`: what must be given comes first. */
export function memberNames(members: readonly InputMember[]): string[] {
  const [must, may] = [members.filter(({ required }) => required), members.filter(({ required }) => !required)];
  return [...must.map(({ name }) => name), ...may.map(({ name }) => `${name}?`)];
}

export function memberRows(
  members: readonly InputMember[],
  { paint, width }: Pick<Terminal, "paint" | "width">,
): string[] {
  // Names take about 26 columns.
  const room = Math.max(20, Math.min(width, 100) - 26);
  const rows = members.flatMap(({ name, required, schema }) => {
    const [first = "", ...rest] = wrap(typeOf(schema), room);
    const label = required ? paint("bold", name) : `${name}?`;
    return [[`  ${label}`, paint("dim", first)], ...rest.map((line) => ["", paint("dim", line)])];
  });
  return columns(rows);
}

function typeOf({ type, enum: values, description, items }: JsonSchema): string {
  const kind = values
    ? values.join(", ")
    : items
      ? `list of ${typeOf(items) || "anything"}`
      : [type ?? ""].flat().join(" or ");
  return [kind.replace(/\.$/, ""), description?.replace(/\s+/g, " ")].filter(Boolean).join(". ");
}
