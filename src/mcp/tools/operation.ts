// read_operation: what the API's own description says of an operation or of a webhook kind, as it is in force in the world.

import { withoutUnions } from "../../contract/document/without-unions.mjs";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { didYouMean, nearest } from "../../platform/nearest.ts";
import { outlined } from "../answer.ts";
import { outlineOf, resolve, typeOf } from "../schema-outline.ts";
import { callOf, defineTool, ToolRejection } from "../tool.ts";

interface Body {
  description?: string;
  $ref?: string;
  content?: Record<string, { schema?: JsonSchema; example?: unknown; examples?: Record<string, { value?: unknown }> }>;
}
interface Parameter extends JsonSchema {
  name: string;
  in: string;
  schema: JsonSchema;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: Body;
  responses?: Record<string, Body>;
}
type Item = Record<string, Operation> & { parameters?: Parameter[] };
// As much of OpenAPI as is read here.
interface Document {
  paths: Record<string, Item>;
  webhooks: Record<string, Item>;
}
interface Found {
  id: string;
  heading: string;
  operation: Operation;
  parameters: Parameter[];
}

/** Not of the control surface, but a document of the same kind as the one that is. */
const PUBLIC_DOCUMENT = "/openapi.json" as "/_sandbox/openapi.json";
/** In the order in which a caller needs them; also the choices of `section`. */
const SECTIONS = ["parameters", "request", "responses", "example"] as const;

export const readOperation = defineTool({
  name: "read_operation",
  title: "Read an operation of the API",
  description:
    "The parameters, body, responses and an example of an operation, or the payload of a webhook kind. Without `operation_id`: all of them by name.",
  takes: {
    operation_id: { description: "Such as createBooking, or v1.booking.created.", type: "string", maxLength: 100 },
    section: { description: "Only this part; without it all of them.", type: "string", enum: SECTIONS },
  },
  example: { operation_id: "createBooking" },
  async run({ operation_id: id, section }, { ask }) {
    // In the world that the tools are about, since an assumption may change the document there.
    const served = (await ask((control) => control.GET(PUBLIC_DOCUMENT))) as unknown as Document;
    const document = withoutUnions(served);
    const all = [...operationsIn(document.paths), ...kindsIn(document.webhooks)];
    if (id === undefined) return all.map(({ id: name, heading, operation }) => inBrief(name, heading, operation));
    const found = all.find((each) => each.id === id);
    if (found) return inFull(found, document, section);
    const names = all.map((each) => each.id);
    throw new ToolRejection(`There is no operation ${JSON.stringify(id)}.${didYouMean(id, names)}`, [
      callOf("read_operation", { operation_id: nearest(id, names) ?? "createBooking" }),
      callOf("read_operation", {}),
    ]);
  },
});

const METHODS = ["get", "post", "put", "delete", "patch"];

function operationsIn(paths: Document["paths"]): Found[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      // Those of the path hold for each of its operations.
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [{ id: operation.operationId, heading: `${method.toUpperCase()} ${path}`, operation, parameters }];
    }),
  );
}

const kindsIn = (webhooks: Document["webhooks"]): Found[] =>
  Object.entries(webhooks).flatMap(([kind, item]) =>
    item.post ? [{ id: kind, heading: "webhook", operation: item.post, parameters: [] }] : [],
  );

const inBrief = (id: string, heading: string, { summary = "" }: Operation) =>
  `${id}: ${heading}${summary && `, ${summary}`}`;

function inFull({ id, heading, operation, parameters }: Found, document: Document, section?: string): string[] {
  const scopes = (operation.security ?? []).flatMap((each) => Object.values(each).flat());
  const parts: Record<(typeof SECTIONS)[number], string[]> = {
    parameters: parameters.map((each) => parameterLine(each, document)),
    request: bodyLines(operation.requestBody, document),
    responses: Object.entries(operation.responses ?? {}).flatMap(([status, body]) =>
      responseLines(status, body, document),
    ),
    example: exampleLines(operation.requestBody, document),
  };
  return [
    `# ${id} (${heading})`,
    ...[operation.summary, operation.description].flatMap((text) => (text ? [text.trim()] : [])),
    ...(scopes.length > 0 ? [`Scope: ${scopes.join(", ")}`] : []),
    ...SECTIONS.filter((name) => section === undefined || section === name).flatMap((name) =>
      parts[name].length > 0 ? ["", `## ${name}`, ...parts[name]] : [],
    ),
  ];
}

function parameterLine(given: Parameter, document: Document): string {
  const { name, in: where, required, schema, description } = resolve(given, document) as unknown as Parameter;
  return `${name}${required ? "" : "?"} (${where}): ${typeOf({ ...schema, ...(description ? { description } : {}) }, document)}`;
}

function contentOf(body: Body | undefined, document: Document) {
  return Object.values((resolve((body ?? {}) as JsonSchema, document) as Body).content ?? {})[0];
}

function bodyLines(body: Body | undefined, document: Document): string[] {
  const schema = contentOf(body, document)?.schema;
  return schema ? [typeOf(schema, document), ...outlineOf(schema, document)] : [];
}

/** Failures all have the same members. */
function responseLines(status: string, body: Body, document: Document): string[] {
  const { description = "" } = resolve(body as JsonSchema, document);
  const lines = /^2/.test(status) ? bodyLines(body, document).slice(1) : [];
  return [`${status}: ${description.replace(/\s+/g, " ").trim()}`, ...lines.map((line) => `  ${line}`)];
}

function exampleLines(body: Body | undefined, document: Document): string[] {
  const { example, examples } = contentOf(body, document) ?? {};
  // The first example will do: a model needs one that works.
  const value = example ?? Object.values(examples ?? {})[0]?.value;
  return value === undefined ? [] : [outlined(value)];
}
