// The request that the first script has sent before the console is loaded.

/** The number of lines that fill a tall screen. */
export const FIRST_PAGE_SIZE = 60;

/** The headers that mark an act as performed by a person. */
export const MANUAL_HEADERS = { "sandbox-by-hand": "console" } as const;

interface Prefetch {
  first?: { request: Request; response: Promise<Response> } | undefined;
}

export const prefetch = globalThis as Prefetch;

/** Returns the response of the request that the first script sent, once, if it is the same request. */
export function takePrefetched({ method, url, headers }: Request): Promise<Response> | undefined {
  const { first } = prefetch;
  if (first?.request.url !== url || method !== "GET") return undefined;
  if (first.request.headers.get("sandbox-world") !== headers.get("sandbox-world")) return undefined;
  prefetch.first = undefined;
  return first.response;
}
