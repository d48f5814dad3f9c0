// Reads HAR files as browsers, proxies and HTTP tools write them: every member may be missing, headers have any case, bodies are text,
// base64 or still compressed. Nothing is sent anywhere.
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** The file is no HAR file; the message is a sentence for a person. */
export class HarError extends Error {}

/** A request with its answer; bodies are parsed where they are JSON or a form. */
export interface Pair {
  /** Which file and which entry of it, from 1. */
  at: string;
  method: string;
  host: string;
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  headers: Readonly<Record<string, string>>;
  input: unknown;
  /** 0 where no answer was recorded. */
  status: number;
  answerHeaders: Readonly<Record<string, string>>;
  output: unknown;
  /** The text of the request's body, for signatures. */
  text: string;
  startedAt: number;
}

interface Header {
  name?: unknown;
  value?: unknown;
}
interface Body {
  mimeType?: unknown;
  text?: unknown;
  encoding?: unknown;
  params?: Header[];
}
interface HarEntry {
  startedDateTime?: unknown;
  request?: { method?: unknown; url?: unknown; headers?: Header[]; queryString?: Header[]; postData?: Body };
  response?: { status?: unknown; headers?: Header[]; content?: Body };
}

/** Throws a HarError for a file of something else. An entry that can't be read is left out. */
export function readHar(text: string, file: string): Pair[] {
  let document: { log?: { entries?: unknown } } | null;
  try {
    document = JSON.parse(text) as typeof document;
  } catch {
    throw new HarError(`${file} is not JSON. Export the traffic as a HAR file (HTTP Archive).`);
  }
  const entries = document?.log?.entries;
  if (!Array.isArray(entries)) throw new HarError(`${file} is no HAR file: it has no log.entries.`);
  return entries.flatMap((entry, index) => pairOf((entry ?? {}) as HarEntry, `${file} #${index + 1}`) ?? []);
}

function pairOf({ request, response, startedDateTime }: HarEntry, at: string): Pair | undefined {
  const url = typeof request?.url === "string" && URL.canParse(request.url) ? new URL(request.url) : undefined;
  if (!request || !url) return undefined;
  const [headers, answerHeaders] = [headersOf(request.headers), headersOf(response?.headers)];
  const text = textOf(request.postData, headers);
  // The address is what was sent; queryString is a tool's reading of it.
  const query = url.search === "" ? listOf(request.queryString) : [...url.searchParams];
  return {
    ...{ at, method: textIn(request.method).toUpperCase() || "GET", host: url.host, path: url.pathname, query },
    ...{ headers, answerHeaders, text, input: inputOf(request.postData, headers, text) },
    status: typeof response?.status === "number" && response.status > 0 ? response.status : 0,
    output: jsonOf(textOf(response?.content, answerHeaders)),
    startedAt: Date.parse(textIn(startedDateTime)),
  };
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
const arrayOf = (value: unknown): Header[] => (Array.isArray(value) ? (value as Header[]) : []);

const listOf = (given: unknown): [string, string][] =>
  arrayOf(given).map((each) => [textIn(each?.name), textIn(each?.value)]);

const headersOf = (given: unknown): Record<string, string> =>
  Object.fromEntries(listOf(given).map(([name, value]) => [name.toLowerCase(), value]));

function inputOf(body: Body | undefined, headers: Record<string, string>, text: string): unknown {
  const type = textIn(body?.mimeType) || (headers["content-type"] ?? "");
  if (!type.includes("form-urlencoded")) return jsonOf(text);
  const fields = text === "" ? listOf(body?.params) : [...new URLSearchParams(text)];
  return Object.fromEntries(fields);
}

function jsonOf(text: string): unknown {
  try {
    return text === "" ? undefined : (JSON.parse(text.replace(/^\uFEFF/, "")) as unknown);
  } catch {
    return undefined;
  }
}

function textOf(body: Body | undefined, headers: Record<string, string>): string {
  const text = textIn(body?.text);
  if (textIn(body?.encoding).toLowerCase() !== "base64") return text;
  const bytes = Buffer.from(text, "base64");
  return (unpacked(bytes, headers["content-encoding"] ?? "") ?? bytes).toString("utf8");
}

/** A HAR has bodies as they are when decoded; some tools leave them compressed. */
function unpacked(bytes: Buffer, encoding: string): Buffer | undefined {
  // A small file can unpack to gigabytes.
  const most = { maxOutputLength: 64 * 1024 * 1024 };
  try {
    if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes, most);
    if (bytes[0] === 0x7b || bytes[0] === 0x5b) return undefined;
    if (encoding === "br") return brotliDecompressSync(bytes, most);
    return encoding === "deflate" ? inflateSync(bytes, most) : undefined;
  } catch {
    return undefined;
  }
}
