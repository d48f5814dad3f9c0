// Formats a JSON schema as a short outline: a line for each field, with a question mark if the field is optional.
import type { JsonSchema } from "../contract/json-schema.ts";
import { readPointer } from "../platform/member-paths.ts";

/** Deeper levels are omitted, because they make the outline too long to be useful. */
const MAX_DEPTH = 6;
/** The text of each limit, in which # is replaced by its value. Other keywords are omitted. */
const LIMITS = [
  ["minLength", "at least # characters"],
  ["maxLength", "at most # characters"],
  ["minimum", "at least #"],
  ["maximum", "at most #"],
  ["minItems", "at least # items"],
  ["maxItems", "at most # items"],
  ["pattern", "pattern #"],
] as const;

/** `document` contains the targets of `$ref`. Returns one string per line, indented by level. */
export function outlineSchema(schema: JsonSchema, document: unknown): string[] {
  return listMembers(schema, document, 0, []);
}

/** Replaces a reference by its target. */
function resolve(schema: JsonSchema, document: unknown): JsonSchema {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  return resolve({ ...((readPointer(document, $ref) ?? {}) as JsonSchema), ...beside }, document);
}

function listMembers(given: JsonSchema, document: unknown, depth: number, parents: readonly string[]): string[] {
  // A schema may contain itself, so a reference is followed once per path.
  if (depth >= MAX_DEPTH || (given.$ref !== undefined && parents.includes(given.$ref))) return [];
  // The list contains the references of this path only, because another branch may use the same schema.
  const refs = given.$ref === undefined ? parents : [...parents, given.$ref];
  const schema = resolve(given, document);
  const listPart = (part: JsonSchema, deeper = 0) => listMembers(part, document, depth + deeper, refs);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    const line = `${"  ".repeat(depth)}${name}${mark}: ${describeType(member, document)}`;
    return [line, ...listPart(member, 1)];
  });
  // Items have the same indentation as their list, because the type of the list is on its own line.
  const items = schema.items ? listPart(schema.items) : [];
  // The fields of all alternatives are listed together.
  const { allOf = [], oneOf = [], anyOf = [] } = schema;
  const parts = [...allOf, ...oneOf, ...anyOf].flatMap((part) => listPart(part));
  return [...parts, ...own, ...items];
}

/** Returns the type with its limits and description on one line. */
export function describeType(given: JsonSchema, document: unknown): string {
  const schema = resolve(given, document);
  const limits = LIMITS.flatMap(([name, words]) =>
    schema[name] === undefined ? [] : [words.replace("#", () => String(schema[name]))],
  );
  const byDefault = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
  const about = schema.description === undefined ? [] : [schema.description.replace(/\s+/g, " ").trim()];
  return [[formatKind(schema, document), ...limits, ...byDefault].join(", "), ...about].join(". ");
}

function formatKind(schema: JsonSchema, document: unknown): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.items) return `list of ${formatKind(resolve(schema.items, document), document)}`;
  // Many schemas omit the type "object", because their fields imply it.
  const kinds = [schema.type ?? (schema.properties || schema.allOf ? "object" : [])].flat();
  const either = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map((part) =>
    formatKind(resolve(part, document), document),
  );
  const named = kinds.length > 0 ? kinds : either.length > 0 ? [...new Set(either)] : ["anything"];
  return `${named.join(" | ")}${schema.format ? ` (${schema.format})` : ""}`;
}
