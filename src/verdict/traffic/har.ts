// Reads HAR files as browsers, proxies and HTTP tools write them: every field may be missing, and bodies are text or base64. Nothing is sent.
import { isObject } from "../../platform/json.ts";

/** The file is no HAR file; the message is a sentence for a person. */
export class HarError extends Error {}

export interface RecordedCall {
  /** The file and the entry in it, counted from 1. */
  at: string;
  method: string;
  host: string;
  path: string;
  /** 0 if no response was recorded. */
  status: number;
  /** The body of the response; undefined if it is not JSON. */
  output: unknown;
}

/** Throws a HarError for another kind of file. An entry that can't be read is left out. */
export function readHar(text: string, file: string): RecordedCall[] {
  const entries = findEntries(parseJson(text), file);
  return entries.flatMap((entry, index) => readCall(entry, `${file} #${index + 1}`) ?? []);
}

function findEntries(document: unknown, file: string): unknown[] {
  if (document === undefined)
    throw new HarError(`${file} is not JSON. Export the traffic as a HAR file (HTTP Archive).`);
  const entries = isObject(document) && isObject(document.log) ? document.log.entries : undefined;
  if (!Array.isArray(entries)) throw new HarError(`${file} is no HAR file: it has no log.entries.`);
  return entries;
}

function readCall(entry: unknown, at: string): RecordedCall | undefined {
  if (!isObject(entry) || !isObject(entry.request)) return undefined;
  const { url, method } = entry.request;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  const response = isObject(entry.response) ? entry.response : {};
  return {
    at,
    method: readHarText(method).toUpperCase() || "GET",
    host,
    path: pathname,
    status: typeof response.status === "number" ? Math.max(0, response.status) : 0,
    output: parseJson(decodeContent(response)),
  };
}

function readHarText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function decodeContent({ content }: Record<string, unknown>): string {
  if (!isObject(content)) return "";
  const text = readHarText(content.text);
  return readHarText(content.encoding).toLowerCase() === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
}
