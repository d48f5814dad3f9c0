// Reads a logged request, as text to edit, and as what an edit sets when the request is sent again.

import { isObject } from "../../platform/json.ts";
import type { RequestEntry } from "../entries.ts";

/** Headers that influence the response. */
const RELEVANT_HEADERS = new Set(["content-type", "accept-language", "idempotency-key", "sandbox-test"]);

/** Returns the headers that influence the response. Every client sends the others. */
export const listRelevantHeaders = ({ request }: Pick<RequestEntry, "request">): [string, string][] =>
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
function extractPathParameters(path: string, template = ""): Record<string, string> {
  const given = path.split("?")[0]?.split("/") ?? [];
  return Object.fromEntries(
    template
      .split("/")
      .flatMap((name, index) =>
        name.startsWith("{") ? [[name.slice(1, -1), decodeURIComponent(given[index] ?? "")]] : [],
      ),
  );
}

type Members = Record<string, unknown>;
/** The parts of a request that can be edited. */
type EditableRequest = Partial<Record<"path" | "query" | "header" | "body", Members>>;

/** `template` is the path of the operation. A body that is not an object can't be edited, only sent again. */
export function toEditableRequest(entry: RequestEntry, template?: string): EditableRequest {
  const { body, query = {} } = entry.request ?? {};
  return {
    path: extractPathParameters(entry.path, template),
    query,
    header: Object.fromEntries(listRelevantHeaders(entry)),
    ...(isObject(body) ? { body } : {}),
  };
}

/** Returns the fields that a replay sets, such as `path.bookingId`; null removes one. Throws if the text is not such a request. */
export function findChanges(before: EditableRequest, text: string): Members {
  const after: unknown = JSON.parse(text);
  const set: Members = {};
  for (const part of ["path", "query", "header", "body"] as const) {
    const [was, is] = [before[part] ?? {}, (isObject(after) && after[part]) || {}];
    if (!isObject(after) || !isObject(is)) throw new Error(`The ${part} has to be a JSON object.`);
    for (const name of new Set([...Object.keys(was), ...Object.keys(is)]))
      if (JSON.stringify(was[name]) !== JSON.stringify(is[name])) set[`${part}.${name}`] = is[name] ?? null;
  }
  return set;
}
