// Reads a logged request: target, headers, body and credential. Snippets, steps and edits use it to send the same
// request again.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";

/** Headers that influence the response. */
const RELEVANT_HEADERS = new Set(["content-type", "accept-language", "idempotency-key", "sandbox-test"]);

type Sent = Pick<RequestEntry, "request">;

/** Returns the headers that influence the response. Every client sends the others. */
export const listRelevantHeaders = ({ request }: Sent): [string, string][] =>
  Object.entries(request?.headers ?? {})
    .filter(([name]) => RELEVANT_HEADERS.has(name))
    .map(([name, value]) => [name, [value].flat().join(", ")]);

/** Returns the path with the query. */
export function formatTarget({ path, request }: Pick<RequestEntry, "path" | "request">): string {
  const search = new URLSearchParams(
    Object.entries(request?.query ?? {}).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  ).toString();
  return path.includes("?") || search === "" ? path : `${path}?${search}`;
}

/** Returns the path parameters by their names in the API description. */
export function extractPathParameters(path: string, template: { path: string } | undefined): Record<string, string> {
  const given = path.split("?")[0]?.split("/") ?? [];
  const names = template?.path.split("/") ?? [];
  return Object.fromEntries(
    names.flatMap((name, index) =>
      name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(given[index] ?? "")]] : [],
    ),
  );
}

/** Returns the body, or null. The service ignores bodies of GET and HEAD, which few clients can send. */
export const getBody = ({ method, request }: RequestEntry): unknown =>
  method === "GET" || method === "HEAD" ? null : (request?.body ?? null);

/** Returns true for a form body, whose fields the log stores as an object. */
export const isForm = (entry: RequestEntry): boolean =>
  isObject(getBody(entry)) && String(entry.request?.headers["content-type"]).includes("form-urlencoded");

/**
 * Classifies the credential. `basic`: client id and secret of a token request. `bad`: a token that the service
 * rejected.
 */
export function classifyCredential({ operation, status, request }: RequestEntry): "none" | "basic" | "bad" | "good" {
  // The log does not contain the value of the header.
  if (request?.headers.authorization === undefined) return "none";
  if (operation === "createToken") return "basic";
  return status === 401 ? "bad" : "good";
}

/**
 * Returns true for a field of a token request whose value differs in every world. Rejected values are sent unchanged.
 */
export function isWorldSpecific(name: string, { operation, status, request }: RequestEntry): boolean {
  if (operation !== "createToken") return false;
  if (name === "client_id" || name === "client_secret") return status !== 401;
  const audience = isObject(request?.body) ? String(request.body.audience) : "";
  return name === "audience" && ((status ?? 0) < 400 || audience.includes(String(request?.headers.host)));
}

/** Lists the faults that the request hit, each armed for one request of any client. */
export const listFaultsHit = ({ faults }: RequestEntry): object[] =>
  faults.flatMap(({ fault }) => {
    const { name: _, skip: __, share: ___, seed: ____, client_id: _____, ...rest } = fault ?? {};
    return fault ? [{ ...rest, times: 1 }] : [];
  });
