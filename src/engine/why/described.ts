// What the specification in force says about a request: the schema of a member, the words for a response.

import { type Json, type Operation, operationsOf, resolved } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { RequestsPort } from "../app/application.ts";
import { documentInForce, inForce } from "../http/in-force.ts";
import type { World } from "../world/state/world.ts";

interface Described {
  operation: Operation | undefined;
  schemaAt(path: readonly string[]): JsonSchema | undefined;
  /** What the description says of a member, or of the nearest one around it. */
  wordsFor(path: readonly string[]): string | undefined;
}

/** `control`: of the control document; else of the specification as it binds the world. */
export function describedBy(
  id: string | undefined,
  { world, control }: { world: World | undefined; control: boolean },
  application: RequestsPort,
): Described {
  const document: Json = withoutUnions(control ? controlDocument : documentInForce(inForce(world, application)));
  const operation = operationsIn(document).find((each) => each.id === id);
  const follow = (schema: unknown): JsonSchema | undefined => {
    const found = resolved<JsonSchema | undefined>(schema, document);
    if (found === undefined) return undefined;
    // Parts are joined to one schema, so that readers need not know of them.
    const { allOf = [], ...own } = found;
    return allOf.reduce<JsonSchema>((whole, part) => joined(whole, follow(part) ?? {}), own);
  };
  const parameterAt = ([section = "", name = ""]: readonly string[]) =>
    operation?.parameters.find((each) => each.in === section && each.name.toLowerCase() === name.toLowerCase());
  const schemaAt = (path: readonly string[]): JsonSchema | undefined => {
    const [section, ...names] = path;
    const parameter = parameterAt(path);
    const [root, rest] = section === "body" ? [operation?.body?.schema, names] : [parameter?.schema, names.slice(1)];
    const inner = (at: JsonSchema | undefined, name: string): JsonSchema | undefined => {
      const here = follow(at);
      if (/^\d+$/.test(name) && here?.items) return follow(here.items);
      const { additionalProperties: others } = here ?? {};
      return follow(here?.properties?.[name] ?? (typeof others === "object" ? others : undefined));
    };
    return rest.reduce(inner, root && follow(root));
  };
  const wordsFor = (path: readonly string[]): string | undefined => {
    if (path.length < 2) return undefined;
    const words = path.length === 2 && path[0] !== "body" ? parameterAt(path)?.description : undefined;
    return words || schemaAt(path)?.description || wordsFor(path.slice(0, -1));
  };
  return {
    operation,
    schemaAt,
    wordsFor,
  };
}

/** By document: to list the operations takes a while, and documents are few. */
const known = new WeakMap<object, Operation[]>();

function operationsIn(document: Json): Operation[] {
  const operations = known.get(document) ?? operationsOf(document);
  known.set(document, operations);
  return operations;
}

const joined = (whole: JsonSchema, part: JsonSchema): JsonSchema => ({
  ...whole,
  ...part,
  properties: { ...whole.properties, ...part.properties },
  required: [...(whole.required ?? []), ...(part.required ?? [])],
});
