// The tool read_operation shows an operation or a webhook kind of the API description, with the assumptions of the world applied.

import {
  type Json,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
} from "../../contract/document/document.ts";
import { withoutUnions } from "../../contract/document/without-unions.mjs";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { findNearest, suggest } from "../../platform/nearest.ts";
import { formatMembers } from "../result-pages.ts";
import { describeType, outlineSchema } from "../schema-outline.ts";
import { createInput, formatCall, type Tool, ToolRejection } from "../tool.ts";

type DescribedOperation = Operation & { heading: string };

/** The public document has the same form as that of the control API, whose client has no path for it. */
const PUBLIC_DOCUMENT = "/openapi.json" as "/_sandbox/openapi.json";
/** The sections in the order of the result, and the values of `section`. */
const SECTIONS = ["parameters", "request", "responses", "example"] as const;

export const readOperation: Tool = {
  name: "read_operation",
  title: "Read an operation of the API",
  description:
    "Shows the parameters, body, responses and an example of an operation, or the payload of a webhook kind. Without `operation_id`, lists all by name.",
  input: createInput({
    operation_id: { description: "Such as createBooking, or v1.booking.created.", type: "string", maxLength: 100 },
    section: { description: "Show only this part. Default: all.", type: "string", enum: SECTIONS },
  }),
  example: { operation_id: "createBooking" },
  async run({ operation_id: id, section }: { operation_id?: string; section?: string }, { ask }) {
    // The document is that of the selected world, because its assumptions may change it.
    const served = (await ask((control) => control.GET(PUBLIC_DOCUMENT))) as unknown as Json;
    const document = withoutUnions(served);
    const all = [
      ...operationsOf(document).map((each) => ({ ...each, heading: `${each.method} ${each.path}` })),
      // The path of a webhook is its kind. Its parameters are headers that the sandbox sets.
      ...operationsOf({ ...document, paths: document.webhooks }).map((each) => ({
        ...each,
        id: each.path,
        heading: "webhook",
        parameters: [],
      })),
    ];
    if (id === undefined) return all.map(summarizeOperation);
    const found = all.find((each) => each.id === id);
    if (found) return describeOperation(found, document, section);
    const names = all.map((each) => each.id);
    const meant = formatCall("read_operation", { operation_id: findNearest(id, names) ?? "createBooking" });
    const tries = [meant, formatCall("read_operation", {})];
    throw new ToolRejection(`There is no operation ${JSON.stringify(id)}.${suggest(id, names)}`, tries);
  },
};

const summarizeOperation = ({ id, heading, summary }: DescribedOperation): string =>
  `${id}: ${heading}${summary && `, ${summary}`}`;

function describeOperation(found: DescribedOperation, document: Json, section?: string): string[] {
  const { id, heading, summary, description, scopes = [], parameters, body, responses } = found;
  const parts: Record<(typeof SECTIONS)[number], string[]> = {
    parameters: parameters.map((each) => formatParameter(each, document)),
    request: formatSchema(body?.schema, document),
    responses: responses.flatMap((each) => formatResponse(each, document)),
    // The first example is enough, because a model needs only one that works.
    example: (body?.examples ?? []).slice(0, 1).map(formatMembers),
  };
  return [
    `# ${id} (${heading})`,
    ...[summary.trim(), description].filter((text) => text !== ""),
    ...(scopes.length > 0 ? [`Scope: ${scopes.join(", ")}`] : []),
    ...SECTIONS.filter((name) => section === undefined || section === name).flatMap((name) =>
      parts[name].length > 0 ? ["", `## ${name}`, ...parts[name]] : [],
    ),
  ];
}

function formatParameter({ name, in: where, required, schema, description }: Parameter, document: Json): string {
  return `${name}${required ? "" : "?"} (${where}): ${describeType({ ...schema, ...(description ? { description } : {}) }, document)}`;
}

const formatSchema = (schema: JsonSchema | undefined, document: Json): string[] =>
  schema ? [describeType(schema, document), ...outlineSchema(schema, document)] : [];

/** Omits the schema of errors, because all errors have the same fields. */
function formatResponse({ status, description, schema }: Response, document: Json): string[] {
  const lines = /^2/.test(status) ? formatSchema(schema, document).slice(1) : [];
  return [`${status}: ${description.replace(/\s+/g, " ")}`, ...lines.map((line) => `  ${line}`)];
}
