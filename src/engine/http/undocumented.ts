// Ignores and notes names that the specification does not have, unless a world rejects them. Assumptions: unknown-query,
// unknown-body-field, parameter-brackets, parameter-empty.
import type { IHttpOperation } from "@stoplight/types";
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { WorldsPort } from "../app/application.ts";
import { type ExchangeDetails, type LogEntry, readDetails, readQuery, readSent } from "../log/view.ts";
import { ContractError } from "./errors.ts";
import { createViolation, type Exchange, type Routed } from "./exchange.ts";
import { bindOverrides, readAssumption } from "./in-force.ts";
import { findBracketed, listParameters } from "./parameters.ts";
import { findRoute } from "./routes.ts";

/** Finds the paths of unknown names in query and body. */
function findUnknownNames(
  exchange: Pick<Exchange, "query" | "body">,
  operation: IHttpOperation,
): { query: string[][]; body: string[][] } {
  const known = new Set(listParameters(operation, "query").map(({ name }) => name));
  const schema = operation.request?.body?.contents?.[0]?.schema as JsonSchema | undefined;
  const unknown = Object.keys(exchange.query).filter((name) => !known.has(name));
  return {
    query: unknown.map((name) => ["query", name]),
    body: schema ? [...findUnknownMembers(exchange.body, schema, ["body"])] : [],
  };
}

function* findUnknownMembers(value: unknown, schema: JsonSchema, path: string[]): Generator<string[]> {
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    if (schema.items)
      for (const [index, item] of value.entries()) yield* findUnknownMembers(item, schema.items, [...path, `${index}`]);
    return;
  }
  // The integrator chooses the names of a map.
  if (!schema.properties) return;
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (known) yield* findUnknownMembers(member, known, [...path, name]);
    else yield [...path, name];
  }
}

/** Throws a 400 that names all unknown names, in a world with that assumption. */
export function rejectUnknown(exchange: Routed, application: WorldsPort): void {
  const query = readAssumption(exchange, application, "unknown-query") === "refuse";
  const body = readAssumption(exchange, application, "unknown-body-field") === "refuse";
  if (!query && !body) return;
  const { operation } = exchange.route;
  const unknown = findUnknownNames(exchange, operation);
  // A documented name in brackets is rejected with its own advice, and an empty parameter counts as missing.
  const isIgnored = () => readAssumption(exchange, application, "parameter-brackets") === "ignore";
  const meant = new Set(findBracketed(exchange.query, operation, isIgnored).map(({ location: [, name] }) => name));
  const isGiven = ([, name = ""]: string[]) =>
    !meant.has(name) && [exchange.query[name]].flat().some((value) => value !== "");
  const paths = [...(query ? unknown.query.filter(isGiven) : []), ...(body ? unknown.body : [])];
  if (paths.length === 0) return;
  throw new ContractError(
    paths.map((location) => {
      const message = `${location.join(".").slice(0, 200)} is not documented. Remove it.`;
      return createViolation(location, "additionalProperties", message);
    }),
  );
}

const NO_PHONE =
  "body.customer.phone is missing. The service may require it (assumption booking-customer-required); send one to be safe.";

export function noteRequest(entry: LogEntry): string[] {
  const route = findRoute(entry.operation);
  if (!route) return [];
  const details = readDetails<ExchangeDetails>(entry);
  const { operation } = bindOverrides(route, details.overrides ?? []);
  const sent = { query: readQuery(details.target), body: readSent(details) };
  const { query, body } = findUnknownNames(sent, operation);
  // A name that a violation rejects was read, and the violation says so.
  const rejected = (details.violations ?? []) as { location?: string[] }[];
  const isIgnored = (path: string[]) => !rejected.some(({ location }) => location?.join(".") === path.join("."));
  return [
    ...query.filter(isIgnored).map(([, name]) => `The query parameter ${name} is not documented and was ignored.`),
    ...body.filter(isIgnored).map((path) => `${path.join(".")} is not documented and was ignored.`),
    ...(hasNoPhone(entry, sent.body) ? [NO_PHONE] : []),
  ];
}

function hasNoPhone({ operation, status }: LogEntry, body: unknown): boolean {
  const { customer } = (body ?? {}) as { customer?: { phone?: string } };
  return operation === "createBooking" && (status ?? 500) < 300 && !customer?.phone;
}
