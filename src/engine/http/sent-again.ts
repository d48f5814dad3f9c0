// A request as it goes over the wire once more: a replay, or a refused one with the change that works.
import type { Exchange, Sending } from "./exchange.ts";

/** Of the connection, or of bytes that are written anew. */
const NOT_AGAIN =
  /^(connection|content-encoding|content-length|expect|keep-alive|sandbox-by-hand|te|transfer-encoding|upgrade)$/;

/** Headers that mean the same in another request. */
export const headersAgain = <T>(headers: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_AGAIN.test(name)));

type RequestParts = Pick<Exchange, "method" | "path" | "query" | "headers" | "raw">;

/** `more`: headers that it gets in addition, or instead. */
export function sentAgain({ method, path, query, headers, raw }: RequestParts, more: Record<string, string>): Sending {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  const search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
  const length = raw === undefined ? {} : { "content-length": String(raw.length) };
  return {
    ...{ method, target: `${path}${search}`, raw },
    headers: { ...(headersAgain(headers) as Sending["headers"]), ...length, ...more },
  };
}
