// A JSON schema as an outline that is short and can be read: a line for each member, what may be left out with a question mark.
import type { JsonSchema } from "../contract/json-schema.ts";
import { readPointer } from "../platform/member-paths.ts";

/** Levels of members; below them an outline is longer than it helps. */
const DEEPEST = 6;
/** How a limit is worded; # stands for its value. Others are left out. */
const LIMITS = [
  ["minLength", "at least # characters"],
  ["maxLength", "at most # characters"],
  ["minimum", "at least #"],
  ["maximum", "at most #"],
  ["minItems", "at least # items"],
  ["maxItems", "at most # items"],
  ["pattern", "pattern #"],
] as const;

/** `document` holds what `$ref` points to. One string for each line, indented by level. */
export function outlineOf(schema: JsonSchema, document: unknown): string[] {
  return membersOf(schema, document, 0, []);
}

/** What stands behind a reference, and the names that were gone through. */
function resolve(schema: JsonSchema, document: unknown): JsonSchema {
  const { $ref, ...beside } = schema;
  if ($ref === undefined) return schema;
  return resolve({ ...((readPointer(document, $ref) ?? {}) as JsonSchema), ...beside }, document);
}

function membersOf(given: JsonSchema, document: unknown, depth: number, above: readonly string[]): string[] {
  // A schema may hold itself: a reference that was gone through is not gone through again.
  if (depth >= DEEPEST || (given.$ref !== undefined && above.includes(given.$ref))) return [];
  // The names on this path only: another branch may use the same schema.
  const way = given.$ref === undefined ? above : [...above, given.$ref];
  const schema = resolve(given, document);
  const inside = (part: JsonSchema, deeper = 0) => membersOf(part, document, depth + deeper, way);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    const line = `${"  ".repeat(depth)}${name}${mark}: ${typeOf(member, document)}`;
    return [line, ...inside(member, 1)];
  });
  // Items stand at the level of their list, whose line says that it is one.
  const items = schema.items ? inside(schema.items) : [];
  const parts = (schema.allOf ?? []).flatMap((part) => inside(part));
  return [...parts, ...own, ...items, ...choices(schema, document, depth, way)];
}

function choices(schema: JsonSchema, document: unknown, depth: number, way: readonly string[]): string[] {
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap((part) => {
    const lines = membersOf(part, document, depth + 1, way);
    const { title } = resolve(part, document);
    // An alternative without members, such as null, is in the type already.
    return lines.length === 0 ? [] : [`${"  ".repeat(depth)}either ${title ?? nameOf(part)}:`, ...lines];
  });
}

const nameOf = ({ $ref }: JsonSchema): string => $ref?.split("/").at(-1) ?? "so";

/** The type with its limits and what it means, on one line. */
export function typeOf(given: JsonSchema, document: unknown): string {
  const schema = resolve(given, document);
  const limits = LIMITS.flatMap(([name, words]) =>
    schema[name] === undefined ? [] : [words.replace("#", () => String(schema[name]))],
  );
  const byDefault = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
  const about = schema.description === undefined ? [] : [schema.description.replace(/\s+/g, " ").trim()];
  return [[kindOf(schema, document), ...limits, ...byDefault].join(", "), ...about].join(". ");
}

function kindOf(schema: JsonSchema, document: unknown): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.items) return `list of ${kindOf(resolve(schema.items, document), document)}`;
  // Many schemas leave "object" out where their members say it.
  const kinds = [schema.type ?? (schema.properties || schema.allOf ? "object" : [])].flat();
  const either = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].map((part) =>
    kindOf(resolve(part, document), document),
  );
  const named = kinds.length > 0 ? kinds : either.length > 0 ? [...new Set(either)] : ["anything"];
  return `${named.join(" | ")}${schema.format ? ` (${schema.format})` : ""}`;
}
