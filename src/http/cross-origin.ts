// `--cors`: which pages of other origins may call the public API from a browser. The control surface answers none. Assumption: cors.
import cors from "cors";
import type { RequestHandler } from "express";

/** What a page may read of an answer besides its body. */
const EXPOSED = [
  "sandbox-request-id",
  "sandbox-maturity",
  "sandbox-violations",
  "WWW-Authenticate",
  "Retry-After",
  "Allow",
];

export function crossOrigin(origins: readonly string[]): RequestHandler {
  const origin = origins.includes("*") ? "*" : [...origins];
  const allow = cors({ origin, exposedHeaders: EXPOSED, maxAge: 600 });
  return (request, response, next) => {
    const isPlainOptions = request.method === "OPTIONS" && !request.headers["access-control-request-method"];
    if (isPlainOptions || request.path.startsWith("/_sandbox")) next();
    else allow(request, response, next);
  };
}
