// Compares recorded traffic of the service with the API description. It is stricter than the description: an undocumented field and an
// unknown value of an open enum differ too. Names and values of a service are words; anything else in the traffic is not repeated, since
// it may be a secret or belong to a person.
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { type Json, type Operation, operationsOf, resolve } from "../../contract/document/document.ts";
import { count } from "../../platform/count.ts";
import { isObject } from "../../platform/json.ts";
import { REDACTED } from "../../platform/redacted.ts";
import { type CheckReport, createReport, createResult } from "../report/check-report.ts";
import type { RecordedCall } from "./har.ts";

export { HarError, readHar } from "./har.ts";

/** The kinds of differences. */
const MEANINGS = {
  member: "unknown field",
  value: "unknown value",
  missing: "missing field",
  form: "other form",
  status: "unknown status",
};
type Kind = keyof typeof MEANINGS;
const KINDS: Record<string, Kind> = {
  additionalProperties: "member",
  enum: "value",
  const: "value",
  required: "missing",
};

interface ResponseDifference {
  /** A JSON Pointer in the body; a star matches each item. */
  path: string;
  what: Kind;
  /** An unknown value of an enum. */
  value?: string | undefined;
}

/** A difference once, with how often it was seen and where first. */
interface CountedDifference extends ResponseDifference {
  operation: string;
  status: number;
  times: number;
  at: string;
}

/** The command prints this as JSON, so the fields are a contract. */
export interface TrafficComparison {
  calls: number;
  hosts: readonly string[];
  /** How many entries of each other host were left out; `matching`: some of them are for operations of the service. */
  left_out: readonly { host: string; entries: number; matching: boolean }[];
  differences: readonly CountedDifference[];
}

type Call = RecordedCall & { operation: Operation | undefined };

/** `only`: the hosts of the service; without them the host with most of the operations is taken. */
export function compareTraffic(
  recorded: readonly RecordedCall[],
  document: Json,
  only: readonly string[] = [],
): TrafficComparison {
  const operations = operationsOf(document);
  const calls = recorded.map((call) => ({ ...call, operation: findOperation(operations, call) }));
  const main = findMainHost(calls);
  const isOurs = ({ host, operation }: Call): boolean => {
    if (operation === undefined) return false;
    return only.length > 0 ? only.includes(host) : host === main || operation.id === "createToken";
  };
  const ours = calls.filter(isOurs);
  return {
    calls: ours.length,
    hosts: [...new Set(ours.map(({ host }) => host))],
    left_out: countHosts(calls.filter((call) => !isOurs(call))),
    differences: countDifferences(ours, document),
  };
}

/** Literal segments win: /events/availability and /events/{id} both match a path, and the one with fewer parameters is meant. */
function findOperation(operations: readonly Operation[], { method, path }: RecordedCall): Operation | undefined {
  const steps = path.replace(/\/$/, "").split("/");
  const matching = operations.filter((operation) => {
    const wanted = operation.path.split("/");
    const matches = wanted.every((step, index) => step.startsWith("{") || step === steps[index]);
    return operation.method === method && wanted.length === steps.length && matches;
  });
  const countParameters = (operation: Operation) => operation.path.split("{").length;
  return matching.sort((a, b) => countParameters(a) - countParameters(b))[0];
}

/** Many services have /v1/events, so the host with the most operations is taken. A host that only issues tokens is not it. */
function findMainHost(calls: readonly Call[]): string | undefined {
  const operations = new Map<string, Set<string>>();
  for (const { host, operation } of calls) {
    if (operation && operation.id !== "createToken")
      operations.set(host, (operations.get(host) ?? new Set()).add(operation.id));
  }
  const [main] = [...operations].sort(([, a], [, b]) => b.size - a.size);
  return main?.[0];
}

function countHosts(calls: readonly Call[]): TrafficComparison["left_out"] {
  const hosts = new Map<string, { entries: number; matching: boolean }>();
  for (const { host, operation } of calls) {
    const known = hosts.get(host) ?? { entries: 0, matching: false };
    hosts.set(host, { entries: known.entries + 1, matching: known.matching || operation !== undefined });
  }
  return [...hosts].map(([host, counts]) => ({ host, ...counts }));
}

function countDifferences(calls: readonly Call[], document: Json): CountedDifference[] {
  const compareResponse = createComparison(document);
  const found = new Map<string, CountedDifference>();
  for (const { at, operation, status, output } of calls) {
    if (operation === undefined) continue;
    for (const { path, what, value } of compareResponse(operation, status, output)) {
      const redacted = { operation: operation.id, status, what, path: redactPath(path), value: value && redact(value) };
      // Redacted values are alike, so all secrets in one field share a row.
      const key = JSON.stringify(redacted);
      const known = found.get(key);
      if (known) known.times++;
      else found.set(key, { ...redacted, times: 1, at });
    }
  }
  return [...found.values()];
}

