// Implements `--cors`: pages of these origins may use the public API from a browser. The control API allows none. Assumption: cors.
import cors from "cors";
import type { Middleware } from "./sandbox-router.ts";

/** The response headers that a page may read. */
const EXPOSED = [
  "sandbox-request-id",
  "sandbox-maturity",
  "sandbox-violations",
  "WWW-Authenticate",
  "Retry-After",
  "Allow",
];

export function allowOrigins(origins: readonly string[]): Middleware {
  const origin = origins.includes("*") ? "*" : [...origins];
  // A preflight response is valid for ten minutes.
  const allow = cors({ origin, exposedHeaders: EXPOSED, maxAge: 600 });
  return (request, response, next) => {
    // OPTIONS without this header requests the methods of a path.
    const isPlainOptions = request.method === "OPTIONS" && !request.headers["access-control-request-method"];
    if (isPlainOptions || request.url?.startsWith("/_sandbox")) next();
    else allow(request, response, next);
  };
}
