// Names that the specification does not know: ignored and noted, unless a world rejects them. Assumptions: unknown-query,
// unknown-body-field, parameter-brackets, parameter-empty.

import type { IHttpOperation } from "@stoplight/types";
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { WorldsPort } from "../app/application.ts";
import { ContractError } from "./errors.ts";
import type { Exchange, Routed } from "./exchange.ts";
import { assumed } from "./in-force.ts";
import { bracketed, parametersOf } from "./parameters.ts";

/** Their paths in query and body. */
export function unknownNames(
  exchange: Pick<Exchange, "query" | "body">,
  operation: IHttpOperation,
): { query: string[][]; body: string[][] } {
  const known = new Set(parametersOf(operation, "query").map(({ name }) => name));
  const schema = operation.request?.body?.contents?.[0]?.schema as JsonSchema | undefined;
  const unknown = Object.keys(exchange.query).filter((name) => !known.has(name));
  return {
    query: unknown.map((name) => ["query", name]),
    body: schema ? [...unknownIn(exchange.body, schema, ["body"])] : [],
  };
}

function* unknownIn(value: unknown, schema: JsonSchema, path: string[]): Generator<string[]> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (schema.items)
      for (const [index, item] of value.entries()) yield* unknownIn(item, schema.items, [...path, `${index}`]);
    return;
  }
  // A map of the integrator's own names.
  if (!schema.properties) return;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (known) yield* unknownIn(member, known, [...path, name]);
    else yield [...path, name];
  }
}

/** Throws a 400 with all of them, in a world that assumes so. */
export function rejectUnknown(exchange: Routed, application: WorldsPort): void {
  const query = assumed(exchange, application, "unknown-query") === "refuse";
  const body = assumed(exchange, application, "unknown-body-field") === "refuse";
  if (!query && !body) return;
  const { operation } = exchange.route;
  const unknown = unknownNames(exchange, operation);
  // A documented one in brackets is refused with advice of its own, and an empty one counts as absent.
  const ignored = () => assumed(exchange, application, "parameter-brackets") === "ignore";
  const meant = new Set(bracketed(exchange.query, operation, ignored).map(({ location: [, name] }) => name));
  const isGiven = ([, name = ""]: string[]) =>
    !meant.has(name) && [exchange.query[name]].flat().some((value) => value !== "");
  const paths = [...(query ? unknown.query.filter(isGiven) : []), ...(body ? unknown.body : [])];
  if (paths.length === 0) return;
  throw new ContractError(
    paths.map((location) => {
      const message = `${location.join(".").slice(0, 200)} is not documented. Leave it out.`;
      return { location, code: "additionalProperties", message, severity: "Error" };
    }),
  );
}
