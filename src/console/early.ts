// What the first script has asked for, for the console to take.

/** As many lines as a high screen has. */
export const LINES_IN_SIGHT = 60;

/** Marks an act as performed by a person. */
export const BY_HAND = { "sandbox-by-hand": "console" } as const;

interface Early {
  first?: { request: Request; response: Promise<Response> } | undefined;
}

export const early = globalThis as Early;

/** The answer to a request, once, if the first script has sent the same. */
export function takeEarly({ method, url, headers }: Request): Promise<Response> | undefined {
  const { first } = early;
  if (first?.request.url !== url || method !== "GET") return undefined;
  if (first.request.headers.get("sandbox-world") !== headers.get("sandbox-world")) return undefined;
  early.first = undefined;
  return first.response;
}
