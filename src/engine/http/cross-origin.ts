// `--cors`: which pages of other origins may call the public API from a browser. The control surface answers none. Assumption: cors.
import type { IncomingMessage, ServerResponse } from "node:http";
import cors from "cors";

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a page may read of an answer besides its body. */
const EXPOSED = [
  "sandbox-request-id",
  "sandbox-maturity",
  "sandbox-violations",
  "WWW-Authenticate",
  "Retry-After",
  "Allow",
];

export function crossOrigin(origins: readonly string[], app: RequestListener): RequestListener {
  const origin = origins.includes("*") ? "*" : [...origins];
  // A preflight is good for ten minutes.
  const allow = cors({ origin, exposedHeaders: EXPOSED, maxAge: 600 });
  return (request, response) => {
    const next = () => app(request, response);
    // An OPTIONS that asks for the methods of a path is the pipeline's.
    const isPlainOptions = request.method === "OPTIONS" && !request.headers["access-control-request-method"];
    if (isPlainOptions || request.url?.startsWith("/_sandbox")) next();
    else allow(request, response, next);
  };
}
