// The API description as a comparison with traffic reads it: which operation a request is for, and where a response differs. It is stricter
// than the description: an undocumented field and an unknown value of an open enum differ too.

import { Ajv2020 } from "ajv/dist/2020.js";
import { type Operation, operationsOf } from "../../contract/document/document.ts";
import { readPointer } from "../../platform/member-paths.ts";
import { REDACTED } from "../../platform/redacted.ts";

type SchemaNode = Record<string, unknown>;

export interface ResponseDifference {
  /** A JSON Pointer in the body; a star matches each item. */
  path: string;
  what: "member" | "value" | "missing" | "form" | "status";
  /** An unknown value of an enum. */
  value?: string;
}

const KINDS: Record<string, ResponseDifference["what"]> = {
  additionalProperties: "member",
  enum: "value",
  const: "value",
  required: "missing",
};

export class ApiDescription {
  readonly #document: SchemaNode;
  readonly #operations: readonly Operation[];
  readonly #ajv: Ajv2020;

  constructor(document: SchemaNode) {
    this.#document = document;
    this.#operations = operationsOf(document);
    this.#ajv = new Ajv2020({
      strict: false,
      allErrors: true,
      verbose: true,
      validateFormats: false,
      logger: false,
      // The build checks the schemas of the description.
      validateSchema: false,
    });
    this.#ajv.addSchema(tighten(document, document) as SchemaNode, "document");
  }

  /** Literal segments win: /events/availability and /events/{id} both match a path, and the one with fewer parameters is meant. */
  findOperation(method: string, path: string): Operation | undefined {
    const steps = path.replace(/\/$/, "").split("/");
    const matching = this.#operations.filter((operation) => {
      const wanted = operation.path.split("/");
      const matches = wanted.every((step, index) => step.startsWith("{") || step === steps[index]);
      return operation.method === method && wanted.length === steps.length && matches;
    });
    return matching.sort((a, b) => countParameters(a) - countParameters(b))[0];
  }

  /** How a response of the operation differs from the description. */
  compareResponse(operation: Operation, status: number, body: unknown): ResponseDifference[] {
    if (status === 0) return [];
    if (!operation.responses.some((each) => each.status === String(status)))
      return [{ path: `${status}`, what: "status" }];
    if (body === undefined) return [];
    const pointer = this.#findSchema(operation, status);
    const validate = pointer === undefined ? undefined : this.#ajv.getSchema(`document${pointer}`);
    if (!validate || validate(body)) return [];
    return (validate.errors ?? []).flatMap(({ keyword, params, instancePath, data }) => {
      // These two only say that something inside them differs, which has an error of its own.
      if (keyword === "if" || keyword === "allOf") return [];
      // A HAR file of the sandbox has this text instead of a secret of any form.
      if (data === REDACTED) return [];
      const name = (params.additionalProperty ?? params.missingProperty) as string | undefined;
      const path = (name === undefined ? instancePath : `${instancePath}/${name}`).replaceAll(/\/\d+(?=\/|$)/g, "/*");
      const difference: ResponseDifference = { path, what: KINDS[keyword] ?? "form" };
      if (keyword === "enum" && typeof data === "string") difference.value = data;
      return [difference];
    });
  }

  /** A JSON Pointer to the schema of a JSON response, if it has one. */
  #findSchema({ path, method, node }: Operation, status: number): string | undefined {
    const responses = node.responses as Record<string, SchemaNode>;
    let response = responses[status] ?? {};
    let pointer = `#/paths/${escapeStep(path)}/${method.toLowerCase()}/responses/${status}`;
    if (typeof response.$ref === "string") {
      pointer = response.$ref;
      response = readPointer(this.#document, pointer) as SchemaNode;
    }
    const type = Object.keys((response.content ?? {}) as SchemaNode).find((each) => each.includes("json"));
    return type && `${pointer}/content/${escapeStep(type)}/schema`;
  }
}

function countParameters({ path }: Operation): number {
  return path.split("{").length;
}

function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Closes each schema of an object with properties, also one of several parts, and each open enum. */
function tighten(node: unknown, document: SchemaNode): unknown {
  if (Array.isArray(node)) return node.map((each) => tighten(each, document));
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(mergeParts(node as SchemaNode, document)).map(([name, value]) => [
    name,
    tighten(value, document),
  ]);
  const copy = Object.fromEntries(entries) as SchemaNode;
  if (copy.type === "object" && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  if (Array.isArray(copy["x-extensible-enum"])) copy.enum = copy["x-extensible-enum"];
  return copy;
}

/** `allOf` of a named object and more properties, as one object: each part alone would reject the properties of the others. */
function mergeParts(node: SchemaNode, document: SchemaNode): SchemaNode {
  const parts = Array.isArray(node.allOf) ? (node.allOf as SchemaNode[]) : [];
  if (!parts.some(({ $ref }) => $ref) || !parts.some(({ type }) => type === "object")) return node;
  const resolved = parts.map(({ $ref, ...part }) =>
    typeof $ref === "string" ? (readPointer(document, $ref) as SchemaNode) : part,
  );
  return {
    type: "object",
    required: resolved.flatMap(({ required }) => (required as string[] | undefined) ?? []),
    properties: Object.assign({}, ...resolved.map(({ properties }) => properties ?? {})) as SchemaNode,
  };
}
