// What the first script has asked for, for the console to take.

/** As many lines as a high screen has. */
export const FIRST_PAGE_SIZE = 60;

/** Marks an act as performed by a person. */
export const MANUAL_HEADERS = { "sandbox-by-hand": "console" } as const;

interface Prefetch {
  first?: { request: Request; response: Promise<Response> } | undefined;
}

export const prefetch = globalThis as Prefetch;

/** The answer to a request, once, if the first script has sent the same. */
export function takePrefetched({ method, url, headers }: Request): Promise<Response> | undefined {
  const { first } = prefetch;
  if (first?.request.url !== url || method !== "GET") return undefined;
  if (first.request.headers.get("sandbox-world") !== headers.get("sandbox-world")) return undefined;
  prefetch.first = undefined;
  return first.response;
}
