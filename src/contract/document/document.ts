// An OpenAPI document as its readers need it: its operations in order, with references followed. It knows no sandbox: the served
// pages are made from it, and so are the collections for other programs.
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

/** What an answer tells of another request: a parameter of it, and the member that has its value. */
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
  /** Undefined: it takes no token. */
  scopes: string[] | undefined;
  parameters: Parameter[];
  body: { type: string; required: boolean; schema: JsonSchema; examples: Example[] } | undefined;
  responses: Response[];
  /** As the document has it, references and all. */
  node: Json;
}

/** Those of the items of a path; its other members, such as parameters, are no operations. */
const METHODS = ["get", "post", "put", "patch", "delete"];

/** In the order of the document, which its pages and collections keep. */
export function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths as Record<string, Json>).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) =>
      readOperation(path, method, item[method] as Json, document),
    ),
  );
}

/** What a local reference stands for; anything else is itself. */
export function resolve<T>(node: unknown, document: Json): T {
  const reference = (node as { $ref?: unknown } | undefined)?.$ref;
  if (typeof reference !== "string") return node as T;
  // Local references alone: the document is joined to one before it is served. RFC 6901 escapes ~ and /.
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
    // The service's documents give each operation one.
    tag: String((tags as string[])[0] ?? ""),
    summary: String(summary),
    description: String(description).trim(),
    maturity: String(node["x-maturity"] ?? "stable"),
    // An empty list stands for any valid token, none for an operation that takes no token.
    scopes: scheme?.oauth2,
    parameters: (parameters as Json[]).map((each) => readParameter(resolve<Json>(each, document))),
    body: readBody(resolve<Json | undefined>(node.requestBody, document)),
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

function readBody(node: Json | undefined): Operation["body"] {
  // One media type a body in these documents; the first is taken.
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
        // A runtime expression of OpenAPI; the documents link by members of the answer alone.
        member: String(from).replace("$response.body#/", ""),
      })),
    ),
  };
}

/** A single one has no name. */
function listExamples({ example, examples = {} }: Media = {}): Example[] {
  const single = example === undefined ? [] : [{ name: "", summary: "", value: example }];
  return [...single, ...Object.entries(examples).map(([name, { summary, value }]) => ({ name, summary, value }))];
}

/** Any other body is JSON. */
export const isForm = (body: Pick<NonNullable<Operation["body"]>, "type"> | undefined): boolean =>
  body?.type === "application/x-www-form-urlencoded";