/** Returns a function that lists how a response of an operation differs from the description. */
function createComparison(document: Json) {
  const options = { strict: false, allErrors: true, verbose: true, validateFormats: false, logger: false } as const;
  // The build checks the schemas of the description.
  const ajv = new Ajv2020({ ...options, validateSchema: false });
  const components = tighten(document.components, document);
  const validators = new Map<object, ReturnType<typeof ajv.compile>>();
  return ({ responses }: Operation, status: number, body: unknown): ResponseDifference[] => {
    if (status === 0) return [];
    const response = responses.find((each) => each.status === String(status));
    if (!response) return [{ path: `${status}`, what: "status" }];
    const { schema } = response;
    if (body === undefined || !schema) return [];
    // References of the schema begin at its root.
    const validate = validators.get(schema) ?? ajv.compile({ ...(tighten(schema, document) as Json), components });
    validators.set(schema, validate);
    return validate(body) ? [] : (validate.errors ?? []).flatMap(toDifference);
  };
}

function toDifference({ keyword, params, instancePath, data }: ErrorObject): ResponseDifference[] {
  // These two only say that something inside them differs, which has an error of its own.
  if (keyword === "if" || keyword === "allOf") return [];
  // A HAR file of the sandbox has this text instead of a secret of any form.
  if (data === REDACTED) return [];
  const name = (params.additionalProperty ?? params.missingProperty) as string | undefined;
  const path = (name === undefined ? instancePath : `${instancePath}/${name}`).replaceAll(/\/\d+(?=\/|$)/g, "/*");
  const value = keyword === "enum" && typeof data === "string" ? data : undefined;
  return [{ path, what: KINDS[keyword] ?? "form", value }];
}

/** Closes each schema of an object with properties, also one of several parts, and each open enum. */
function tighten(node: unknown, document: Json): unknown {
  if (Array.isArray(node)) return node.map((each) => tighten(each, document));
  if (!isObject(node)) return node;
  const entries = Object.entries(mergeParts(node, document)).map(([name, value]) => [name, tighten(value, document)]);
  const copy = Object.fromEntries(entries) as Json;
  if (copy.type === "object" && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  if (Array.isArray(copy["x-extensible-enum"])) copy.enum = copy["x-extensible-enum"];
  return copy;
}

/** `allOf` of a named object and more properties, as one object: each part alone would reject the properties of the others. */
function mergeParts(node: Readonly<Json>, document: Json): Readonly<Json> {
  const parts = Array.isArray(node.allOf) ? (node.allOf as Json[]) : [];
  if (!parts.some(({ $ref }) => $ref) || !parts.some(({ type }) => type === "object")) return node;
  const resolved = parts.map((part) => resolve<{ required?: string[]; properties?: object }>(part, document));
  return {
    type: "object",
    required: resolved.flatMap(({ required = [] }) => required),
    properties: Object.assign({}, ...resolved.map(({ properties }) => properties)) as Json,
  };
}

function redactPath(path: string): string {
  return path
    .split("/")
    .map((step) => (step === "" || step === "*" || /^\d{3}$/.test(step) ? step : redact(step)))
    .join("/");
}

/** Keeps a word of letters with few digits; a token is longer or has more of them. */
function redact(text: string): string {
  const isWord = /^([a-z]+|[A-Z]+|[A-Za-z][a-z]+(?:[A-Z][a-z]+)*)([_-]([a-z]+|[A-Z]+))*\d{0,3}$/.test(text);
  return isWord && text.length <= 40 ? text : "(not repeated)";
}

/** Reports a result for each difference. */
export const reportTraffic = (comparison: TrafficComparison, files: readonly string[]): CheckReport =>
  createReport({
    name: "sandbox check traffic",
    command: files,
    results: comparison.differences.map(({ operation, status, what, path, value, times, at }) => {
      const found = value === undefined ? path : `${path} ${value}`;
      const says = `${MEANINGS[what]} ${found}, ${times}×, first ${at}`;
      return createResult({ id: `${operation} ${status}`, title: MEANINGS[what], outcome: "fail", says });
    }),
    notes: describeComparison(comparison),
    document: comparison,
  });

const describeComparison = ({ calls, differences, left_out }: TrafficComparison): string[] => [
  ...left_out.slice(0, 10).map(({ host, entries, matching }) => {
    const advice = matching ? `; include them with --host ${host}` : "";
    return `${host}: ${count(entries, "entry", "entries")} left out${advice}.`;
  }),
  `${count(calls, "call")} compared, ${count(differences.length, "difference")}.`,
];
