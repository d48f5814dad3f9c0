// What a method and a path name: an operation, a file, a document, or nothing; then the answer names the nearest path, or the methods
// of the path. Assumptions: unknown-path, error-codes.

import { didYouMean } from "../../platform/nearest.ts";
import { actViews } from "./control/acts.ts";
import { type DocumentPorts, documents } from "./documents.ts";
import { HttpError } from "./errors.ts";
import type { Answer, Exchange } from "./exchange.ts";
import { fileAt } from "./files.ts";
import { logByToken } from "./identify.ts";
import type { Router } from "./router.ts";

/** Characters of a path that an error repeats. */
const LONGEST_EXCERPT = 200;

/** Sets the route of a request for an operation; answers any other request. */
export function makeFinder(
  router: Router,
  application: DocumentPorts,
): (exchange: Exchange) => Answer | undefined | Promise<Answer> {
  return (exchange) => {
    const { method, path } = exchange;
    const match = router.match(method, path);
    if (match.found === "route") {
      exchange.route = match.route;
      exchange.maturity = match.route.maturity;
      exchange.params = match.params;
      return undefined;
    }
    // Files and documents are no operations of the router.
    const known = fileAt(exchange, application) ?? documents(exchange, application);
    if (known) return known;
    logByToken(exchange, application);
    const excerpt = path.slice(0, LONGEST_EXCERPT);
    if (match.found === "nothing") {
      const act = /^\/_sandbox\/acts\/([^/]+)$/.exec(excerpt)?.[1];
      if (act) {
        const names = actViews().map((view) => view.act);
        throw new HttpError(404, `There is no act ${act}.${didYouMean(act, names)}`, { list: "GET /_sandbox/acts" });
      }
      const advice = match.nearest
        ? `The nearest documented path is ${match.nearest}`
        : `${directoryFor(path)} lists what there is`;
      throw new HttpError(404, `There is no ${excerpt}. ${advice}.`, {
        rule: "path-unknown",
        values: { path: excerpt, nearest: match.nearest },
      });
    }
    const headers = { allow: match.allow.join(", ") };
    // Of a known path it is always possible.
    if (method === "OPTIONS") return { status: 204, headers };
    throw new HttpError(405, `${method} is not possible on ${excerpt}. Use one of: ${headers.allow}.`, {
      headers,
      rule: "method-unknown",
      values: { method, path: excerpt, allow: headers.allow },
    });
  };
}

/** The document that describes this part of the API. */
const directoryFor = (path: string): string => (path.startsWith("/_") ? "/_sandbox/openapi.json" : "/openapi.json");
