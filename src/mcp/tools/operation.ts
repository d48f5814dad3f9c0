// read_operation: what the API's own description says of an operation or of a webhook kind, as it is in force in the world.

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
import { outlined } from "../answer.ts";
import { outlineOf, typeOf } from "../schema-outline.ts";
import { callOf, defineTool, ToolRejection } from "../tool.ts";

interface Found extends Operation {
  heading: string;
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
    const served = (await ask((control) => control.GET(PUBLIC_DOCUMENT))) as unknown as Json;
    const document = withoutUnions(served);
    const all = [
      ...operationsOf(document).map((each) => ({ ...each, heading: `${each.method} ${each.path}` })),
      // A kind has the name of its path, and no parameter that its reader chooses.
      ...operationsOf({ ...document, paths: document.webhooks }).map((each) => ({
        ...each,
        id: each.path,
        heading: "webhook",
        parameters: [],
      })),
    ];
    if (id === undefined) return all.map(inBrief);
    const found = all.find((each) => each.id === id);
    if (found) return inFull(found, document, section);
    const names = all.map((each) => each.id);
    const meant = callOf("read_operation", { operation_id: findNearest(id, names) ?? "createBooking" });
    const tries = [meant, callOf("read_operation", {})];
    throw new ToolRejection(`There is no operation ${JSON.stringify(id)}.${suggest(id, names)}`, tries);
  },
});

const inBrief = ({ id, heading, summary }: Found): string => `${id}: ${heading}${summary && `, ${summary}`}`;

function inFull(found: Found, document: Json, section?: string): string[] {
  const { id, heading, summary, description, scopes = [], parameters, body, responses } = found;
  const parts: Record<(typeof SECTIONS)[number], string[]> = {
    parameters: parameters.map((each) => parameterLine(each, document)),
    request: schemaLines(body?.schema, document),
    responses: responses.flatMap((each) => responseLines(each, document)),
    // The first example will do: a model needs one that works.
    example: (body?.examples ?? []).slice(0, 1).map(({ value }) => outlined(value)),
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

function parameterLine({ name, in: where, required, schema, description }: Parameter, document: Json): string {
  return `${name}${required ? "" : "?"} (${where}): ${typeOf({ ...schema, ...(description ? { description } : {}) }, document)}`;
}

const schemaLines = (schema: JsonSchema | undefined, document: Json): string[] =>
  schema ? [typeOf(schema, document), ...outlineOf(schema, document)] : [];

/** Failures all have the same members. */
function responseLines({ status, description, schema }: Response, document: Json): string[] {
  const lines = /^2/.test(status) ? schemaLines(schema, document).slice(1) : [];
  return [`${status}: ${description.replace(/\s+/g, " ")}`, ...lines.map((line) => `  ${line}`)];
}
