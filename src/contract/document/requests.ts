// The examples of a document as the requests that they stand for, in an order in which each can be sent.
import { type Json, type Operation, operationsOf, type Parameter } from "./document.ts";

/** A value that is known, or that the answer to another request gives. */
export type Value = string | { operation: string; member: string };

export interface Named {
  name: string;
  value: Value;
  description: string;
  /** It is optional, and the example leaves it out. */
  omitted: boolean;
}

export interface ExampleRequest {
  operation: Operation;
  title: string;
  path: Named[];
  query: Named[];
  headers: Named[];
  body: unknown;
  /** Parameters of other requests that its answer gives: the parameter, and the member of the answer. */
  gives: { parameter: string; member: string }[];
  /** The status of its success. */
  status: number;
}

/** One for each example of a body, and one where there is none. */
export function listRequests(document: Json): ExampleRequest[] {
  const operations = operationsOf(document);
  // By links of the document: which answer gives which parameter of which request.
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

/** "operation parameter" → the request whose answer has its value. */
function findSources(operations: readonly Operation[]): Map<string, Value> {
  const links = operations.flatMap(({ id, responses }) =>
    responses.flatMap((response) => response.links.map((link) => ({ from: id, ...link }))),
  );
  return new Map(
    links.map(({ from, operation, parameter, member }) => [`${operation} ${parameter}`, { operation: from, member }]),
  );
}

function toNamed({ name, description, example, schema, required }: Parameter, source: Value | undefined): Named {
  // What an earlier answer gives wins over an example, which no world need have.
  const value = source ?? toText(example ?? schema.default ?? "");
  return { name, description, value, omitted: !required && (example === undefined || value === "") };
}

/** A list as the document has lists in queries: with commas. */
function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
