// Converts requests of the log to entries of an HTTP Archive (HAR 1.2). Secrets were redacted when the log recorded
// them.
import { STATUS_CODES } from "node:http";
import type { Schemas } from "../../contract/schemas.ts";
import { toMillis } from "../domain/kernel/instant.ts";

export type HarRequest = Required<Pick<Schemas["RequestEntry"], "request" | "answer">> & Schemas["RequestEntry"];
type Fields = Schemas["LoggedParts"]["headers"];

/** The fields of requests and responses that HAR requires and the log does not have. */
const UNKNOWN = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1 };

/** `base`: the address before the path. The request must be in the view `full`. */
export function toHarEntry(entry: HarRequest, base: string): object {
  const { request, duration_ms } = entry;
  const queryString = toList(request.query);
  const query = new URLSearchParams(queryString.map(({ name, value }): [string, string] => [name, value]));
  const text = toBodyText(request);
  const mimeType = findMimeType(request.headers);
  return {
    startedDateTime: new Date(toMillis(entry.wall_at) - duration_ms).toISOString(),
    time: duration_ms,
    request: {
      ...UNKNOWN,
      method: entry.method,
      url: `${base}${entry.path}${query.size > 0 ? `?${query}` : ""}`,
      headers: toList(request.headers),
      queryString,
      ...(text === "" ? {} : { postData: { mimeType, text } }),
      bodySize: Buffer.byteLength(text),
    },
    response: toResponse(entry),
    cache: {},
    timings: { send: 0, wait: duration_ms, receive: 0 },
    comment: [entry.id, ...entry.faults.map(({ name }) => `fault ${name}`)].join(", "),
  };
}

function toResponse({ status, answer }: HarRequest): object {
  const { headers = {}, body = null, left_out } = answer ?? {};
  const text = left_out ? "" : toBodyText({ headers, body });
  const size = left_out?.size ?? Buffer.byteLength(text);
  const content = { size, mimeType: findMimeType(headers) };
  const missing = left_out && `The log does not have this body of ${left_out.size} bytes, SHA-256 ${left_out.sha256}.`;
  return {
    ...UNKNOWN,
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? "",
    headers: toList(headers),
    content: missing ? { ...content, comment: missing } : { ...content, text },
    redirectURL: String(headers.location ?? ""),
    bodySize: size,
  };
}

const toList = (fields: Fields): { name: string; value: string }[] =>
  Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => ({ name, value: String(each) })));

const findMimeType = (headers: Fields): string => String(headers["content-type"] ?? "application/json");

/** The log shows JSON and forms as values. */
function toBodyText({ headers, body }: { headers: Fields; body?: unknown }): string {
  if (body === null || body === undefined) return "";
  if (typeof body === "string") return body;
  const isForm = findMimeType(headers).includes("form-urlencoded");
  return isForm ? String(new URLSearchParams(body as Record<string, string>)) : JSON.stringify(body);
}
