// What a logged request sent: its target, headers, body and credentials, for whatever sends the same again.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";

/** Headers that change what is answered. */
const RELEVANT_HEADERS = new Set(["content-type", "accept-language", "idempotency-key", "sandbox-test"]);

type Sent = Pick<RequestEntry, "request">;

/** Those that somebody chose; the rest is of every client. */
export const listRelevantHeaders = ({ request }: Sent): [string, string][] =>
  Object.entries(request?.headers ?? {})
    .filter(([name]) => RELEVANT_HEADERS.has(name))
    .map(([name, value]) => [name, [value].flat().join(", ")]);

/** Path and query. */
export function formatTarget({ path, request }: Pick<RequestEntry, "path" | "request">): string {
  const search = new URLSearchParams(
    Object.entries(request?.query ?? {}).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    ),
  ).toString();
  return path.includes("?") || search === "" ? path : `${path}?${search}`;
}

/** The path parameters, by their names in the specification. */
export function extractPathParameters(path: string, template: { path: string } | undefined): Record<string, string> {
  const given = path.split("?")[0]?.split("/") ?? [];
  const names = template?.path.split("/") ?? [];
  return Object.fromEntries(
    names.flatMap((name, index) =>
      name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(given[index] ?? "")]] : [],
    ),
  );
}

/** Null without one. Hardly a client can send one with GET or HEAD, and the service does not read it. */
export const getBody = ({ method, request }: RequestEntry): unknown =>
  method === "GET" || method === "HEAD" ? null : (request?.body ?? null);

/** The log has the members of a form. */
export const isForm = (entry: RequestEntry): boolean =>
  isObject(getBody(entry)) && String(entry.request?.headers["content-type"]).includes("form-urlencoded");

/** `basic`: a key in the header of a request for a token. `bad`: a token that the service did not take. */
export function classifyCredential({ operation, status, request }: RequestEntry): "none" | "basic" | "bad" | "good" {
  // The value itself is not in the log.
  if (request?.headers.authorization === undefined) return "none";
  if (operation === "createToken") return "basic";
  return status === 401 ? "bad" : "good";
}

/** A member of a request for a token of which every world has a value of its own: one that was refused is sent as it was. */
export function isWorldSpecific(name: string, { operation, status, request }: RequestEntry): boolean {
  if (operation !== "createToken") return false;
  if (name === "client_id" || name === "client_secret") return status !== 401;
  const audience = isObject(request?.body) ? String(request.body.audience) : "";
  return name === "audience" && ((status ?? 0) < 400 || audience.includes(String(request?.headers.host)));
}

/** The faults that it met, each for one more request, whoever sends it. */
export const listFaultsHit = ({ faults }: RequestEntry): object[] =>
  faults.flatMap(({ fault }) => {
    const { name: _, skip: __, share: ___, seed: ____, client_id: _____, ...rest } = fault ?? {};
    return fault ? [{ ...rest, times: 1 }] : [];
  });
