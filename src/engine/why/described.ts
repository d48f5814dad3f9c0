// Reads the API description as it applies to a world: the schema and the description of a field, and the operation.

import { type Json, type Operation, operationsOf, resolve } from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import controlDocument from "../../contract/generated/control.json" with { type: "json" };
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { RequestsPort } from "../app/application.ts";
import { findOverrides, patchDocument } from "../http/in-force.ts";
import type { World } from "../world/state/world.ts";

interface OperationDescription {
  operation: Operation | undefined;
  findSchema(path: readonly string[]): JsonSchema | undefined;
  /** Returns the description of a field, or that of the nearest field around it. */
  findDescription(path: readonly string[]): string | undefined;
}

/**
 * Reads the document of the control API if `control` is true, and otherwise the API description with the world's
 * assumptions.
 */
export function describeOperation(
  id: string | undefined,
  { world, control }: { world: World | undefined; control: boolean },
  application: RequestsPort,
): OperationDescription {
  const document: Json = withoutUnions(control ? controlDocument : patchDocument(findOverrides(world, application)));
  const operation = listOperations(document).find((each) => each.id === id);
  const follow = (schema: unknown): JsonSchema | undefined => {
    const found = resolve<JsonSchema | undefined>(schema, document);
    if (found === undefined) return undefined;
    // The parts of `allOf` are merged into one schema.
    const { allOf = [], ...own } = found;
    return allOf.reduce<JsonSchema>((whole, part) => mergeSchemas(whole, follow(part) ?? {}), own);
  };
  const findParam = ([section = "", name = ""]: readonly string[]) =>
    operation?.parameters.find((each) => each.in === section && each.name.toLowerCase() === name.toLowerCase());
  const findSchema = (path: readonly string[]): JsonSchema | undefined => {
    const [section, ...names] = path;
    const parameter = findParam(path);
    const [root, rest] = section === "body" ? [operation?.body?.schema, names] : [parameter?.schema, names.slice(1)];
    const enterField = (at: JsonSchema | undefined, name: string): JsonSchema | undefined => {
      const here = follow(at);
      if (/^\d+$/.test(name) && here?.items) return follow(here.items);
      const { additionalProperties: others } = here ?? {};
      return follow(here?.properties?.[name] ?? (typeof others === "object" ? others : undefined));
    };
    return rest.reduce(enterField, root && follow(root));
  };
  const findDescription = (path: readonly string[]): string | undefined => {
    if (path.length < 2) return undefined;
    const words = path.length === 2 && path[0] !== "body" ? findParam(path)?.description : undefined;
    return words || findSchema(path)?.description || findDescription(path.slice(0, -1));
  };
  return { operation, findSchema, findDescription };
}

/** The operations are cached by document, because listing them is slow and there are few documents. */
const operationsByDocument = new WeakMap<object, Operation[]>();

function listOperations(document: Json): Operation[] {
  const operations = operationsByDocument.get(document) ?? operationsOf(document);
  operationsByDocument.set(document, operations);
  return operations;
}

const mergeSchemas = (whole: JsonSchema, part: JsonSchema): JsonSchema => ({
  ...whole,
  ...part,
  properties: { ...whole.properties, ...part.properties },
  required: [...(whole.required ?? []), ...(part.required ?? [])],
});
