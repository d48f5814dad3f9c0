// Converts the examples of a document to requests, in an order in which each can be sent.
import { type Json, type Operation, operationsOf, type Parameter } from "./document.ts";

/** A known value, or a field of the response to another request. */
export type Value = string | { operation: string; member: string };

export interface Named {
  name: string;
  value: Value;
  description: string;
  /** Set if the parameter is optional and the example leaves it out. */
  omitted: boolean;
}

export interface ExampleRequest {
  operation: Operation;
  title: string;
  path: Named[];
  query: Named[];
  headers: Named[];
  body: unknown;
  /** Parameters of other requests whose values this response contains. */
  gives: { parameter: string; member: string }[];
  /** The status of a successful response. */
  status: number;
}

/** Lists one request per example of a body, and one for an operation without a body. */
export function listRequests(document: Json): ExampleRequest[] {
  const operations = operationsOf(document);
  // Links of the document say which response gives which parameter of a request.
  const sources = findSources(operations);
  return operations.flatMap((operation) => {
    const examples = operation.body?.examples ?? [];
    const several = examples.length > 1;
    const pickNamed = (location: Parameter["in"]) =>
      operation.parameters
        .filter((each) => each.in === location)
        .map((each) => toNamed(each, sources.get(`${operation.id} ${each.name}`)));
    const [success] = operation.responses.filter(({ status }) => /^2\d\d$/.test(status));
    const request = {
      operation,
      path: pickNamed("path"),
      query: pickNamed("query"),
      headers: pickNamed("header"),
      gives: (success?.links ?? []).filter(isFirst).map(({ parameter, member }) => ({ parameter, member })),
      status: Number(success?.status ?? 200),
    };
    if (examples.length === 0) return [{ ...request, title: operation.summary, body: undefined }];
    return examples.map(({ summary, value }) => ({
      ...request,
      title: several ? `${operation.summary}: ${summary[0]?.toLowerCase()}${summary.slice(1)}` : operation.summary,
      body: value,
    }));
  });
}

const isFirst = ({ parameter }: { parameter: string }, index: number, all: readonly { parameter: string }[]) =>
  all.findIndex((each) => each.parameter === parameter) === index;

/** Maps "operation parameter" to the request whose response has its value. */
function findSources(operations: readonly Operation[]): Map<string, Value> {
  const links = operations.flatMap(({ id, responses }) =>
    responses.flatMap((response) => response.links.map((link) => ({ from: id, ...link }))),
  );
  return new Map(
    links.map(({ from, operation, parameter, member }) => [`${operation} ${parameter}`, { operation: from, member }]),
  );
}

function toNamed({ name, description, example, schema, required }: Parameter, source: Value | undefined): Named {
  // A value from an earlier response wins over an example, which may not exist in the world.
  const value = source ?? formatExample(example ?? schema.default ?? "");
  return { name, description, value, omitted: !required && (example === undefined || value === "") };
}

/** Formats a list with commas, as the document writes lists in queries. */
function formatExample(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
