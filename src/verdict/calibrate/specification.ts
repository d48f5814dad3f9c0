// The specification as calibration reads it: which operation a request names, and where a request or an answer differs from what is
// written. Answers are held against a stricter copy: an unknown member or an unknown value of an open enum differs there.

import type { Ajv2020 } from "ajv/dist/2020.js";
import { type Operation, operationsOf } from "../../contract/document/document.ts";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { pointedAt } from "../../platform/member-paths.ts";

type SchemaNode = Record<string, unknown>;

export interface SpecifiedOperation {
  id: string;
  method: string;
  path: string;
  query: ReadonlyMap<string, JsonSchema>;
  statuses: ReadonlySet<string>;
}

export interface SpecificationDifference {
  /** As JSON Pointer, in the body. */
  path: string;
  /** The member or parameter at the end of the path. */
  name: string;
  what: "member" | "value" | "missing" | "form" | "status";
  /** An unknown value of an enum; nothing else of the traffic is repeated. */
  value?: string;
}

type MakeAjv = () => Ajv2020;

/** One document, compiled when first needed: most candidates are never held against anything. */
export class Specification {
  readonly operations: readonly SpecifiedOperation[];
  readonly #document: SchemaNode;
  readonly #makeAjv: MakeAjv;
  #looseAjv: Ajv2020 | undefined;
  #strictAjv: Ajv2020 | undefined;
  readonly #described: ReadonlyMap<string, Operation>;

  constructor(document: SchemaNode, makeAjv: MakeAjv) {
    this.#document = document;
    this.#makeAjv = makeAjv;
    const described = operationsOf(document);
    this.#described = new Map(described.map((each) => [each.id, each]));
    this.operations = described.map(({ id, method, path, parameters, responses }) => ({
      ...{ id, method, path },
      query: new Map(parameters.flatMap((each) => (each.in === "query" ? [[each.name, each.schema]] : []))),
      statuses: new Set(responses.map(({ status }) => status)),
    }));
  }

  get #loose(): Ajv2020 {
    this.#looseAjv ??= this.#makeAjv().addSchema(this.#document, "document");
    return this.#looseAjv;
  }

  get #strict(): Ajv2020 {
    this.#strictAjv ??= this.#makeAjv().addSchema(tightened(this.#document, this.#document) as SchemaNode, "document");
    return this.#strictAjv;
  }

  differencesOfAnswer({ id, statuses }: SpecifiedOperation, status: number, body: unknown): SpecificationDifference[] {
    if (!statuses.has(String(status))) return [{ path: "", name: String(status), what: "status" }];
    const operation = this.#described.get(id);
    if (!operation || body === undefined) return [];
    const responses = operation.node.responses as Readonly<Record<string, SchemaNode>>;
    const { node, pointer } = this.#resolved(responses[status] ?? {}, `${pointerTo(operation)}/responses/${status}`);
    const [type] = Object.keys((node.content ?? {}) as SchemaNode).filter((each) => each.includes("json"));
    return type ? this.#held(this.#strict, `${pointer}/content/${escaped(type)}/schema`, body) : [];
  }

  differencesOfRequest(
    { id, query }: SpecifiedOperation,
    values: ReadonlyMap<string, unknown>,
    body: unknown,
  ): SpecificationDifference[] {
    const operation = this.#described.get(id);
    if (!operation) return [];
    const type = operation.body?.type;
    const ofBody =
      type && body !== undefined
        ? this.#held(this.#loose, `${pointerTo(operation)}/requestBody/content/${escaped(type)}/schema`, body)
        : [];
    const ofQuery = [...values].flatMap(([name, value]) => {
      const schema = query.get(name);
      const fits = schema && !("$ref" in schema) ? this.#loose.compile(schema) : undefined;
      return !fits || fits(value) ? [] : [{ path: `?${name}`, name, what: "form" as const }];
    });
    return [...ofBody, ...ofQuery];
  }

  #held(ajv: Ajv2020, pointer: string, body: unknown): SpecificationDifference[] {
    const fits = ajv.getSchema(`document${pointer}`);
    if (!fits || fits(body)) return [];
    return (fits.errors ?? []).flatMap(({ keyword, params, instancePath, data }) => {
      // They only say that something inside them differs, which has an error of its own.
      if (["if", "allOf"].includes(keyword)) return [];
      const own = (params.additionalProperty ?? params.missingProperty) as string | undefined;
      const path = own === undefined ? instancePath : `${instancePath}/${own}`;
      const name = path.split("/").findLast((step) => step !== "" && !/^\d+$/.test(step)) ?? "";
      const value = keyword === "enum" && typeof data === "string" ? { value: data } : {};
      return [{ path: path.replaceAll(/\/\d+(?=\/|$)/g, "/*"), name, what: WHAT[keyword] ?? "form", ...value }];
    });
  }

  #resolved(node: SchemaNode, pointer: string): { node: SchemaNode; pointer: string } {
    if (typeof node.$ref !== "string") return { node, pointer };
    return { node: pointedAt(this.#document, node.$ref) as SchemaNode, pointer: node.$ref };
  }
}

