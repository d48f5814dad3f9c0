// Lists the fields of a schema with their paths, such as `customer.address.city` and `items[].type_id`.

import { type Json, resolve } from "../../../contract/document/document.ts";
import { omitNotes } from "../../../contract/document/notes.ts";
import type { JsonSchema } from "../../../contract/json-schema.ts";

interface DocumentedMember {
  path: string;
  type: string;
  required: boolean;
  description: string;
}

/** Bodies of the specification have fewer levels. Recursive schemas end there. */
const MAX_DEPTH = 6;

export function listMembers(schema: JsonSchema, document: Json, path = "", depth = 0): DocumentedMember[] {
  const { properties = {}, required = [] } = resolve<JsonSchema>(schema, document);
  if (depth > MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    // Properties next to a reference take precedence over the referenced schema.
    const whole = { ...resolve<JsonSchema>(property, document), ...property };
    const own = `${path}${name}`;
    const items = whole.items && resolve<JsonSchema>(whole.items, document);
    return [
      {
        path: own,
        type: formatType(whole, items),
        required: required.includes(name),
        description: omitNotes(whole.description ?? "").trim(),
      },
      ...(whole.properties ? listMembers(whole, document, `${own}.`, depth + 1) : []),
      ...(items?.properties ? listMembers(items, document, `${own}[].`, depth + 1) : []),
    ];
  });
}

/** Describes a type in words. */
export function formatType(schema: JsonSchema, items: JsonSchema | undefined = schema.items): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return `one of ${schema.enum.map((each) => `\`${each}\``).join(", ")}`;
  if (schema.type === "array") return `list of ${items ? formatType(items) : "values"}`;
  const type = [schema.type ?? "value"].flat().join(" or ");
  return schema.format ? `${type} (${schema.format})` : type;
}
