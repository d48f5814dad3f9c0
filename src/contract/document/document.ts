// Reads an OpenAPI document: its operations in order, with references resolved. It does not depend on the sandbox; the
// served pages and the collections for other programs are made from it.
import type { JsonSchema } from "../json-schema.ts";

export type Json = Record<string, unknown>;

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  status: string;
  description: string;
  schema: JsonSchema | undefined;
  examples: unknown[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** Undefined if the operation takes no token. */
  scopes: string[] | undefined;
  parameters: Parameter[];
  body: { type: string; required: boolean; schema: JsonSchema; examples: unknown[] } | undefined;
  responses: Response[];
  /** The node of the document, with its references. */
  node: Json;
}

/** Operations of a path; its other fields, such as parameters, are not operations. */
const METHODS = ["get", "post", "put", "patch", "delete"];

/** Lists the operations in the order of the document, which its pages and collections keep. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) =>
      readOperation(path, method, item[method] as Json, document),
    ),
  );
}

/** Returns the target of a local reference; any other node is returned unchanged. */
export function resolve<T>(node: unknown, document: Json): T {
  const reference = (node as { $ref?: unknown } | undefined)?.$ref;
  if (typeof reference !== "string") return node as T;
  // The document has local references only, because it is bundled before it is served. RFC 6901 escapes ~ and /.
  const steps = reference.slice(2).split("/");
  const enter = (container: unknown, step: string) =>
    (container as Json)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  return resolve(steps.reduce<unknown>(enter, document), document);
}

/** Replaces references by their targets. A recursive schema ends at a depth of twenty. */
export function resolveReferences(value: unknown, document: Json, depth = 0): unknown {
  if (Array.isArray(value)) return value.map((each) => resolveReferences(each, document, depth));
  if (typeof value !== "object" || value === null || depth > 20) return value;
  const { $ref, ...own } = value as Json;
  // Properties next to a reference take precedence over the referenced schema.
  const whole = $ref === undefined ? own : { ...resolve<Json>(value, document), ...own };
  const members = Object.entries(whole).map(([name, member]) => [name, resolveReferences(member, document, depth + 1)]);
  return Object.fromEntries(members);
}

function readOperation(path: string, method: string, node: Json, document: Json): Operation {
  const { operationId, summary = "", description = "", parameters = [], security = [] } = node;
  const [scheme] = security as { oauth2?: string[] }[];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path,
    summary: String(summary),
    description: String(description).trim(),
    // An empty list means any valid token; undefined means that the operation takes no token.
    scopes: scheme?.oauth2,
    parameters: (parameters as Json[]).map((each) => readParameter(resolve<Json>(each, document))),
    body: readBodySchema(resolve<Json | undefined>(node.requestBody, document)),
    responses: Object.entries(node.responses as Json).map(([status, each]) =>
      readResponse(status, resolve<Json>(each, document)),
    ),
    node,
  };
}

function readParameter(node: Json): Parameter {
  const { name, required = false, description = "", schema = {} } = node as unknown as Parameter;
  return { ...(node as unknown as Parameter), name, required, schema, description: description.trim() };
}

type Media = { schema?: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> };
type Content = Record<string, Media>;

function readBodySchema(node: Json | undefined): Operation["body"] {
  // These documents have a single media type per body.
  const [[type, media] = []] = Object.entries((node?.content ?? {}) as Content);
  if (type === undefined) return undefined;
  return { type, required: node?.required === true, schema: media?.schema ?? {}, examples: listExamples(media) };
}

function readResponse(status: string, node: Json): Response {
  const [media] = Object.values((node.content ?? {}) as Content);
  return {
    status,
    description: String(node.description ?? "").trim(),
    schema: media?.schema,
    examples: listExamples(media),
  };
}

const listExamples = ({ example, examples = {} }: Media = {}): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

/** Whether the body is a form. Any other body is JSON. */
export const isForm = (body: Pick<NonNullable<Operation["body"]>, "type"> | undefined): boolean =>
  body?.type === "application/x-www-form-urlencoded";
