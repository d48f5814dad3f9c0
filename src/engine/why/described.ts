// What the specification in force says about a request: the schema of a member, the words for a response.

import { type Json, type Operation, operationsOf, resolve } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { RequestsPort } from "../app/application.ts";
import { documentInForce, findOverrides } from "../http/in-force.ts";
import type { World } from "../world/state/world.ts";

interface Described {
  operation: Operation | undefined;
  findSchema(path: readonly string[]): JsonSchema | undefined;
  /** What the description says of a member, or of the nearest one around it. */
  getWords(path: readonly string[]): string | undefined;
}

/** `control`: of the control document; else of the specification as it binds the world. */
export function describe(
  id: string | undefined,
  { world, control }: { world: World | undefined; control: boolean },
  application: RequestsPort,
): Described {
  const document: Json = withoutUnions(control ? controlDocument : documentInForce(findOverrides(world, application)));
  const operation = listOperations(document).find((each) => each.id === id);
  const follow = (schema: unknown): JsonSchema | undefined => {
    const found = resolve<JsonSchema | undefined>(schema, document);
    if (found === undefined) return undefined;
    // Parts are joined to one schema, so that readers need not know of them.
    const { allOf = [], ...own } = found;
    return allOf.reduce<JsonSchema>((whole, part) => merge(whole, follow(part) ?? {}), own);
  };
  const findParam = ([section = "", name = ""]: readonly string[]) =>
    operation?.parameters.find((each) => each.in === section && each.name.toLowerCase() === name.toLowerCase());
  const findSchema = (path: readonly string[]): JsonSchema | undefined => {
    const [section, ...names] = path;
    const parameter = findParam(path);
    const [root, rest] = section === "body" ? [operation?.body?.schema, names] : [parameter?.schema, names.slice(1)];
    const enter = (at: JsonSchema | undefined, name: string): JsonSchema | undefined => {
      const here = follow(at);
      if (/^\d+$/.test(name) && here?.items) return follow(here.items);
      const { additionalProperties: others } = here ?? {};
      return follow(here?.properties?.[name] ?? (typeof others === "object" ? others : undefined));
    };
    return rest.reduce(enter, root && follow(root));
  };
  const getWords = (path: readonly string[]): string | undefined => {
    if (path.length < 2) return undefined;
    const words = path.length === 2 && path[0] !== "body" ? findParam(path)?.description : undefined;
    return words || findSchema(path)?.description || getWords(path.slice(0, -1));
  };
  return {
    operation,
    findSchema,
    getWords,
  };
}

/** By document: to list the operations takes a while, and documents are few. */
const known = new WeakMap<object, Operation[]>();

function listOperations(document: Json): Operation[] {
  const operations = known.get(document) ?? operationsOf(document);
  known.set(document, operations);
  return operations;
}

const merge = (whole: JsonSchema, part: JsonSchema): JsonSchema => ({
  ...whole,
  ...part,
  properties: { ...whole.properties, ...part.properties },
  required: [...(whole.required ?? []), ...(part.required ?? [])],
});
