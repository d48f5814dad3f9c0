// Compares recorded traffic of the service with the API description. Names and values of a service are words; anything else in the traffic
// is not repeated, since it may be a secret or belong to a person.

import { ApiDescription, type ResponseDifference } from "./description.ts";
import type { RecordedCall } from "./har.ts";

export { HarError, readHar } from "./har.ts";
/** A difference once, with how often it was seen and where first. */
export interface CountedDifference extends ResponseDifference {
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

type Call = RecordedCall & { operation: ReturnType<ApiDescription["findOperation"]> };

/** `only`: the hosts of the service; without them the host with most of the operations is taken. */
export function compareTraffic(
  recorded: readonly RecordedCall[],
  document: Record<string, unknown>,
  only: readonly string[] = [],
): TrafficComparison {
  const description = new ApiDescription(document);
  const calls = recorded.map((call) => ({ ...call, operation: description.findOperation(call.method, call.path) }));
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
    differences: countDifferences(ours, description),
  };
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

function countDifferences(calls: readonly Call[], description: ApiDescription): CountedDifference[] {
  const found = new Map<string, CountedDifference>();
  for (const { at, operation, status, output } of calls) {
    if (operation === undefined) continue;
    for (const { path, what, value } of description.compareResponse(operation, status, output)) {
      const redacted = { operation: operation.id, status, what, path: redactPath(path), value: value && redact(value) };
      // Redacted values are alike, so all secrets in one field share a row.
      const key = JSON.stringify(redacted);
      const known = found.get(key);
      if (known) known.times++;
      else found.set(key, { ...(redacted as CountedDifference), times: 1, at });
    }
  }
  return [...found.values()];
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
