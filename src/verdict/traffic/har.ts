// Reads a HAR file, in which browsers and proxies record requests with their responses.

/** The file is no HAR file. The message is a sentence for a person. */
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

/** The part of a HAR file that is read. Tools write it in several ways, so every field may be missing or of another type. */
interface HarEntry {
  request?: { url?: unknown; method?: unknown } | null;
  response?: { status?: unknown; content?: { text?: unknown; encoding?: unknown } | null } | null;
}

/** Throws a HarError for another kind of file. An entry that can't be read is left out. */
export function readHar(text: string, file: string): RecordedCall[] {
  const document = parseJson(text) as { log?: { entries?: unknown } } | null | undefined;
  if (document === undefined)
    throw new HarError(`${file} is not JSON. Export the traffic as a HAR file (HTTP Archive).`);
  const entries = document?.log?.entries;
  if (!Array.isArray(entries)) throw new HarError(`${file} is no HAR file: it has no log.entries.`);
  return entries.flatMap((entry, index) => readCall(entry, `${file} #${index + 1}`));
}

function readCall(entry: HarEntry | null, at: string): RecordedCall[] {
  const { url, method } = entry?.request ?? {};
  if (typeof url !== "string" || !URL.canParse(url)) return [];
  const { host, pathname } = new URL(url);
  const { status, content } = entry?.response ?? {};
  const text = typeof content?.text === "string" ? content.text : "";
  const isBase64 = /^base64$/i.test(String(content?.encoding));
  return [
    {
      at,
      method: typeof method === "string" && method !== "" ? method.toUpperCase() : "GET",
      host,
      path: pathname,
      status: typeof status === "number" ? Math.max(0, status) : 0,
      output: parseJson(isBase64 ? Buffer.from(text, "base64").toString("utf8") : text),
    },
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
