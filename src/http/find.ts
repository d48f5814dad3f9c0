// What a method and a path mean: an operation, a file, a document, or nothing; then the answer says what is nearest, or which
// methods there are. Assumptions: unknown-path, error-codes.

import type { Application } from "../app/application.ts";
import { documentPaths, documents } from "./documents.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange, Route } from "./exchange.ts";
import { fileAt } from "./files.ts";
import { makeRouter } from "./router.ts";

const LONGEST_SHOWN = 200;

/** Sets the route of an exchange that asks for an operation, and answers what is none. */
export function makeFinder(
  routes: readonly Route[],
  application: Application,
): (exchange: Exchange) => Answer | undefined {
  const router = makeRouter(routes, documentPaths);
  return (exchange) => {
    const { method, path } = exchange;
    const match = router.match(method, path);
    if (match.found === "route") {
      exchange.route = match.route;
      exchange.maturity = match.route.maturity;
      exchange.params = match.params;
      return undefined;
    }
    const known = fileAt(exchange, application) ?? documents(exchange, application);
    if (known) return known;
    const shown = path.slice(0, LONGEST_SHOWN);
    if (match.found === "nothing") {
      const advice = match.nearest
        ? `The nearest documented path is ${match.nearest}`
        : `${directoryFor(path)} lists what there is`;
      throw new HttpError(404, `There is no ${shown}. ${advice}.`);
    }
    exchange.maturity = match.maturity;
    const headers = { allow: match.allow.join(", ") };
    if (method === "OPTIONS") return { status: 204, headers };
    throw new HttpError(405, `${method} is not possible on ${shown}. Use one of: ${headers.allow}.`, { headers });
  };
}

/** The document that describes the surface which was meant. */
const directoryFor = (path: string): string => (path.startsWith("/_") ? "/_sandbox/openapi.json" : "/openapi.json");