const WHAT: Record<string, SpecificationDifference["what"]> = {
  additionalProperties: "member",
  enum: "value",
  const: "value",
  required: "missing",
};

const pointerTo = ({ path, method }: Operation): string => `#/paths/${escaped(path)}/${method.toLowerCase()}`;

const escaped = (step: string): string => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));

/** A schema of an object knows its members, also one of several parts; an open enum knows its values. */
function tightened(node: unknown, document: SchemaNode): unknown {
  if (Array.isArray(node)) return node.map((each) => tightened(each, document));
  if (typeof node !== "object" || node === null) return node;
  const whole = joined(node as SchemaNode, document);
  const entries = Object.entries(whole).map(([name, value]) => [name, tightened(value, document)]);
  // A copy: the same document serves the requests, which are held against the loose one.
  const copy = Object.fromEntries(entries) as SchemaNode;
  if (copy.type === "object" && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  if (Array.isArray(copy["x-extensible-enum"])) copy.enum = copy["x-extensible-enum"];
  return copy;
}

/** `allOf` of a named object and more members, as one object. */
function joined(node: SchemaNode, document: SchemaNode): SchemaNode {
  const parts = Array.isArray(node.allOf) ? (node.allOf as SchemaNode[]) : [];
  if (!parts.some(({ $ref }) => $ref) || !parts.some(({ type }) => type === "object")) return node;
  const whole = parts.map(({ $ref, ...part }) =>
    typeof $ref === "string" ? (pointedAt(document, $ref) as SchemaNode) : part,
  );
  return {
    type: "object",
    required: whole.flatMap(({ required }) => (required as string[] | undefined) ?? []),
    properties: Object.assign({}, ...whole.map(({ properties }) => properties ?? {})) as SchemaNode,
  };
}

/** The operation of a method and a path, and what stands for its parameters; literal segments win. */
export function findOperation(
  operations: readonly SpecifiedOperation[],
  method: string,
  path: string,
): { operation: SpecifiedOperation; params: Record<string, string> } | undefined {
  const steps = path.replace(/\/$/, "").split("/");
  const found = operations.flatMap((operation) => {
    const wanted = operation.path.split("/");
    if (operation.method !== method || wanted.length !== steps.length) return [];
    const names = wanted.filter((step) => step.startsWith("{"));
    const isFitting = wanted.every((step, index) => step.startsWith("{") || step === steps[index]);
    const params = () =>
      Object.fromEntries(
        wanted.flatMap((step, index) => (step.startsWith("{") ? [[step.slice(1, -1), steps[index] ?? ""]] : [])),
      );
    return isFitting ? [{ operation, names: names.length, params }] : [];
  });
  // /events/availability and /events/{id} both fit; the one with fewer parameters is meant.
  const [best] = found.sort((a, b) => a.names - b.names);
  return best && { operation: best.operation, params: best.params() };
}
