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

interface Example {
  name: string;
  summary: string;
  value: unknown;
}

/** A link of a response: it gives the value of a parameter of another request. */
interface Link {
  operation: string;
  parameter: string;
  member: string;
}

export interface Response {
  status: string;
  description: string;
  schema: JsonSchema | undefined;
  examples: Example[];
  links: Link[];
}

export interface Operation {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  maturity: string;
  /** Undefined if the operation takes no token. */
  scopes: string[] | undefined;
  parameters: Parameter[];
  body: { type: string; required: boolean; schema: JsonSchema; examples: Example[] } | undefined;
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

function readOperation(path: string, method: string, node: Json, document: Json): Operation {
  const { operationId, summary = "", description = "", tags = [], parameters = [], security = [] } = node;
  const [scheme] = security as { oauth2?: string[] }[];
  return {
    id: String(operationId),
    method: method.toUpperCase(),
    path,
    // Each operation of the service's documents has one tag.
    tag: String((tags as string[])[0] ?? ""),
    summary: String(summary),
    description: String(description).trim(),
    maturity: String(node["x-maturity"] ?? "stable"),
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

type Media = { schema?: JsonSchema; example?: unknown; examples?: Record<string, Omit<Example, "name">> };
type Content = Record<string, Media>;

function readBodySchema(node: Json | undefined): Operation["body"] {
  // These documents have a single media type per body.
  const [[type, media] = []] = Object.entries((node?.content ?? {}) as Content);
  if (type === undefined) return undefined;
  return { type, required: node?.required === true, schema: media?.schema ?? {}, examples: listExamples(media) };
}

function readResponse(status: string, node: Json): Response {
  const [media] = Object.values((node.content ?? {}) as Content);
  const links = Object.values((node.links ?? {}) as Record<string, { operationId: string; parameters: Json }>);
  return {
    status,
    description: String(node.description ?? "").trim(),
    schema: media?.schema,
    examples: listExamples(media),
    links: links.flatMap(({ operationId, parameters }) =>
      Object.entries(parameters).map(([parameter, from]) => ({
        operation: operationId,
        parameter,
        // The documents link only by fields of the response, in a runtime expression of OpenAPI.
        member: String(from).replace("$response.body#/", ""),
      })),
    ),
  };
}

/** Lists the examples. A single example has no name. */
function listExamples({ example, examples = {} }: Media = {}): Example[] {
  const single = example === undefined ? [] : [{ name: "", summary: "", value: example }];
  return [...single, ...Object.entries(examples).map(([name, { summary, value }]) => ({ name, summary, value }))];
}

/** Whether the body is a form. Any other body is JSON. */
export const isForm = (body: Pick<NonNullable<Operation["body"]>, "type"> | undefined): boolean =>
  body?.type === "application/x-www-form-urlencoded";
